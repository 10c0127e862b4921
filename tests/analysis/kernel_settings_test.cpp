// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_settings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/kernel_factory.h"
#include "kernels/error.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using kernels::ArgumentError;

LayerInfo layerOfTwoHeads() {
    LayerInfo layer;
    layer.layer = LayerIndex{2};
    layer.nHeads = 2;
    layer.nKvHeads = 1;
    layer.headDim = 4;
    return layer;
}

template <class Spec>
Spec made(const KernelFactory& factory, const std::string& kernel, std::vector<Warning>& warnings) {
    return std::get<Spec>(factory.make(kernel, layerOfTwoHeads(), HeadIndex{1}, 0, warnings));
}

template <class Spec>
Spec madeWith(const std::string& kernel, const std::string& parameter, const std::string& text) {
    KernelSettings settings;
    settings.setText(kernel, parameter, text);
    std::vector<Warning> warnings;
    const Spec spec = made<Spec>(KernelFactory(settings), kernel, warnings);
    EXPECT_TRUE(warnings.empty());
    return spec;
}

std::string refusalOf(const std::string& kernel, const std::string& parameter, const std::string& text) {
    KernelSettings settings;
    try {
        settings.setText(kernel, parameter, text);
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "taken";
}

TEST(KernelSettings, RefusalsNameKernelParameterAndWhatIsAllowed) {
    EXPECT_EQ(refusalOf("power", "p", "9"), "power p: '9' is not a whole number from 1 to 8");
    EXPECT_EQ(refusalOf("power", "p", "2.5"), "power p: '2.5' is not a whole number from 1 to 8");
    EXPECT_EQ(refusalOf("global", "epsilon", "1"), "global epsilon: '1' is not a number from 0 to 0.5");
    EXPECT_EQ(refusalOf("hedgehog", "variant", "small"), "hedgehog variant: 'small' is not one of lolcats, fla");
    EXPECT_EQ(refusalOf("power", "q", "2"), "kernel 'power' has no parameter 'q'");
    for (const char* text : {"", "nan", "inf", "4x", " 4", "four", "1e99"})
        EXPECT_NE(refusalOf("cosformer", "m", text), "taken") << "'" << text << "'";
}

TEST(KernelSettings, TellsWhatIsGivenAndWhatDiffers) {
    KernelSettings settings;
    EXPECT_EQ(settings.value("performer", "features"), 250.0);
    EXPECT_EQ(settings.choice("dijiang", "orientation"), "inverse");
    settings.set("power", "p", 2);
    settings.setText("dijiang", "orientation", "forward");
    EXPECT_EQ(settings.given().size(), 2U);
    ASSERT_EQ(settings.changed().size(), 1U);
    EXPECT_EQ(settingText(settings.changed().front()), "dijiang-orientation = forward");
    settings.clear("dijiang", "orientation");
    settings.clear("power", "p");
    EXPECT_EQ(settings, KernelSettings());
}

TEST(KernelSettings, DefaultsAreInsideTheirRangesAndEveryValueReadsBack) {
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog())
        for (const kernels::KernelParameter& parameter : kernel.parameters)
            for (const double value : {parameter.defaultValue, parameter.least, parameter.most}) {
                KernelSettings settings;
                settings.setText(kernel.name, parameter.name, valueText(parameter, value));
                EXPECT_EQ(settings.value(kernel.name, parameter.name), value) << kernel.name << " " << parameter.name;
            }
}

TEST(KernelSettings, ReachTheKernelsOfTheFactory) {
    using namespace kernels;
    EXPECT_EQ(madeWith<Performer>("performer", "features", "7").projection->rows(), 7);
    EXPECT_EQ(madeWith<Performer>("performer", "shift", "logfeature").shift, Performer::Shift::LogFeature);
    EXPECT_EQ(madeWith<SpectraFormer>("spectraformer", "scaling", "single").scaling, SpectraFormer::Scaling::Single);
    EXPECT_EQ(madeWith<SpectraFormer>("spectraformer", "statistic", "sequence").statistic,
              SpectraFormer::Statistic::Sequence);
    EXPECT_EQ(madeWith<SpectraFormerUnbiased>("spectraformer_unbiased", "statistic", "calibrated").statistic,
              SpectraFormerUnbiased::Statistic::Calibrated);
    EXPECT_EQ(madeWith<DiJiang>("dijiang", "orientation", "forward").orientation, DiJiang::Orientation::Forward);
    EXPECT_EQ(madeWith<TaylorShift>("taylorshift", "tau", "3").tau, 3.0);
    EXPECT_EQ(madeWith<GlobalQuadratic>("global", "epsilon", "0.25").factor[0], std::sqrt(0.75));
    EXPECT_EQ(madeWith<Oal>("oal", "epsilon", "0.25").epsilon, 0.25);
    EXPECT_EQ(madeWith<CosFormer>("cosformer", "m", "100").length, 100.0);
    EXPECT_EQ(madeWith<Rfa>("rfa", "features", "3").projection->rows(), 3);
    EXPECT_EQ(madeWith<Rfa>("rfa", "floor", "1").floor, 1.0);
    EXPECT_EQ(madeWith<Hedgehog>("hedgehog", "variant", "fla").variant, Hedgehog::Variant::Fla);
    EXPECT_EQ(madeWith<Power>("power", "p", "4").exponent, 4);
    EXPECT_EQ(madeWith<PolySketch>("polysketch", "r", "5").s1->cols(), 5);
    EXPECT_EQ(madeWith<Lolcats>("lolcats", "window", "9").window, 9);
    EXPECT_EQ(madeWith<ZerosSm>("zeros_sm", "sigmah", "0.5").sigmah, 0.5);
    EXPECT_EQ(madeWith<LinearZeros>("linear_zeros", "tau", "-2").tau, -2.0);
    EXPECT_EQ(madeWith<RetNet>("retnet", "scale", "2").scale, 2.0);
}

TEST(KernelSettings, WithoutSettingsTheFactoryMakesTheDefaultsOfTheSpecifications) {
    using namespace kernels;
    std::vector<Warning> warnings;
    const KernelFactory factory;
    const auto spectra = made<SpectraFormer>(factory, "spectraformer", warnings), plain = SpectraFormer{};
    EXPECT_EQ(spectra.epsilon, plain.epsilon);
    EXPECT_EQ(spectra.statistic, plain.statistic);
    EXPECT_EQ(spectra.scaling, plain.scaling);
    EXPECT_EQ(made<Performer>(factory, "performer", warnings).shift, Performer{}.shift);
    EXPECT_EQ(made<CosFormer>(factory, "cosformer", warnings).length, CosFormer{}.length);
    EXPECT_EQ(made<Lolcats>(factory, "lolcats", warnings).window, Lolcats{}.window);
    EXPECT_EQ(made<Lolcats>(factory, "lolcats", warnings).sigma, Lolcats{}.sigma);
    EXPECT_EQ(made<Power>(factory, "power", warnings).exponent, Power{}.exponent);
    EXPECT_EQ(made<ZerosSm>(factory, "zeros_sm", warnings).sigma1, ZerosSm{}.sigma1);
    EXPECT_EQ(made<DiJiang>(factory, "dijiang", warnings).orientation, DiJiang{}.orientation);
    EXPECT_EQ(made<Hedgehog>(factory, "hedgehog", warnings).variant, Hedgehog{}.variant);
}

TEST(KernelSettings, TheFileWinsWithOneWarningAndASettingFillsWhatItLeavesOpen) {
    auto set = std::make_shared<kernels::ParameterSet>();
    set->name = "params.h5";
    set->layers[LayerIndex{2}]["lolcats"].attributes["window"] = 5.0;
    set->layers[LayerIndex{2}]["performer"].arrays["w"] = {{1, 2, 3, 4}, std::vector<double>(24, 1.0)};
    KernelSettings settings;
    settings.set("lolcats", "window", 9);
    settings.set("lolcats", "sigma", 0.5);
    settings.set("performer", "features", 8);
    settings.set("performer", "epsilon", 1e-4);
    const KernelFactory factory(settings, set);
    std::vector<Warning> warnings;
    for (int repeat = 0; repeat < 2; ++repeat) {
        EXPECT_EQ(made<kernels::Lolcats>(factory, "lolcats", warnings).window, 5);
        EXPECT_EQ(made<kernels::Lolcats>(factory, "lolcats", warnings).sigma, 0.5);
    }
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0], (Warning{"setting-overridden", "layer 2 lolcats",
                                    "lolcats-window = 9 is not used: params.h5 holds its own"}));
    EXPECT_EQ(made<kernels::Performer>(factory, "performer", warnings).projection->rows(), 3);
    EXPECT_EQ(made<kernels::Performer>(factory, "performer", warnings).epsilon, 1e-4);
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[1].text, "performer-features = 8 is not used: params.h5 holds its own");
}

TEST(KernelSettings, ACalibratedConstantThatNobodyGivesIsMissing) {
    auto set = std::make_shared<kernels::ParameterSet>();
    auto& group = set->layers[LayerIndex{2}]["spectraformer"];
    for (const char* name : {"b", "g", "s", "perm"}) group.arrays[name] = {{1, 4}, {0.0, 1.0, 2.0, 3.0}};
    group.attributes["statistic"] = std::string("calibrated");
    std::vector<Warning> warnings;
    EXPECT_THROW(made<kernels::SpectraFormer>(KernelFactory({}, set), "spectraformer", warnings), kernels::ShapeError);
    KernelSettings settings;
    settings.set("spectraformer", "phi", 2.5);
    EXPECT_EQ(made<kernels::SpectraFormer>(KernelFactory(settings, set), "spectraformer", warnings).phi, 2.5);
}

TEST(KernelSettings, ProvenanceListsWhatDiffersAndAKernelThatDoesNotRunIsAWarning) {
    KernelSettings settings;
    settings.set("power", "p", 4);
    settings.set("lolcats", "window", 64);
    settings.set("rfa", "floor", 1);
    Provenance provenance;
    std::vector<Warning> warnings;
    noteSettings(settings, {"power", "lolcats"}, provenance, warnings);
    ASSERT_EQ(provenance.parameters.size(), 1U);
    EXPECT_EQ(provenance.parameters[0].first, "kernel_settings");
    EXPECT_EQ(std::get<std::vector<std::string>>(provenance.parameters[0].second),
              (std::vector<std::string>{"power-p = 4"}));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].place, "rfa");
}

}  // namespace
}  // namespace dimscope::tests
