// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dimscope::kernels {

/// One parameter of a kernel as forms and options show it.
struct KernelParameter {
    std::string name;   ///< "features"
    std::string title;  ///< "Features m"
    double defaultValue = 0.0, least = 0.0, most = 0.0;
    bool integer = false;
    std::string note;  ///< unit or meaning
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

}  // namespace dimscope::kernels
