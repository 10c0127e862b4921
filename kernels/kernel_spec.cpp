// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_spec.h"

namespace dimscope::kernels {
namespace {

struct Name {
    std::string_view operator()(const Softmax&) const { return "softmax"; }
    std::string_view operator()(const Performer&) const { return "performer"; }
    std::string_view operator()(const SpectraFormer&) const { return "spectraformer"; }
    std::string_view operator()(const DiJiang&) const { return "dijiang"; }
    std::string_view operator()(const TaylorShift&) const { return "taylorshift"; }
    std::string_view operator()(const Taylor&) const { return "taylor"; }
    std::string_view operator()(const GlobalQuadratic&) const { return "global"; }
    std::string_view operator()(const Oal&) const { return "oal"; }
    std::string_view operator()(const Uniform&) const { return "uniform"; }
    std::string_view operator()(const Zero&) const { return "zero"; }
    std::string_view operator()(const FirstValue&) const { return "first_value"; }
};

}  // namespace

Oal asOal(const GlobalQuadratic& spec, Index headDim) {
    return {.label = std::vector<int>(static_cast<std::size_t>(headDim), 0),
            .groups = 1,
            .factor = {spec.factor.begin(), spec.factor.end()},
            .epsilon = spec.epsilon};
}

std::string_view kernelName(const KernelSpec& spec) { return std::visit(Name{}, spec); }

}  // namespace dimscope::kernels
