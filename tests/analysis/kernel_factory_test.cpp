// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_factory.h"

#include <gtest/gtest.h>

#include "kernels/error.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

LayerInfo smallLayer() {
    LayerInfo layer;
    layer.layer = LayerIndex{2};
    layer.nHeads = 2;
    layer.nKvHeads = 1;
    layer.headDim = 4;
    return layer;
}

std::shared_ptr<kernels::ParameterSet> fileWith(const std::string& kernel, const std::string& array,
                                                std::vector<Index> shape) {
    auto set = std::make_shared<kernels::ParameterSet>();
    set->name = "params.h5";
    Index size = 1;
    for (const Index n : shape) size *= n;
    std::vector<double> values;
    for (Index n = 0; n < size; ++n) values.push_back(static_cast<double>(n));
    set->layers[LayerIndex{2}][kernel].arrays[array] = {std::move(shape), std::move(values)};
    return set;
}

TEST(KernelFactory, PicksSeedAndHeadFromTheFile) {
    std::vector<Warning> warnings;
    const KernelFactory factory({}, fileWith("performer", "w", {3, 2, 5, 4}));
    const auto spec = std::get<kernels::Performer>(factory.make("performer", smallLayer(), HeadIndex{1}, 2, warnings));
    EXPECT_EQ(spec.projection->rows(), 5);
    EXPECT_EQ((*spec.projection)(0, 0), (2 * 2 + 1) * 20.0);
    EXPECT_TRUE(warnings.empty());
    EXPECT_THROW(factory.make("performer", smallLayer(), HeadIndex{1}, 3, warnings), kernels::ShapeError);
}

TEST(KernelFactory, RefusesAWrongShapeAndNamesIt) {
    std::vector<Warning> warnings;
    try {
        KernelFactory({}, fileWith("taylorshift", "tau", {3}))
            .make("taylorshift", smallLayer(), HeadIndex{0}, 0, warnings);
        FAIL() << "a wrong shape was taken";
    } catch (const kernels::ShapeError& error) {
        EXPECT_STREQ(error.what(), "params.h5: /layers/02/taylorshift/tau has shape [3], expected [2] (-1: any)");
    }
}

TEST(KernelFactory, MissingParametersFallBackWithOneWarning) {
    std::vector<Warning> warnings;
    const KernelFactory factory({}, fileWith("taylorshift", "tau", {2}));
    for (const int head : {0, 1}) factory.make("global", smallLayer(), HeadIndex{head}, 0, warnings);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "default-parameters");
    EXPECT_EQ(factory.origin("global", LayerIndex{2}), "start");
    EXPECT_EQ(factory.origin("taylorshift", LayerIndex{2}), "file");
    EXPECT_EQ(factory.origin("taylor", LayerIndex{2}), "none");
}

TEST(KernelFactory, SameSeedSameDrawEveryHeadItsOwn) {
    std::vector<Warning> warnings;
    const KernelFactory factory;
    const auto draw = [&](int head, int seed) {
        return std::get<kernels::Performer>(factory.make("performer", smallLayer(), HeadIndex{head}, seed, warnings))
            .projection->values();
    };
    EXPECT_EQ(draw(0, 0), draw(0, 0));
    EXPECT_NE(draw(0, 0), draw(1, 0));
    EXPECT_NE(draw(0, 0), draw(0, 1));
}

TEST(KernelFactory, OalUsesTheGroupsItIsGiven) {
    std::vector<Warning> warnings;
    KernelFactory factory;
    factory.setGroups(LayerIndex{2}, HeadIndex{1}, {0, 0, 1, 2});
    EXPECT_EQ(std::get<kernels::Oal>(factory.make("oal", smallLayer(), HeadIndex{1}, 0, warnings)).groups, 3);
    EXPECT_EQ(std::get<kernels::Oal>(factory.make("oal", smallLayer(), HeadIndex{0}, 0, warnings)).groups, 1);
}

TEST(KernelFactory, KernelsBeyondThePapersReadTheirGroups) {
    std::vector<Warning> warnings;
    const auto make = [&](const std::string& kernel, const auto& set) {
        return KernelFactory({}, set).make(kernel, smallLayer(), HeadIndex{1}, 1, warnings);
    };
    const auto rfa = std::get<kernels::Rfa>(make("rfa", fileWith("rfa", "w", {3, 2, 5, 4})));
    EXPECT_EQ((*rfa.projection)(0, 1), (1 * 2 + 1) * 20.0 + 1.0);
    EXPECT_EQ(rfa.floor, 0.0);
    const auto keyOnly = std::get<kernels::Hedgehog>(make("hedgehog", fileWith("hedgehog", "w_k", {2, 4, 4})));
    EXPECT_EQ(keyOnly.query, nullptr);
    EXPECT_EQ((*keyOnly.key)(3, 3), 31.0);
    EXPECT_EQ((*std::get<kernels::ReBased>(make("rebased", fileWith("rebased", "beta", {2, 4}))).beta)[0], 4.0);
    EXPECT_EQ(std::get<kernels::RetNet>(make("retnet", fileWith("retnet", "scale", {2}))).scale, 1.0);
    auto power = fileWith("power", "nothing", {1});
    power->layers[LayerIndex{2}]["power"].attributes["p"] = 4.0;
    EXPECT_EQ(std::get<kernels::Power>(make("power", power)).exponent, 4);
    power->layers[LayerIndex{2}]["power"].attributes["p"] = 2.5;
    EXPECT_THROW(make("power", power), kernels::ShapeError);
    EXPECT_THROW(make("polysketch", fileWith("polysketch", "s1", {1, 2, 4, 3})), kernels::ShapeError);
    EXPECT_TRUE(warnings.empty());
}

TEST(KernelFactory, ZerosReadTheirGates) {
    std::vector<Warning> warnings;
    auto set = fileWith("zeros", "sigma1", {2});
    set->layers[LayerIndex{2}]["zeros"].arrays["sigmah"] = {{2}, {0.25, 0.5}};
    const KernelFactory factory({}, set);
    const auto spec = std::get<kernels::ZerosSm>(factory.make("zeros_sm", smallLayer(), HeadIndex{1}, 0, warnings));
    EXPECT_EQ(spec.sigma1, 1.0);
    EXPECT_EQ(spec.sigmah, 0.5);
    EXPECT_EQ(spec.sigma0, 0.0);
    EXPECT_EQ(factory.origin("zeros_sm", LayerIndex{2}), "file");
    EXPECT_TRUE(warnings.empty());
    EXPECT_THROW(KernelFactory({}, fileWith("linear_zeros", "sigma1", {2}))
                     .make("linear_zeros", smallLayer(), HeadIndex{1}, 0, warnings),
                 kernels::ShapeError);
}

TEST(KernelFactory, TheUnbiasedEstimatorSharesTheDrawAndRefusesAConstantPerPosition) {
    std::vector<Warning> warnings;
    const KernelFactory factory;
    const auto upstream =
        std::get<kernels::SpectraFormer>(factory.make("spectraformer", smallLayer(), HeadIndex{0}, 3, warnings));
    const auto unbiased = std::get<kernels::SpectraFormerUnbiased>(
        factory.make("spectraformer_unbiased", smallLayer(), HeadIndex{0}, 3, warnings));
    EXPECT_EQ(*upstream.g, *unbiased.g);
    auto set = fileWith("spectraformer_unbiased", "b", {1, 4});
    auto& group = set->layers[LayerIndex{2}]["spectraformer_unbiased"];
    for (const char* name : {"g", "s", "perm"}) group.arrays[name] = group.arrays["b"];
    const auto make = [&] {
        return KernelFactory({}, set).make("spectraformer_unbiased", smallLayer(), HeadIndex{1}, 0, warnings);
    };
    EXPECT_EQ(std::get<kernels::SpectraFormerUnbiased>(make()).permutation->back(), 3);
    group.attributes["statistic"] = std::string("position");
    EXPECT_THROW(make(), kernels::ShapeError);
}

TEST(KernelFactory, RetNetDecaysByHeadNumberAndDrawsAreKeyedByHead) {
    std::vector<Warning> warnings;
    const KernelFactory factory;
    const auto make = [&](const char* kernel, int head) {
        return factory.make(kernel, smallLayer(), HeadIndex{head}, 0, warnings);
    };
    EXPECT_EQ(std::get<kernels::RetNet>(make("retnet", 0)).decay, 1.0 - 1.0 / 32.0);
    EXPECT_EQ(std::get<kernels::RetNet>(make("retnet", 1)).decay, 1.0 - 1.0 / 64.0);
    const auto sketch = [&](int head) { return std::get<kernels::PolySketch>(make("polysketch", head)).s2->values(); };
    EXPECT_EQ(sketch(0), sketch(0));
    EXPECT_NE(sketch(0), sketch(1));
    EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace dimscope::tests
