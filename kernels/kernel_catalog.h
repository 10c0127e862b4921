// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dimscope::kernels {

/// One parameter of a kernel as forms and options show it: a number, or one of a few choices.
struct KernelParameter {
    std::string name;   ///< "features"
    std::string title;  ///< "Features m"
    double defaultValue = 0.0, least = 0.0, most = 0.0;
    bool integer = false;
    std::string note;                       ///< unit or meaning
    std::vector<std::string> choices = {};  ///< where there are any, the value is a place in this list
    std::string inFile = {};  ///< what fixes it in a parameter file where that is not its name: "eps", "w"
    bool learned = false;     ///< calibration fits it, so a value holds only without calibration
};

/// What holds for every head with the stated defaults.
struct KernelProperties {
    bool sumsToOne = true;     ///< the weights of a row sum to 1
    bool meanOfEqual = true;   ///< equal keys give the mean of their values
    bool orderFree = true;     ///< permuting keys together with their values changes nothing for the last row
    bool shiftFree = false;    ///< a constant added to all logits of a row changes nothing
    bool paddable = true;      ///< dimensions that are 0 in q and k change nothing
    bool restrictable = true;  ///< non-negative, so that a restriction to a subset of dimensions exists (section 13.10)
};

/// Everything that is said about a kernel anywhere in the program.
struct KernelDescriptor {
    std::string name;          ///< "performer": command line and files
    std::string title;         ///< "Performer"
    std::string formula = {};  ///< in words and symbols, one line
    std::string source;        ///< paper or code the formula comes from
    std::vector<KernelParameter> parameters = {};
    bool hasDraw = false;        ///< depends on the seed
    bool trained = false;        ///< has parameters that calibration fits; runs at its stated start without
    bool referenceLine = false;  ///< uniform, zero, first_value
    std::string limits = {};     ///< what it cannot do; empty: nothing
    KernelProperties properties = {};
};

/// All kernels, exact attention first.
std::span<const KernelDescriptor> kernelCatalog();
/// Null where no kernel has this name.
const KernelDescriptor* findKernel(std::string_view name);
/// Null where no kernel has this name or the kernel no such parameter.
const KernelParameter* findParameter(std::string_view kernel, std::string_view parameter);

/// A value as a person reads and writes it: "0.0001", "forward".
std::string valueText(const KernelParameter& parameter, double value);
/// What a parameter may be, in words: "a whole number from 1 to 8", "one of inverse, forward".
std::string allowedText(const KernelParameter& parameter);

}  // namespace dimscope::kernels
