// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps with fewer queries than keys: the same head as with all queries, at the rows that have one.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/doctor/doctor.h"
#include "analysis/head_profile.h"
#include "analysis/kernel_comparison.h"
#include "analysis/orders/softmax_orders.h"
#include "analysis/row_sampling.h"
#include "io/dump/attention_dump.h"
#include "io/dump/dump_repack.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

std::filesystem::path alignmentFile(const std::string& name) {
    return std::filesystem::path(TEST_DATA_DIR) / "layouts" / name;
}

// fewer_queries.h5: q and o of positions 5..11 of 12; fewer_queries_start.h5: of 0..6, which its attribute says.
constexpr Index kFirst = 5;

std::shared_ptr<HeadSource> openAligned(const std::string& align, const std::string& file = "fewer_queries.h5") {
    io::ReadingDecisions decisions;
    decisions.attributes.emplace("align", align);
    return io::openDump(alignmentFile(file), decisions);
}

ComparisonResult compared(HeadSource& source, const std::vector<Index>& rows, const std::string& backend) {
    ComparisonParams params;
    params.kernels = {"taylorshift", "linear_zeros", "elu", "uniform"};
    params.positions = {rows, rows};
    return compareKernels(params, KernelFactory(), source, *kernels::makeBackend(backend), {});
}

TEST(QueryAlignment, RefusedWithoutADecisionNamesIt) {
    try {
        static_cast<void>(io::openDump(alignmentFile("fewer_queries.h5")));
        FAIL() << "it was opened";
    } catch (const kernels::FormatError& error) {
        EXPECT_NE(error.parts().cause.find("has 12 positions, q has 7"), std::string::npos) << error.what();
        EXPECT_NE(error.parts().advice.find("--align end"), std::string::npos) << error.what();
    }
    EXPECT_THROW(static_cast<void>(openAligned("middle")), kernels::FormatError);
}

TEST(QueryAlignment, RowsStandAtTheirPositions) {
    const auto source = openAligned("end");
    for (const LayerInfo& layer : source->info().layers) {
        EXPECT_EQ(layer.positions, 12);
        EXPECT_EQ(layer.queries, (kernels::PositionRange{kFirst, 12}));
        EXPECT_FALSE(layer.hasEveryQuery());
    }
    const auto whole = io::openDump(alignmentFile("names_long.h5"));
    for (const TensorKind kind : {TensorKind::Query, TensorKind::Output}) {
        const auto part = loadTensor(*source, kind, 4, 1, 3), all = loadTensor(*whole, kind, 4, 1, 3);
        const auto &a = std::get<kernels::Matrix<float>>(part), &b = std::get<kernels::Matrix<float>>(all);
        ASSERT_EQ(a.rows(), 12);
        for (Index i = 0; i < 12; ++i)
            for (Index c = 0; c < 8; ++c) EXPECT_EQ(a(i, c), i < kFirst ? 0.0F : b(i, c)) << i << " " << c;
    }
    EXPECT_TRUE(hasWarning(source->info(), "keys alone"));
    EXPECT_EQ(io::openDump(alignmentFile("fewer_queries_start.h5"))->info().queries(), (kernels::PositionRange{0, 7}));
}

TEST(QueryAlignment, OutputsAreThoseOfTheSameRowsWithAllQueries) {
    const auto part = openAligned("end");
    const auto whole = io::openDump(alignmentFile("names_long.h5"));
    for (const char* backend : {"cpu", "reference"}) {
        const ComparisonResult a = compared(*part, {5, 8, 11}, backend), b = compared(*whole, {5, 8, 11}, backend);
        ASSERT_EQ(a.heads.size(), b.heads.size());
        ASSERT_FALSE(a.heads.empty());
        for (std::size_t n = 0; n < a.heads.size(); ++n) {
            EXPECT_EQ(a.heads[n].relMse, b.heads[n].relMse) << backend << " " << a.heads[n].kernel;
            EXPECT_TRUE(std::isfinite(a.heads[n].relMse)) << a.heads[n].kernel;
            EXPECT_EQ(a.heads[n].badRows, 0) << a.heads[n].kernel;
        }
    }
}

TEST(QueryAlignment, RowsAreDrawnFromQueries) {
    const auto source = openAligned("end");
    std::vector<Warning> warnings;
    const auto rows = sampleRows({PromptIndex{0}, PromptIndex{1}}, *source, 12, 0, 1, warnings);
    EXPECT_EQ(rows.front(), (std::vector<Index>{5, 6, 7, 8, 9, 10, 11}));
    const auto few = sampleRows({PromptIndex{0}}, *source, 12, 3, 9, warnings);
    ASSERT_EQ(few.front().size(), 3U);
    EXPECT_GE(few.front().front(), kFirst);
    EXPECT_THROW(static_cast<void>(compared(*source, {4}, "cpu")), kernels::ArgumentError);
    Selection tooShort;
    tooShort.length = kFirst;
    EXPECT_THROW(static_cast<void>(selectedLength(tooShort, source->info().layers.front())), kernels::ArgumentError);
}

/// Section 6 of the kernel mathematics, pair by pair: only pairs that have a query count.
std::vector<double> contributionsByPairs(HeadSource& source, int head, Index first, Index end) {
    std::vector<double> chi(8, 0.0);
    for (int p = 0; p < 2; ++p) {
        const auto q = std::get<kernels::Matrix<float>>(loadTensor(source, TensorKind::Query, 4, p, head));
        const auto k = std::get<kernels::Matrix<float>>(loadTensor(source, TensorKind::Key, 4, p, head / 2));
        double pairs = 0.0;
        std::vector<double> sum(8, 0.0);
        for (Index i = first; i < end; ++i)
            for (Index j = 0; j <= i; ++j) {
                pairs += 1.0;
                for (Index r = 0; r < 8; ++r)
                    sum[static_cast<std::size_t>(r)] +=
                        std::abs(static_cast<double>(q(i, r)) * static_cast<double>(k(j, r)));
            }
        for (std::size_t r = 0; r < 8; ++r) chi[r] += sum[r] / pairs / std::sqrt(8.0) / 2.0;
    }
    return chi;
}

TEST(QueryAlignment, ProfilesCountRealQueries) {
    const auto whole = io::openDump(alignmentFile("names_long.h5"));
    for (const auto& [file, align, first, end] : {std::tuple{"fewer_queries.h5", "end", Index{5}, Index{12}},
                                                  std::tuple{"fewer_queries_start.h5", "start", Index{0}, Index{7}}}) {
        const auto source = openAligned(align, file);
        for (const char* backend : {"cpu", "reference"}) {
            const ProfileResult result = profileHeads({}, *source, *kernels::makeBackend(backend), {});
            const HeadProfile& head = *result.find(LayerIndex{4}, HeadIndex{3});
            const std::vector<double> expected = contributionsByPairs(*whole, 3, first, end);
            for (std::size_t r = 0; r < 8; ++r)  // sums of doubles in another order
                EXPECT_NEAR(head.chi[r], expected[r], 1e-12 * expected[r]) << backend << " " << align;
            const auto q = std::get<kernels::Matrix<float>>(loadTensor(*whole, TensorKind::Query, 4, 0, 3));
            const auto k = std::get<kernels::Matrix<float>>(loadTensor(*whole, TensorKind::Key, 4, 0, 1));
            double queries = 0.0, keys = 0.0;
            for (Index i = 0; i < 12; ++i) {
                keys += std::abs(static_cast<double>(k(i, 2))) / 12.0;
                if (i >= first && i < end) queries += std::abs(static_cast<double>(q(i, 2))) / 7.0;
            }
            EXPECT_NEAR(head.qMeanAbsPrompts(0, 2), queries, 1e-12 * queries);
            EXPECT_NEAR(head.kMeanAbsPrompts(0, 2), keys, 1e-12 * keys);
        }
    }
}

TEST(QueryAlignment, WhatNeedsEveryQuerySaysSo) {
    const auto source = openAligned("end");
    ComparisonParams params;
    params.kernels = {"spectraformer"};
    const auto backend = kernels::makeBackend("cpu");
    EXPECT_THROW(static_cast<void>(compareKernels(params, KernelFactory(), *source, *backend, {})), kernels::Error);
    params.kernels = {"spectraformer", "taylorshift"};
    const ComparisonResult others = compareKernels(params, KernelFactory(), *source, *backend, {}, true);
    EXPECT_EQ(others.kernels, std::vector<std::string>{"taylorshift"});
}

TEST(QueryAlignment, OrdersAndDoctorLookAtRealQueries) {
    const auto source = openAligned("end");
    OrdersParams orders;
    orders.rows = 0;
    for (const HeadOrders& head : softmaxOrders(orders, *source, {}).heads) EXPECT_EQ(head.rows, 2 * 7);
    const auto whole = io::openDump(alignmentFile("names_long.h5"));
    const auto backend = kernels::makeBackend("cpu");
    const DoctorResult a = examineDump({}, *source, *backend, {}), b = examineDump({}, *whole, *backend, {});
    ASSERT_EQ(a.checks.size(), b.checks.size());
    for (std::size_t n = 0; n < a.checks.size(); ++n)
        if (a.checks[n].name == "dead heads" || a.checks[n].name == "NaN and Inf") {
            EXPECT_EQ(a.checks[n].status, b.checks[n].status) << a.checks[n].detail;
        }
}

TEST(QueryAlignment, RepackedItReadsTheSameAndNeedsNoDecision) {
    const auto source = openAligned("end");
    const TemporaryFolder folder;
    static_cast<void>(io::repackDump(folder / "repacked.h5", *source, {}));
    const auto again = io::openDump(folder / "repacked.h5");
    EXPECT_EQ(again->info().queries(), source->info().queries());
    for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Output})
        EXPECT_EQ(std::get<kernels::Matrix<float>>(loadTensor(*again, kind, 12, 1, 1)).values(),
                  std::get<kernels::Matrix<float>>(loadTensor(*source, kind, 12, 1, 1)).values());
}

}  // namespace
}  // namespace dimscope::tests
