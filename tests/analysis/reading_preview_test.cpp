// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/reading_preview.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/analysis/made_dump.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

ReadingPreview previewed(HeadSource& source, const RunControl& control = {}) {
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    return previewReading(source, *backend, control);
}

TEST(ReadingPreview, ShowsAHeadInTheMiddle) {
    MadeDump dump;
    MadeDump::Tensor& q = dump.at(TensorKind::Query, 2);
    for (Index n = 0; n < q.rows(); ++n)
        for (Index d = 0; d < q.cols(); ++d) q(n, d) = static_cast<double>((n * q.cols() + d) % 3 - 1) * 0.5;
    q(1, 2) = -7.0;
    const ReadingPreview preview = previewed(dump);
    EXPECT_EQ(preview.head, HeadIndex{2});
    EXPECT_EQ(preview.layer.layer, LayerIndex{4});
    EXPECT_EQ(preview.numbers, MadeDump::kPositions * MadeDump::kDim);
    EXPECT_EQ(preview.nonFinite, 0);
    EXPECT_EQ(preview.median, 0.5);  // two thirds of the numbers are +-0.5, the others 0
    EXPECT_EQ(preview.largest, 7.0);
    ASSERT_EQ(preview.firstQuery.rows(), 3);
    ASSERT_EQ(preview.firstQuery.cols(), 4);
    EXPECT_EQ(preview.firstQuery(0, 0), -0.5);
    EXPECT_EQ(preview.firstQuery(1, 2), -7.0);
    ASSERT_EQ(preview.profile.heads.size(), 1U);
    double mean = 0.0;
    for (Index n = 0; n < q.rows(); ++n) mean += std::abs(q(n, 2)) / static_cast<double>(q.rows());
    EXPECT_NEAR(preview.profile.heads.front().qMeanAbs[2], mean, 1e-6);  // float tensors on the cpu backend
    EXPECT_TRUE(concernsAbout(preview).empty());
    EXPECT_TRUE(std::isnan(preview.residual));  // no o was made
    EXPECT_TRUE(outputText(preview).empty());
}

TEST(ReadingPreview, NumbersUnlikeAttentionAreNamed) {
    MadeDump dump;
    MadeDump::Tensor& q = dump.at(TensorKind::Query, 2);
    q(0, 0) = std::numeric_limits<double>::quiet_NaN();
    q(0, 1) = std::numeric_limits<double>::infinity();
    q(0, 2) = 1e20;
    const ReadingPreview preview = previewed(dump);
    EXPECT_EQ(preview.nonFinite, 2);
    EXPECT_EQ(preview.largest, 1e20);
    const std::vector<std::string> concerns = concernsAbout(preview);
    ASSERT_EQ(concerns.size(), 2U);
    EXPECT_NE(concerns[0].find("2 of 1024 numbers"), std::string::npos) << concerns[0];
    EXPECT_NE(concerns[1].find("times the median"), std::string::npos) << concerns[1];
}

TEST(ReadingPreview, TheOutputTellsTheRightReading) {
    MadeDump right, wrong, silent;
    right.makeOutput({});
    wrong.makeOutput({});
    MadeDump::Tensor& k = wrong.at(TensorKind::Key, 1);
    for (Index n = 0; n < k.rows() / 2; ++n)  // as if positions were in another order
        for (Index d = 0; d < k.cols(); ++d) std::swap(k(n, d), k(k.rows() - 1 - n, d));
    const ReadingPreview fits = previewed(right), fails = previewed(wrong), says = previewed(silent);
    EXPECT_LE(fits.residual, 1e-6);  // double precision, o kept as it was made
    EXPECT_GT(fails.residual, 0.1);
    EXPECT_NE(outputText(fits).find("o follows"), std::string::npos);
    EXPECT_NE(outputText(fails).find("does not follow"), std::string::npos);

    EXPECT_EQ(likeliestReading({fails, fits}), std::optional<std::size_t>(1));
    EXPECT_EQ(likeliestReading({fits, std::nullopt}), std::optional<std::size_t>(0));
    EXPECT_FALSE(likeliestReading({fits, fits}));    // both do
    EXPECT_FALSE(likeliestReading({fails, fails}));  // none does
    EXPECT_FALSE(likeliestReading({fits, says}));    // one does not tell
    EXPECT_FALSE(likeliestReading({}));
}

TEST(ReadingPreview, StopsWhenItIsAsked) {
    MadeDump dump;
    dump.makeOutput({});
    RunControl control;
    control.cancel();
    EXPECT_THROW(previewed(dump, control), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
