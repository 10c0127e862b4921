// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_spec.h"

#include <algorithm>
#include <cmath>

namespace dimscope::kernels {
namespace {

struct Name {
    std::string_view operator()(const Softmax&) const { return "softmax"; }
    std::string_view operator()(const Performer&) const { return "performer"; }
    std::string_view operator()(const SpectraFormer&) const { return "spectraformer"; }
    std::string_view operator()(const SpectraFormerUnbiased&) const { return "spectraformer_unbiased"; }
    std::string_view operator()(const DiJiang&) const { return "dijiang"; }
    std::string_view operator()(const TaylorShift&) const { return "taylorshift"; }
    std::string_view operator()(const Taylor&) const { return "taylor"; }
    std::string_view operator()(const GlobalQuadratic&) const { return "global"; }
    std::string_view operator()(const Oal&) const { return "oal"; }
    std::string_view operator()(const ZerosSm&) const { return "zeros_sm"; }
    std::string_view operator()(const LinearZeros&) const { return "linear_zeros"; }
    std::string_view operator()(const Elu&) const { return "elu"; }
    std::string_view operator()(const CosFormer&) const { return "cosformer"; }
    std::string_view operator()(const Rfa&) const { return "rfa"; }
    std::string_view operator()(const Hedgehog&) const { return "hedgehog"; }
    std::string_view operator()(const Based&) const { return "based"; }
    std::string_view operator()(const ReBased&) const { return "rebased"; }
    std::string_view operator()(const Power&) const { return "power"; }
    std::string_view operator()(const PolySketch&) const { return "polysketch"; }
    std::string_view operator()(const Lolcats&) const { return "lolcats"; }
    std::string_view operator()(const RetNet&) const { return "retnet"; }
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

bool weightsFitFloat(const DiJiang& spec) {
    constexpr double kLargest = 500.0;
    return !spec.theta || std::all_of(spec.theta->begin(), spec.theta->end(),
                                      [](double theta) { return std::abs(theta) <= kLargest; });
}

std::string_view kernelName(const KernelSpec& spec) { return std::visit(Name{}, spec); }

}  // namespace dimscope::kernels
