// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

using Strings = std::vector<std::string>;
using Dims = std::vector<int>;

// Without the markup of variables.
std::string plain(const std::string& text) { return std::regex_replace(text, std::regex("</?(i|sub)>"), ""); }

Strings texts(const std::vector<Finding>& findings) {
    Strings list;
    for (const Finding& finding : findings) {
        list.push_back(plain(finding.text));
        EXPECT_EQ(list.back().find('<'), std::string::npos) << finding.text;
        // At most one pair of brackets, and something to point at behind it.
        const auto open = std::count(finding.text.begin(), finding.text.end(), '[');
        EXPECT_LE(open, 1) << finding.text;
        EXPECT_EQ(open, std::count(finding.text.begin(), finding.text.end(), ']')) << finding.text;
        EXPECT_TRUE(open == 0 || !finding.dimensions.empty() || !finding.kernels.empty()) << finding.text;
    }
    EXPECT_LE(findings.size(), 5U);
    return list;
}

// Partners r and r + 4. 1 is large in k, 5 in q; chi sums to 40, shares 0.30 and 0.45.
//                              q    k    chi
const std::vector<Dim> kTable{{1.0, 1.0, 1.0},  {1.0, 8.0, 12.0}, {1.0, 1.0, 2.0}, {1.0, 1.0, 1.5},
                              {1.0, 1.0, 1.25}, {9.0, 1.0, 18.0}, {1.0, 1.0, 3.0}, {1.0, 1.0, 1.25}};

TEST(ProfileFindings, SayWhatTheNumbersSay) {
    const HeadProfile head = makeHead(kTable);
    const HeadGrouping weak = makeGrouping(head, {{5, 0.5}});
    const auto findings = profileFindings(head, makeLayer(8), &weak);
    // sum of squared shares: (1 + 144 + 4 + 2.25 + 1.5625 + 324 + 9 + 1.5625) / 1600 = 1 / 3.28
    EXPECT_EQ(texts(findings), (Strings{"Dims [5, 1] carry 75 % of the contribution.", "They are [one RoPE pair]: 1–5.",
                                        "k is large in [1], q in 5.", "The [cut] is weak: ρ = 4.00, support 50 %.",
                                        "χ spreads like [3.28 equal] dimensions of 8."}));
    EXPECT_EQ(findings[0].dimensions, (Dims{5, 1}));
    EXPECT_EQ(findings[3].dimensions, (Dims{6, 1}));
    EXPECT_EQ(findings[4].dimensions, (Dims{5, 1, 6}));
}

TEST(ProfileFindings, ChangeWithTheNumbers) {
    std::vector<Dim> table = kTable;
    const auto second = [&](const LayerInfo& layer) {
        const HeadProfile head = makeHead(table);
        const HeadGrouping grouping = makeGrouping(head, {{5, 0.97, true}});
        return texts(profileFindings(head, layer, &grouping));
    };
    EXPECT_EQ(second(makeLayer(8))[3], "The [cut] is clear: ρ = 4.00, support 97 %.");
    EXPECT_EQ(second(makeLayer(8, "interleaved"))[1], "[None] of them are RoPE partners.") << "0–1, 4–5";
    EXPECT_EQ(second(makeLayer(8, "none"))[1], "k is large in [1], q in 5.") << "no rotation, no pairs";
    table[1].q = table[5].k = 7.0;
    EXPECT_EQ(second(makeLayer(8))[2], "q and k are both large in [1 and 5].");
    table[1].k = table[5].k = 1.0;
    EXPECT_EQ(second(makeLayer(8))[2], "q is large in [1 and 5], k in none of them.");
    table[1].q = table[5].q = 1.0;
    EXPECT_EQ(second(makeLayer(8))[2], "The [cut] is clear: ρ = 4.00, support 97 %.") << "neither is large";
}

TEST(ProfileFindings, SpeakOfOneDimension) {
    const HeadProfile head = makeHead(kTable);
    const HeadGrouping one = makeGrouping(head, {{6, 0.95, true}});
    const Strings said = texts(profileFindings(head, makeLayer(8), &one));
    EXPECT_EQ(said[0], "Dim [5] alone carries 45 % of the contribution.");
    EXPECT_EQ(said[1], "q is large in [5], k is not.");
}

TEST(ProfileFindings, PairsAmongOthers) {
    std::vector<Dim> table = kTable;
    table[2].chi = 13.0;  // now 5 2 1 are apart, 2 without its partner 6
    const HeadProfile head = makeHead(table);
    const HeadGrouping grouping = makeGrouping(head, {{4, 0.5}});
    const auto findings = profileFindings(head, makeLayer(8), &grouping);
    EXPECT_EQ(findings[1].text, "Among them [one RoPE pair]: 1–5.");
    EXPECT_EQ(findings[1].dimensions, (Dims{5, 1}));
}

TEST(ProfileFindings, CancelledContributionIsTold) {
    std::vector<Dim> table = kTable;
    table[1].chiEffective = table[5].chiEffective = 0.5;  // 1 of 11 instead of 30 of 40
    const HeadProfile head = makeHead(table);
    const HeadGrouping grouping = makeGrouping(head, {{5, 0.5}});
    const Strings said = texts(profileFindings(head, makeLayer(8), &grouping));
    EXPECT_EQ(said[4], "In effective χ [they carry] only 9.1 %.");
}

TEST(ProfileFindings, WithoutOutliers) {
    const HeadProfile head = makeHead(std::vector<Dim>(8, Dim{1.0, 1.0, 1.0}));
    const HeadGrouping none = makeGrouping(head, {});
    EXPECT_EQ(texts(profileFindings(head, makeLayer(8), &none))[0],
              "No dimension stands apart: [7, 6, 5, 4, 3] carry 62 %.");
    EXPECT_EQ(texts(profileFindings(head, makeLayer(8), nullptr))[0],
              "Dims [7, 6, 5, 4, 3] carry 62 % of the contribution.");
    EXPECT_EQ(texts(profileFindings(makeUnusable(8), makeLayer(8), nullptr)),
              Strings{"12 values of q or k are NaN or infinite: this head has no profile."});
    EXPECT_EQ(texts(profileFindings(makeHead({{1, 1, 0}, {1, 1, 0}}), makeLayer(2), nullptr)),
              Strings{"χ is zero in every dimension."});
    EXPECT_EQ(texts(profileFindings(makeHead({{1, 1, 2}}), makeLayer(1), nullptr)),
              Strings{"Dim [0] alone carries 100 % of the contribution."});
}

TEST(GroupingFindings, TellNaturalFromAddedCuts) {
    const HeadProfile head = makeHead(kTable);
    const Strings natural = texts(groupingFindings(makeGrouping(head, {{5, 0.97, true}}), {}));
    EXPECT_EQ(natural, (Strings{"[2 outlier dims] in one group above a bulk of 6.",
                                "[They carry] 75 % of χ, 3.00 times an equal part.",
                                "1 [natural cut]: ρ = 4.00, support 97 %."}));
    const Strings added = texts(groupingFindings(makeGrouping(head, {{5, 0.5}}), {}));
    EXPECT_EQ(added[2], "No cut reaches both ρ ≥ 1.50 and support ≥ 90 %.");
    EXPECT_EQ(added[3], "The [cut] below 1 is added for 2 groups, support 50 %.");
    HeadGrouping missed = makeGrouping(head, {{5, 0.97, true}});
    missed.support[6] = 0.42;  // between 1 and 5: 18 / 12
    EXPECT_EQ(texts(groupingFindings(missed, {}))[3], "Next: the [cut] below 5, ρ = 1.50, support 42 %.");
}

TEST(GroupingFindings, OddHeads) {
    EXPECT_EQ(texts(groupingFindings(makeGrouping(makeHead({{1, 1, 1}}), {}), {})),
              Strings{"All dimensions are one group."});
    HeadGrouping marked = makeGrouping(makeHead(kTable), {});
    marked.usable = false;
    EXPECT_EQ(texts(groupingFindings(marked, {})).size(), 1U);
}

Strings kernelTexts(const ComparisonResult& result) {
    return texts(kernelFindings(result, LayerIndex{15}, HeadIndex{4}));
}

TEST(KernelFindings, SayWhatTheNumbersSay) {
    const ComparisonResult result = makeComparison(
        {{"oal", {0.857}}, {"performer", {0.594}}, {"taylor", {1.08}}, {"dijiang", {1.2}}, {"first_value", {0.606}}});
    EXPECT_EQ(kernelTexts(result),
              (Strings{"[Performer] is nearest: RelMSE 0.594.", "Copying the [first value] already reaches 0.606.",
                       "[2 of 4] kernels are worse than answering zero."}));
    EXPECT_EQ(kernelFindings(result, LayerIndex{15}, HeadIndex{4})[2].kernels, (Strings{"taylor", "dijiang"}));
}

TEST(KernelFindings, ChangeWithTheNumbers) {
    EXPECT_EQ(kernelTexts(makeComparison({{"oal", {0.857}}, {"performer", {0.9}}, {"first_value", {0.5}}}))[1],
              "No kernel beats copying the [first value]: 0.500.");
    EXPECT_EQ(kernelTexts(makeComparison({{"oal", {1.2}}, {"performer", {0.9}}, {"first_value", {1.1}}}))[1],
              "[1 of 2] kernels is worse than answering zero.")
        << "nothing is won by 1.1";
    EXPECT_EQ(kernelTexts(makeComparison({{"oal", {0.2}}, {"performer", {0.3}}, {"first_value", {0.9}}})),
              Strings{"[OAL] is nearest: RelMSE 0.200."});
    EXPECT_EQ(kernelTexts(makeComparison({{"oal", {1.2}}, {"performer", {1.3}}}))[1],
              "[All 2] kernels are worse than answering zero.");
    EXPECT_EQ(kernelTexts(makeComparison({{"oal", {0.2}, 3}}))[1], "[OAL] has no finite output in 3 rows.");
    EXPECT_EQ(kernelTexts(makeComparison({{"performer", {0.5, 0.8}}}))[1],
              "[Performer] varies: 0.500 to 0.800 in 2 draws.");
    EXPECT_EQ(kernelTexts(makeComparison({{"zero", {1.0}}})), Strings{});
}

TEST(KernelFindings, SayWhatTheExactKeysDoAlone) {
    ComparisonResult result =
        makeComparison({{"oal", {0.02}}, {"performer", {0.04}}, {"zero", {0.05}}, {"uniform", {0.03}}});
    result.evaluation.exactFirst = 4;
    result.evaluation.exactWindow = 64;
    EXPECT_EQ(kernelTexts(result),
              (Strings{"[OAL] is nearest: RelMSE 0.0200.", "First 4 and latest 64 keys exact, no rest: 0.0500.",
                       "[1 of 2] kernels is worse than a uniform rest: 0.0300."}));
    result.evaluation = {.exactFirst = 0, .exactWindow = 1, .centreKeys = true, .train = {}};
    for (KernelError& error : result.heads)
        if (error.kernel == "zero") error.relMse = 0.01;
    EXPECT_EQ(kernelTexts(result), (Strings{"[OAL] is nearest with centred keys: RelMSE 0.0200.",
                                            "Latest key exact, no rest: 0.0100.", "No kernel beats no rest: 0.0100."}));
    for (KernelError& error : result.heads) error.relMse = 0.0;
    EXPECT_EQ(kernelTexts(result), Strings{"The exact keys are all keys: nothing is left to the kernels."});
}

TEST(KernelFindings, KernelsThatDoTheSame) {
    const ComparisonResult result = makeComparison(
        {{"oal", {0.8}}, {"performer", {0.5}}, {"taylor", {0.8}}, {"global", {0.8}}, {"dijiang", {0.81}}});
    const auto findings = kernelFindings(result, LayerIndex{15}, HeadIndex{4});
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[1].text, "[OAL, Taylor and Global] err alike: 0.800.");
    EXPECT_EQ(findings[1].kernels, (Strings{"oal", "taylor", "global"}));
}

TEST(KernelFindings, BehindTheProjection) {
    ComparisonResult result = makeComparison({{"oal", {0.8}}, {"performer", {0.9}}});
    PooledError oal{LayerIndex{15}, "oal", 0.1, 0.867, 0.1, 0.992},
        performer{LayerIndex{15}, "performer", 0.1, 1.12, 0.1, 1.2};
    result.pooled = {performer, oal};
    EXPECT_EQ(kernelTexts(result)[1], "Behind Wo [OAL] falls back: layer 0.867 → 0.992.");
    result.pooled[1].relMseAfterWo = 0.87;
    EXPECT_EQ(kernelTexts(result).size(), 1U) << "no kernel loses a tenth";
}

TEST(KernelFindings, MissedSink) {
    using FloatMatrix = kernels::Matrix<float>;
    ComparisonResult result = makeComparison({{"oal", {0.8}}});
    result.weights = {{"softmax", std::make_shared<FloatMatrix>(2, 2, std::vector<float>{0.5F, 0.5F, 0.75F, 0.25F})},
                      {"oal", std::make_shared<FloatMatrix>(2, 2, std::vector<float>{0.125F, 0.875F, 0.125F, 0.875F})}};
    EXPECT_EQ(kernelTexts(result)[1], "[OAL] puts 12 % on the sink (key 0), exact is 62 %.");
    result.heads.front().head = HeadIndex{0};  // the rows belong to another head
    EXPECT_TRUE(kernelTexts(result).empty());
}

}  // namespace
}  // namespace dimscope::analysis::test
