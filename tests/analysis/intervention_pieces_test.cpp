// SPDX-License-Identifier: GPL-3.0-or-later
// A run in pieces gives what a run in one go gives.
#include <gtest/gtest.h>

#include "analysis/calibration/calibration.h"
#include "analysis/intervention/intervention.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/memory_pieces.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

/// Everything that goes by pieces: controls, ranks, dose and sweep.
InterventionParams wholeIntervention() {
    InterventionParams params;
    params.kernels = {"taylor", "performer"};
    params.rows = 4;
    params.subset.kind = SubsetChoice::Kind::Top;
    params.subset.top = 2;
    params.rungs = {ControlRung::Gaussian, ControlRung::Shuffle};
    params.draws = 2;
    params.subsets = true;
    params.replicates = 120;
    params.dose = true;
    params.doseDraws = 3;
    params.sweep = true;
    params.grouping.replicates = 20;
    return params;
}

InterventionResult ranInPieces(const InterventionParams& params, HeadSource& source, PieceStore* store = nullptr,
                               const RunControl& control = {},
                               std::function<void(const InterventionResult&)> seen = {}) {
    return intervene(params, KernelFactory{}, source, *kernels::makeBackend("cpu"), control, {store, std::move(seen)});
}

void expectSame(const InterventionResult& a, const InterventionResult& b) {
    ASSERT_TRUE(a.complete && b.complete);
    EXPECT_EQ(a.warnings, b.warnings);
    ASSERT_EQ(a.methods.size(), b.methods.size());
    for (std::size_t k = 0; k < a.methods.size(); ++k) {
        EXPECT_EQ(a.methods[k].retained.ratio, b.methods[k].retained.ratio);
        EXPECT_EQ(a.methods[k].retained.eComplement, b.methods[k].retained.eComplement);
        ASSERT_EQ(a.subsetControls[k].ratios.size(), 120U);
        EXPECT_EQ(a.subsetControls[k].ratios, b.subsetControls[k].ratios);
        for (std::size_t c = 0; c < a.controls.size(); ++c)
            for (std::size_t d = 0; d < 2; ++d) {
                EXPECT_EQ(a.controls[c].draws[d].selected, b.controls[c].draws[d].selected);
                EXPECT_EQ(a.controls[c].draws[d].own[k].retained.ratio, b.controls[c].draws[d].own[k].retained.ratio);
                EXPECT_EQ(a.controls[c].draws[d].sameSize[k].retained.ratioHeadMedian,
                          b.controls[c].draws[d].sameSize[k].retained.ratioHeadMedian);
            }
    }
    ASSERT_EQ(a.ranks.size(), b.ranks.size());
    for (std::size_t n = 0; n < a.ranks.size(); ++n) {
        EXPECT_EQ(a.ranks[n].rank, b.ranks[n].rank);
        EXPECT_EQ(a.ranks[n].q, b.ranks[n].q);
    }
    ASSERT_EQ(a.dose.size(), b.dose.size());
    for (std::size_t n = 0; n < a.dose.size(); ++n) {
        EXPECT_EQ(a.dose[n].ratio, b.dose[n].ratio);
        EXPECT_EQ(a.dose[n].varianceShare, b.dose[n].varianceShare);
    }
    ASSERT_EQ(a.sweep.size(), b.sweep.size());
    for (std::size_t n = 0; n < a.sweep.size(); ++n) EXPECT_EQ(a.sweep[n].ratio, b.sweep[n].ratio);
}

TEST(InterventionPieces, AStoppedRunContinuesToTheSameResult) {
    MemorySource source({});
    const InterventionResult whole = ranInPieces(wholeIntervention(), source);
    MemoryPieces counted;
    ranInPieces(wholeIntervention(), source, &counted);
    MemoryPieces store;
    for (std::size_t stop = 1; stop < counted.kept; stop += counted.kept / 7) {
        MemoryPieces stopped;
        stopped.pieces = store.pieces;
        stopped.cancelAfter = stop > store.pieces.size() ? stop - store.pieces.size() : 1;
        EXPECT_THROW(ranInPieces(wholeIntervention(), source, &stopped, stopped.control), kernels::Cancelled) << stop;
        EXPECT_GE(stopped.kept, stopped.cancelAfter);
        EXPECT_LE(stopped.kept, stopped.cancelAfter + 2) << "a draw that was just finished, and its layer";
        store.pieces = stopped.pieces;
    }
    expectSame(ranInPieces(wholeIntervention(), source, &store), whole);
    EXPECT_EQ(store.pieces, counted.pieces);
}

TEST(InterventionPieces, ShardsTogetherGiveOneRunAndNothingIsComputedTwice) {
    MemorySource source({});
    const InterventionResult whole = ranInPieces(wholeIntervention(), source);
    MemoryPieces all(1, 0);
    std::size_t computed = 0, shared = 0, least = SIZE_MAX, most = 0;
    for (std::size_t shard = 1; shard <= 3; ++shard) {
        MemoryPieces own(shard, 3);
        EXPECT_FALSE(ranInPieces(wholeIntervention(), source, &own).complete);
        for (const auto& [key, piece] : own.pieces) {
            const auto [entry, isNew] = all.pieces.emplace(key, piece);
            EXPECT_TRUE(isNew || key == "profile") << key;
            EXPECT_EQ(entry->second, piece) << key;
            shared += isNew ? 0 : 1;
        }
        computed += own.kept;
        least = std::min(least, own.kept);
        most = std::max(most, own.kept);
    }
    EXPECT_EQ(computed, all.pieces.size() + shared);
    EXPECT_LT(most, 2 * least) << "dealt out evenly";
    const int loads = source.loads();
    expectSame(ranInPieces(wholeIntervention(), source, &all), whole);
    EXPECT_EQ(source.loads(), loads) << "a merge reads no tensor";
    all.pieces.erase(all.pieces.find("own/L03/P1/H2"));
    EXPECT_FALSE(ranInPieces(wholeIntervention(), source, &all).complete);
}

TEST(InterventionPieces, APieceOfAnotherRunIsRefused) {
    MemorySource source({});
    InterventionParams params = wholeIntervention();
    MemoryPieces store;
    ranInPieces(params, source, &store);
    for (auto& [key, piece] : store.pieces)
        if (key.starts_with("subsets/0001")) piece.numbers.pop_back();
    EXPECT_THROW(ranInPieces(params, source, &store), kernels::ShapeError);
}

TEST(InterventionPieces, WhatIsThereIsSeenWhileTheRestIsComputed) {
    MemorySource source({3, 24, 16, 6, true});  // enough subsets for new ones in every step
    InterventionParams params = wholeIntervention();
    params.rungs = {ControlRung::Gaussian};
    params.draws = 1;
    params.dose = params.sweep = false;
    std::vector<InterventionResult> seen;
    const auto look = [&seen](const InterventionResult& soFar) { seen.push_back(soFar); };
    MemoryPieces counted;
    const InterventionResult whole = ranInPieces(params, source, &counted, {}, look);
    ASSERT_GE(seen.size(), 5U);  // own errors, the Gaussian control, three steps of at most fifty replicates
    EXPECT_TRUE(seen[0].controls.empty());
    EXPECT_EQ(seen[0].methods[0].retained.ratio, whole.methods[0].retained.ratio);
    EXPECT_EQ(seen[1].controls.size(), 1U);
    EXPECT_TRUE(seen[1].subsetControls.empty());
    ASSERT_EQ(seen[2].subsetControls.size(), 2U);
    const SubsetControl& early = seen[2].subsetControls[1];
    const std::vector<double>& all = whole.subsetControls[1].ratios;
    EXPECT_EQ(early.ratios.size(), 50U);
    EXPECT_EQ(early.wanted, 120U);
    EXPECT_TRUE(std::equal(early.ratios.begin(), early.ratios.end(), all.begin()));
    const auto atLeast = std::count_if(all.begin(), all.begin() + 50,
                                       [&](double ratio) { return ratio >= whole.methods[1].retained.ratio; });
    EXPECT_EQ(early.p, static_cast<double>(1 + atLeast) / 51.0);
    for (const InterventionResult& soFar : seen) {
        EXPECT_TRUE(soFar.running);
        EXPECT_EQ(soFar.selected, whole.selected);
        EXPECT_FALSE(soFar.provenance.parameters.empty());
    }
    EXPECT_FALSE(whole.running);
    EXPECT_EQ(whole.subsetControls[1].wanted, 120U);
    seen.clear();
    MemoryPieces shard(1, 2);
    ranInPieces(params, source, &shard, {}, look);
    EXPECT_TRUE(seen.empty()) << "a shard has nothing to show";
}

CalibrationParams smallCalibration() {
    CalibrationParams params;
    params.kernels = {"taylorshift", "global", "oal", "dijiang", "zeros_sm", "linear_zeros", "retnet"};
    params.rows = 12;
    params.threads = 2;
    return params;
}

void expectSameFits(const CalibrationResult& a, const CalibrationResult& b, HeadSource& source) {
    ASSERT_EQ(a.fits.size(), b.fits.size());
    for (std::size_t n = 0; n < a.fits.size(); ++n) {
        EXPECT_EQ(a.fits[n].kernel, b.fits[n].kernel);
        EXPECT_EQ(a.fits[n].validationMse, b.fits[n].validationMse);
        EXPECT_EQ(a.fits[n].updates, b.fits[n].updates);
    }
    const KernelFactory factory;
    const auto first = calibratedParameters(a, factory, source.info());
    const auto second = calibratedParameters(b, factory, source.info());
    for (const auto& [layer, groups] : first.layers)
        for (const auto& [name, group] : groups)
            for (const auto& [array, content] : group.arrays)
                EXPECT_EQ(content.values, second.layers.at(layer).at(name).arrays.at(array).values)
                    << name << "/" << array;
}

TEST(CalibrationPieces, HeadsOfShardsAreThoseOfOneRun) {
    MemorySource source({});
    const KernelFactory factory;
    const CalibrationParams params = smallCalibration();
    const CalibrationResult whole = calibrateKernels(params, factory, source, {});
    MemoryPieces all(1, 0);
    for (std::size_t shard = 1; shard <= 2; ++shard) {
        MemoryPieces own(shard, 2);
        EXPECT_FALSE(calibrateKernels(params, factory, source, {}, &own).complete);
        EXPECT_EQ(own.pieces.size(), 4U);  // of eight heads
        all.pieces.merge(own.pieces);
    }
    expectSameFits(calibrateKernels(params, factory, source, {}, &all), whole, source);
}

TEST(CalibrationPieces, MapsOfFeaturesComeBack) {
    MemorySource source({});
    CalibrationParams params = smallCalibration();
    params.selection.layers = {LayerIndex{3}};
    params.kernels = {"spectraformer", "hedgehog"};
    params.method = FitMethod::Adam;
    params.starts = 1;
    MemoryPieces store;
    const CalibrationResult fitted = calibrateKernels(params, KernelFactory{}, source, {}, &store);
    expectSameFits(calibrateKernels(params, KernelFactory{}, source, {}, &store), fitted, source);
    EXPECT_EQ(store.kept, store.pieces.size());
}

}  // namespace
}  // namespace dimscope::tests
