// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "io/dump/attention_dump.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

constexpr int kHiddenPositions = 6, kModelDim = 5;

std::shared_ptr<const HiddenState> hiddenOf(HeadSource& source, int layer, int prompt) {
    return source.hiddenState(LayerIndex{layer}, PromptIndex{prompt}, {});
}

TEST(HiddenState, EveryPositionOfEveryPrompt) {
    const auto source = io::openDump(dataFile("hidden_state"));
    for (int p = 0; p < 2; ++p) {
        const auto state = hiddenOf(*source, 4, p);
        ASSERT_TRUE(state && state->positions);
        EXPECT_TRUE(state->meanAbs.empty());
        const auto& h = std::get<kernels::Matrix<float>>(state->positions->values);
        ASSERT_EQ(h.rows(), kHiddenPositions);
        ASSERT_EQ(h.cols(), kModelDim);
        for (kernels::Index n = 0; n < kHiddenPositions; ++n)
            for (kernels::Index d = 0; d < kModelDim; ++d)
                EXPECT_EQ(h(n, d), 2.0 * storedValue(7, p, 0, n, d)) << p << " " << n << " " << d;
    }
}

TEST(HiddenState, SummariesOfEveryPrompt) {
    const auto source = io::openDump(dataFile("hidden_state"));
    for (int p = 0; p < 2; ++p) {
        const auto both = hiddenOf(*source, 5, p), one = hiddenOf(*source, 6, p);
        ASSERT_TRUE(both && one);
        EXPECT_FALSE(both->positions || one->positions);
        EXPECT_TRUE(one->meanAbs.empty());
        ASSERT_EQ(both->meanAbs.size(), std::size_t{kModelDim});
        ASSERT_EQ(one->maxAbs.size(), std::size_t{kModelDim});
        for (std::size_t d = 0; d < kModelDim; ++d) {
            EXPECT_EQ(both->meanAbs[d], storedValue(8, p, 0, 0, static_cast<kernels::Index>(d)));
            EXPECT_EQ(one->maxAbs[d], storedValue(9, p, 0, 0, static_cast<kernels::Index>(d)));
        }
    }
}

TEST(HiddenState, OneThatDoesNotFitIsLeftOutWithAWarning) {
    const auto source = io::openDump(dataFile("hidden_state"));
    EXPECT_EQ(hiddenOf(*source, 7, 0), nullptr);
    EXPECT_TRUE(hasWarning(source->info(), "[2, 7, 5]"));
    EXPECT_EQ(hiddenOf(*io::openDump(dataFile("float32")), 4, 0), nullptr);
    EXPECT_THROW(hiddenOf(*source, 4, 2), kernels::FormatError);
}

}  // namespace
}  // namespace dimscope::tests
