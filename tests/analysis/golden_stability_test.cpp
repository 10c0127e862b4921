// SPDX-License-Identifier: GPL-3.0-or-later
// Results that a plain float64 program, written independently, has of the same dumps.
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/contribution/stability.h"
#include "io/dump/attention_dump.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using nlohmann::json;

/// Sums of non-negative terms in another order: no cancellation.
constexpr double kRounding = 1e-12;

struct GoldenCase {
    std::string name, file;
    std::vector<int> layers, prompts;
};

class GoldenStability : public testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenStability, AgreesWithAnIndependentProgram) {
    std::ifstream file(std::string(TEST_DATA_DIR) + "/golden_stability.json");
    const json expected = json::parse(file)[GetParam().name];
    ASSERT_EQ(expected.size(), GetParam().layers.size());
    const auto source = io::openDump(GetParam().file);
    StabilityParams params;
    for (const int layer : GetParam().layers) params.selection.layers.emplace_back(layer);
    for (const int prompt : GetParam().prompts) params.selection.prompts.emplace_back(prompt);
    params.lengths = expected[0]["lengths"].get<std::vector<Index>>();
    params.replicates = 10;
    const StabilityResult result = contributionStability(params, *source, {});
    ASSERT_EQ(result.layers.size(), expected.size());
    for (std::size_t l = 0; l < expected.size(); ++l) {
        const LayerStability& layer = result.layers[l];
        EXPECT_NEAR(layer.rho, expected[l]["rho"].get<double>(), kRounding);
        EXPECT_NEAR(layer.topOverlap, expected[l]["top5_overlap"].get<double>(), kRounding);
        EXPECT_TRUE(near(layer.reselectedShare, expected[l]["top_share"].get<std::vector<double>>(), kRounding));
        for (std::size_t h = 0; h < expected[l]["rho_heads"].size(); ++h) {
            const HeadStability* head = result.find(layer.layer, HeadIndex{static_cast<int>(h)});
            ASSERT_TRUE(head);
            EXPECT_NEAR(head->rho, expected[l]["rho_heads"][h].get<double>(), kRounding) << h;
            EXPECT_NEAR(head->topOverlap, expected[l]["top5_heads"][h].get<double>(), kRounding) << h;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenStability,
                         testing::Values(GoldenCase{"golden_synth_a", TEST_DATA_DIR "/golden_synth_a.h5", {0, 1}, {}},
                                         GoldenCase{"golden_synth_c", TEST_DATA_DIR "/golden_synth_c.h5", {3}, {}},
                                         GoldenCase{"smollm2-sample", SAMPLE_DIR "/smollm2-sample.h5", {15}, {0, 1}}),
                         [](const auto& given) {
                             return given.param.name == "smollm2-sample" ? "sample" : given.param.name;
                         });

}  // namespace
}  // namespace dimscope::tests
