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
};

/// All kernels, exact attention first.
std::span<const KernelDescriptor> kernelCatalog();
/// Null where no kernel has this name.
const KernelDescriptor* findKernel(std::string_view name);

}  // namespace dimscope::kernels
