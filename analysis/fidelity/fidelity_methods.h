// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/fidelity/fidelity.h"

namespace dimscope::analysis {

/// Whether the file of a factory holds what was fitted for a kernel in a layer. Several draws of a learned map are
/// draws, not a fit; a draw of DiJiang is fitted where it has weights.
bool isCalibrated(const KernelFactory& factory, const std::string& kernel, LayerIndex layer);

/// The kernels of a factory without what its file says was fitted; draws of the file stay, and so do groups of oal.
KernelFactory untrainedFactory(const KernelFactory& factory, const std::vector<LayerInfo>& layers);

/// Reference lines behind the kernels asked for, each once; exact attention is not among them.
std::vector<std::string> withReferenceLines(const std::vector<std::string>& kernels);

/// Every kernel untrained, and behind it calibrated where any layer has it so; paths are not filled in.
std::vector<FidelityMethod> fidelityMethods(const std::vector<std::string>& kernels, const KernelFactory& factory,
                                            const std::vector<LayerInfo>& layers);

}  // namespace dimscope::analysis
