// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison in pieces gives what one in one go gives.
#include "analysis/fidelity/fidelity_pieces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/fidelity/fidelity.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/memory_pieces.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

FidelityResult fidelityInPieces(const FidelityParams& params, HeadSource& source, PieceStore* store = nullptr,
                                const RunControl& control = {}) {
    return frozenFidelity(params, KernelFactory(), source, *kernels::makeBackend("cpu"), control, false, store);
}

/// Sampled rows and several draws: every number of a cell is used.
FidelityParams sampledFidelity() {
    FidelityParams params;
    params.kernels = {"taylor", "rfa"};
    params.rows = 7;
    params.seeds = {0, 1};
    params.seed = 3;
    params.weightRows = 4;
    return params;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expectSameMean(const std::optional<MeanError>& a, const std::optional<MeanError>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) return;
    EXPECT_TRUE(same(a->mse, b->mse)) << a->mse << " and " << b->mse;
    EXPECT_TRUE(same(a->relMse, b->relMse)) << a->relMse << " and " << b->relMse;
}

void expectSamePooled(const PooledFidelity& a, const PooledFidelity& b) {
    expectSameMean(a.error, b.error);
    EXPECT_EQ(a.interval, b.interval);
    EXPECT_TRUE(same(a.sequenceError, b.sequenceError)) << a.sequenceError << " and " << b.sequenceError;
    EXPECT_TRUE(same(a.rowError, b.rowError)) << a.rowError << " and " << b.rowError;
    EXPECT_TRUE(same(a.headMedian, b.headMedian));
}

void expectSameWeights(const WeightFidelity& a, const WeightFidelity& b) {
    EXPECT_TRUE(same(a.divergence, b.divergence) && same(a.totalVariation, b.totalVariation));
    EXPECT_TRUE(same(a.undefinedShare, b.undefinedShare) && same(a.topAgreement, b.topAgreement));
    EXPECT_EQ(a.rows, b.rows);
}

void expectSameFidelity(const FidelityResult& a, const FidelityResult& b) {
    ASSERT_TRUE(a.complete && b.complete);
    EXPECT_EQ(a.warnings, b.warnings) << "in the same order";
    ASSERT_EQ(a.methods.size(), b.methods.size());
    for (std::size_t m = 0; m < a.methods.size(); ++m) {
        EXPECT_EQ(a.methods[m].method, b.methods[m].method);
        expectSamePooled(a.methods[m].before, b.methods[m].before);
        ASSERT_EQ(a.methods[m].after.has_value(), b.methods[m].after.has_value());
        if (a.methods[m].after) expectSamePooled(*a.methods[m].after, *b.methods[m].after);
        expectSameWeights(a.methods[m].weights, b.methods[m].weights);
        EXPECT_EQ(a.methods[m].badRows, b.methods[m].badRows);
    }
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (std::size_t n = 0; n < a.layers.size(); ++n) {
        expectSameMean(a.layers[n].before, b.layers[n].before);
        expectSameMean(a.layers[n].after, b.layers[n].after);
        EXPECT_TRUE(same(a.layers[n].cross, b.layers[n].cross));
    }
    ASSERT_EQ(a.heads.size(), b.heads.size());
    for (std::size_t h = 0; h < a.heads.size(); ++h) {
        expectSameMean(a.heads[h].before, b.heads[h].before);
        expectSameMean(a.heads[h].after, b.heads[h].after);
        EXPECT_TRUE(same(a.heads[h].fvu, b.heads[h].fvu) && same(a.heads[h].cosine, b.heads[h].cosine));
        expectSameWeights(a.heads[h].weights, b.heads[h].weights);
    }
}

TEST(FidelityPieces, ShardsTogetherGiveOneRunAndAMergeComputesNothing) {
    MemorySource source({});
    source.poison(3, 1);
    for (const int rows : {7, 0}) {
        FidelityParams params = sampledFidelity();
        params.rows = rows;
        const FidelityResult whole = fidelityInPieces(params, source);
        EXPECT_EQ(whole.methods.front().after.has_value(), false) << "a head of layer 3 is not finite";
        EXPECT_TRUE(std::isfinite(whole.methods.front().before.error.relMse));
        MemoryPieces all(1, 0);
        for (std::size_t shard = 1; shard <= 2; ++shard) {
            MemoryPieces own(shard, 2);
            const FidelityResult part = fidelityInPieces(params, source, &own);
            EXPECT_FALSE(part.complete);
            EXPECT_TRUE(part.methods.empty() && part.heads.empty());
            EXPECT_EQ(own.kept, 3U + 2U);  // of six cells, and both layers
            for (const auto& [key, piece] : own.pieces) {
                const auto [entry, isNew] = all.pieces.emplace(key, piece);
                EXPECT_TRUE(isNew || key.starts_with("layer/")) << key;
                EXPECT_EQ(entry->second, piece) << key;
            }
        }
        EXPECT_EQ(all.pieces.size(), 6U + 2U);
        const int loads = source.loads();
        expectSameFidelity(fidelityInPieces(params, source, &all), whole);
        EXPECT_EQ(source.loads(), loads) << "a merge reads no tensor";
        all.pieces.erase(all.pieces.find("cell/L07/P1"));
        EXPECT_FALSE(fidelityInPieces(params, source, &all).complete);
    }
}

TEST(FidelityPieces, GatesOfAnExactPartAreTheSameInEveryShard) {
    MemorySource source({.positions = 60});
    FidelityParams params = sampledFidelity();
    params.selection.prompts = {PromptIndex{0}, PromptIndex{1}};
    params.evaluation = {.exactFirst = 1, .exactWindow = 3, .centreKeys = true, .train = {PromptIndex{2}}};
    const FidelityResult whole = fidelityInPieces(params, source);
    ASSERT_TRUE(whole.methods.front().after) << "all heads are finite";
    MemoryPieces all(1, 0);
    for (std::size_t shard = 1; shard <= 2; ++shard) {
        MemoryPieces own(shard, 2);
        fidelityInPieces(params, source, &own);
        for (const auto& [key, piece] : own.pieces) EXPECT_EQ(all.pieces.emplace(key, piece).first->second, piece);
    }
    expectSameFidelity(fidelityInPieces(params, source, &all), whole);
}

TEST(FidelityPieces, AStoppedRunContinuesToTheSameResult) {
    MemorySource source({});
    const FidelityParams params = sampledFidelity();
    const FidelityResult whole = fidelityInPieces(params, source);
    MemoryPieces stopped;
    stopped.cancelAfter = 3;  // a layer and two of its three cells
    EXPECT_THROW(fidelityInPieces(params, source, &stopped, stopped.control), kernels::Cancelled);
    EXPECT_EQ(stopped.kept, 3U);
    MemoryPieces rest;
    rest.pieces = stopped.pieces;
    expectSameFidelity(fidelityInPieces(params, source, &rest), whole);
    EXPECT_EQ(rest.kept, 8U - 3U);
}

TEST(FidelityPieces, APieceOfAnotherRunIsRefused) {
    MemorySource source({});
    const FidelityParams params = sampledFidelity();
    MemoryPieces store;
    fidelityInPieces(params, source, &store);
    for (const char* key : {"cell/L03/P1", "layer/L07"})
        for (const bool longer : {false, true}) {
            MemoryPieces spoilt;
            spoilt.pieces = store.pieces;
            std::vector<double>& numbers = spoilt.pieces.at(key).numbers;
            longer ? numbers.push_back(1.0) : numbers.pop_back();
            EXPECT_THROW(fidelityInPieces(params, source, &spoilt), kernels::ShapeError) << key;
        }
    MemoryPieces sizes;
    sizes.pieces = store.pieces;
    for (double& number : sizes.pieces.at("cell/L03/P1").numbers) number = std::nan("");
    EXPECT_THROW(fidelityInPieces(params, source, &sizes), kernels::ShapeError);
}

TEST(FidelityPieces, SumsThatMethodsShareAreKeptOnce) {
    FidelityCell cell;
    cell.hasAfter = true;
    cell.usable = {1, 0};
    cell.methods.resize(3);
    cell.methods[1].joint = {1.0, 2.0, 3.0};  // the layer has not this method
    cell.warnings = {{"nonfinite", "layer 3 head 1", "values"}};
    for (const std::size_t m : {0U, 2U}) {
        cell.methods[m].heads.resize(2);
        cell.methods[m].heads[0].outputSum.assign(1000, 0.25);
        cell.methods[m].heads[0].weights.divergence = static_cast<double>(m);
        cell.methods[m].rowError = cell.methods[m].rowEnergy = {1.0, static_cast<double>(m)};
    }
    const Piece piece = cellPiece(cell);
    EXPECT_LT(piece.numbers.size(), 1200U);
    FidelityCell read;
    read.usable = {1, 1};
    read.methods.resize(3);
    for (const std::size_t m : {0U, 2U}) read.methods[m].heads.resize(2);
    takeCell(piece, read);
    EXPECT_EQ(cellPiece(read), piece);
    EXPECT_EQ(read.usable, cell.usable);
    EXPECT_TRUE(read.hasAfter);
    EXPECT_EQ(read.methods[2].heads[0].outputSum, cell.methods[2].heads[0].outputSum);
    EXPECT_TRUE(read.methods[2].heads[1].outputSum.empty());
    EXPECT_EQ(read.methods[2].heads[0].weights.divergence, 2.0);
    EXPECT_EQ(read.methods[2].rowEnergy, cell.methods[2].rowEnergy);
    EXPECT_EQ(read.methods[1].joint.values, 3.0);
}

}  // namespace
}  // namespace dimscope::tests
