// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/head_cases.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/random_features.h"

namespace dimscope::tests {

using namespace kernels;

HeadInputs OwnedHead::inputs() const {
    HeadInputs inputs;
    inputs.query = query.view();
    inputs.key = key.view();
    inputs.value = value.view();
    inputs.mask.causal = causal;
    inputs.mask.window = window;
    inputs.mask.valid = valid;
    inputs.scale = scale;
    inputs.softcap = softcap;
    inputs.sink = sink;
    return inputs;
}

OwnedHead handHead2() {
    OwnedHead head;
    head.query = Matrix<double>(3, 2, {.5, -1, 1, .3, -.7, .8});
    head.key = Matrix<double>(3, 2, {.2, .4, -.6, 1.1, .9, -.5});
    head.value = Matrix<double>(3, 2, {1, .5, 0, 1, -1, .25});
    head.scale = 1.0 / std::sqrt(2.0);
    return head;
}

OwnedHead handHead3() {
    OwnedHead head;
    head.query = Matrix<double>(3, 3, {.5, -1, .2, 1, .3, -.4, -.7, .8, .6});
    head.key = Matrix<double>(3, 3, {.2, .4, -.3, -.6, 1.1, .5, .9, -.5, .1});
    head.value = Matrix<double>(3, 2, {1, .5, 0, 1, -1, .25});
    head.scale = 1.0 / std::sqrt(3.0);
    return head;
}

OwnedHead randomHead(Index rows, Index headDim, Index valueDim, std::uint64_t seed, double spread) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0.0, spread);
    OwnedHead head;
    head.query = Matrix<double>(rows, headDim);
    head.key = Matrix<double>(rows, headDim);
    head.value = Matrix<double>(rows, valueDim);
    // Values that float holds exactly, so that a float backend starts from the same numbers.
    for (Matrix<double>* m : {&head.query, &head.key, &head.value})
        for (double& x : m->values()) x = static_cast<double>(static_cast<float>(normal(random)));
    head.scale = 1.0 / std::sqrt(static_cast<double>(headDim));
    return head;
}

namespace {

std::shared_ptr<Matrix<double>> normalMatrix(Index rows, Index cols, std::uint64_t seed) {
    return std::make_shared<Matrix<double>>(rfaProjection(static_cast<int>(rows), static_cast<int>(cols), seed, 1, 2));
}

/// ZeroS and the kernels beyond the two papers, learned parameters given and left out.
void addOtherKernels(Index d, std::uint64_t seed, std::vector<KernelSpec>& kernels) {
    for (KernelSpec spec :
         {KernelSpec(Elu{}), KernelSpec(CosFormer{}), KernelSpec(CosFormer{200.0}), KernelSpec(Hedgehog{}),
          KernelSpec(Based{}), KernelSpec(ReBased{}), KernelSpec(Power{2}), KernelSpec(Power{4}), KernelSpec(Lolcats{}),
          KernelSpec(Lolcats{6, 0.3}), KernelSpec(RetNet{}), KernelSpec(RetNet{1.0 - 1.0 / 256.0, 2.5})})
        kernels.push_back(std::move(spec));
    kernels.emplace_back(Rfa{normalMatrix(2 * d + 30, d, seed)});
    kernels.emplace_back(Rfa{normalMatrix(d + 2, d, seed), 1.0});
    kernels.emplace_back(PolySketch{normalMatrix(d, 5, seed), normalMatrix(d, 5, seed + 1)});
    kernels.emplace_back(Hedgehog{normalMatrix(d, d, seed + 2), normalMatrix(d, d, seed + 3)});
    kernels.emplace_back(Hedgehog{nullptr, normalMatrix(d, d, seed + 3), Hedgehog::Variant::Fla});
    const auto vector = [&](std::uint64_t from) {
        return std::make_shared<std::vector<double>>(diJiangDraw(static_cast<int>(d), from, 1));
    };
    kernels.emplace_back(ReBased{vector(seed), vector(seed + 1)});
    kernels.emplace_back(ZerosSm{});
    kernels.emplace_back(ZerosSm{0.7, 0.4, 0.2});
    kernels.emplace_back(LinearZeros{});
    kernels.emplace_back(LinearZeros{0.7, 0.4, -0.3, vector(seed + 4), 0.8});
}

void addUnbiased(int d, std::uint64_t seed, std::vector<KernelSpec>& kernels) {
    if (!std::has_single_bit(static_cast<unsigned>(d))) return;
    FastFoodDraw draw = fastFoodDraw(d, seed, 1);
    SpectraFormerUnbiased spec;
    spec.b = std::make_shared<std::vector<double>>(draw.b);
    spec.g = std::make_shared<std::vector<double>>(draw.g);
    spec.s = std::make_shared<std::vector<double>>(draw.s);
    spec.permutation = std::make_shared<std::vector<int>>(draw.permutation);
    kernels.emplace_back(spec);
    spec.statistic = SpectraFormerUnbiased::Statistic::Calibrated;
    spec.phi = 2.5;
    kernels.emplace_back(spec);
}

}  // namespace

std::vector<KernelSpec> allKernels(Index headDim, std::uint64_t seed) {
    const auto d = static_cast<int>(headDim);
    std::vector<KernelSpec> kernels{Softmax{}, Taylor{}, TaylorShift{1.7}, GlobalQuadratic{{1.0, 0.5, 0.5}, 1e-6},
                                    Uniform{}, Zero{},   FirstValue{}};
    Performer performer;
    performer.projection = std::make_shared<Matrix<double>>(performerProjection(2 * d + 3, d, seed, 1, 2));
    kernels.emplace_back(performer);
    performer.epsilon = 1e-4;
    kernels.emplace_back(performer);
    performer.shift = Performer::Shift::LogFeature;
    kernels.emplace_back(performer);
    DiJiang diJiang;
    diJiang.t = std::make_shared<std::vector<double>>(diJiangDraw(d, seed, 1));
    kernels.emplace_back(diJiang);
    diJiang.theta = std::make_shared<std::vector<double>>(diJiangDraw(d, seed + 1, 1));
    diJiang.orientation = DiJiang::Orientation::Forward;
    kernels.emplace_back(diJiang);
    diJiang.theta = [&] {
        std::vector<double> far(static_cast<std::size_t>(d), -3.0);
        far.front() = 6e7;  // as calibration can leave it: one weight beyond float's digits
        return std::make_shared<std::vector<double>>(far);
    }();
    kernels.emplace_back(diJiang);
    Oal oal;
    oal.groups = d > 1 ? 2 : 1;
    for (int r = 0; r < d; ++r) oal.label.push_back(r % oal.groups);
    oal.factor = oal.groups == 2 ? std::vector<double>{1.2, .5, .4, .3, -.2, .6} : std::vector<double>{1.2, .5, .4};
    kernels.emplace_back(oal);
    if (std::has_single_bit(static_cast<unsigned>(d))) {
        FastFoodDraw draw = fastFoodDraw(d, seed, 1);
        SpectraFormer spectra;
        spectra.b = std::make_shared<std::vector<double>>(draw.b);
        spectra.g = std::make_shared<std::vector<double>>(draw.g);
        spectra.s = std::make_shared<std::vector<double>>(draw.s);
        spectra.permutation = std::make_shared<std::vector<int>>(draw.permutation);
        kernels.emplace_back(spectra);
        spectra.statistic = SpectraFormer::Statistic::Sequence;
        spectra.scaling = SpectraFormer::Scaling::Single;
        kernels.emplace_back(spectra);
        spectra.statistic = SpectraFormer::Statistic::Calibrated;
        spectra.phi = 2.5;
        kernels.emplace_back(spectra);
    }
    addOtherKernels(headDim, seed, kernels);
    addUnbiased(d, seed, kernels);
    return kernels;
}

std::vector<Index> allRows(Index rows) {
    std::vector<Index> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
}

}  // namespace dimscope::tests
