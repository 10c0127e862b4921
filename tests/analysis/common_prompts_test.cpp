// SPDX-License-Identifier: GPL-3.0-or-later
// Layers that lack a prompt: one rule for every experiment that takes several layers.
#include "analysis/common_prompts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/calibration/calibration.h"
#include "analysis/contribution/layer_magnitudes.h"
#include "analysis/contribution/stability.h"
#include "analysis/fidelity/fidelity.h"
#include "analysis/head_profile.h"
#include "analysis/intervention/intervention.h"
#include "analysis/kernel_comparison.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

/// Layer 7 lacks prompt 1, and reading it there fails.
class HoleySource : public MemorySource {
public:
    explicit HoleySource(std::vector<int> missing = {1}) : MemorySource({}) {
        editInfo().layers[1].missingPrompts = std::move(missing);
    }
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override {
        const std::vector<int>& missing = info().find(layer)->missingPrompts;
        if (std::find(missing.begin(), missing.end(), prompt.value) != missing.end())
            throw kernels::FormatError({"memory.h5", "/layers/07", "lacks the prompt", "leave it out"});
        return MemorySource::load(kind, layer, prompt, head, control);
    }
};

const std::vector<PromptIndex> kCommon{PromptIndex{0}, PromptIndex{2}};

int warningsIn(const std::vector<Warning>& warnings) {
    return static_cast<int>(std::count_if(warnings.begin(), warnings.end(), [](const Warning& warning) {
        return warning.code == "prompts_not_in_all_layers" && warning.text.find("1 prompt(s)") != std::string::npos &&
               warning.text.find("the first: 1") != std::string::npos;
    }));
}

template <class Result>
void expectCommonPrompts(const Result& result) {
    EXPECT_EQ(result.prompts, kCommon);
    EXPECT_EQ(warningsIn(result.warnings), 1);
}

TEST(CommonPrompts, AreThoseOfTheSelectedLayers) {
    HoleySource source;
    EXPECT_EQ(selectedPrompts({}, CommonPrompts(source, {}).info()), kCommon);
    Selection whole;
    whole.layers = {LayerIndex{3}};
    const CommonPrompts unchanged(source, whole);
    EXPECT_EQ(selectedPrompts(whole, unchanged.info()).size(), 3U);
    EXPECT_TRUE(unchanged.info().warnings.empty());
    HoleySource nothing({0, 1, 2});
    EXPECT_THROW(CommonPrompts(nothing, {}), kernels::ArgumentError);
    Selection lacking;
    lacking.prompts = {PromptIndex{1}};
    EXPECT_THROW(static_cast<void>(selectedPrompts(lacking, CommonPrompts(source, {}).info())), kernels::ArgumentError);
}

TEST(CommonPrompts, EveryExperimentTakesThem) {
    HoleySource source;
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    const KernelFactory factory;

    ComparisonParams comparison;
    comparison.kernels = {"elu"};
    expectCommonPrompts(compareKernels(comparison, factory, source, *backend, {}));

    FidelityParams fidelity;
    fidelity.kernels = {"elu"};
    expectCommonPrompts(frozenFidelity(fidelity, factory, source, *backend, {}));

    EXPECT_EQ(layerMagnitudes({}, source, *backend, {}).prompts, kCommon);
    EXPECT_EQ(contributionStability({}, source, {}).prompts, kCommon);

    InterventionParams intervention;
    intervention.kernels = {"taylorshift"};
    expectCommonPrompts(intervene(intervention, factory, source, *backend, {}));

    CalibrationParams calibration;
    calibration.kernels = {"taylorshift"};
    calibration.rows = 4;
    EXPECT_EQ(warningsIn(calibrateKernels(calibration, factory, source, {}).warnings), 1);
}

TEST(CommonPrompts, AProfileTakesEachLayerWithThePromptsItHas) {
    HoleySource source;
    const ProfileResult profile = profileHeads({}, source, *kernels::makeBackend("cpu"), {});
    EXPECT_EQ(profile.find(LayerIndex{3}, HeadIndex{0})->chiPrompts.rows(), 3);
    EXPECT_EQ(profile.find(LayerIndex{7}, HeadIndex{0})->chiPrompts.rows(), 2);
}

}  // namespace
}  // namespace dimscope::tests
