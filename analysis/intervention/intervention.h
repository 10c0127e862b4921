// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/dose_curve.h"
#include "analysis/intervention/gaussian_controls.h"
#include "analysis/intervention/head_ranks.h"
#include "analysis/intervention/selection_sweep.h"
#include "analysis/intervention/subset_control.h"

namespace dimscope::analysis {

struct InterventionParams {
    Selection selection;                   ///< layers, heads, length and the prompts that are evaluated
    std::vector<PromptIndex> calibration;  ///< prompts that S comes from; empty: split calibration, train, else all
    bool crossFit = false;                 ///< S for a prompt comes from the other calibration prompts
    std::vector<std::string> kernels;
    int rows = 32;                              ///< per prompt; 0: all
    std::vector<std::vector<Index>> positions;  ///< [P][R] instead of sampling
    std::vector<int> seeds{0};
    std::uint64_t seed = 0;  ///< of rows, controls and intervals
    SubsetChoice subset;     ///< where no parameter file with OAL labels is given
    GroupingParams grouping;
    bool complement = true;
    std::vector<ControlRung> rungs;  ///< Gaussian controls
    int draws = 1;                   ///< of every rung
    bool subsets = false;            ///< random-subset control; draws of a parameter file win over replicates
    SubsetPool pool = SubsetPool::Bulk;
    int replicates = 1000;
    int rankLimit = 2500;  ///< most subsets of |S_h| dimensions that a head is ranked among exactly
    bool dose = false;
    int doseDraws = 30;  ///< random orders of the dose curve
    bool sweep = false;
};

struct InterventionResult {
    bool complete = true;  ///< false: a shard; nothing below but the provenance is there
    bool running = false;  ///< what a run has so far: some of what was asked for is not there yet
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;
    HeadSubsets subsets;                 ///< S of every head; cross-fitted: of the first prompt's fold
    std::vector<HeadSubsets> folds;      ///< S of every prompt where it is cross-fitted, else empty
    Index selected = 0, dimensions = 0;  ///< over all heads; selected: mean over the folds, rounded
    std::string origin;                  ///< where S comes from: "grouping", "labels of F.h5", "top", "share", "listed"
    std::vector<RetainedMethod> methods;
    std::vector<RetainedHead> heads;
    std::vector<ControlOutcome> controls;
    std::vector<SubsetControl> subsetControls;  ///< empty unless asked for
    std::vector<HeadRank> ranks;                ///< in the order of heads; empty without the subset control
    std::vector<DosePoint> dose;
    std::vector<SweepPoint> sweep;
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// What a run shares with others: pieces of an earlier run or of other shards, and who looks at what it has so far:
/// after the kernels' own errors, each control, and every few random subsets.
struct InterventionLinks {
    PieceStore* store = nullptr;
    std::function<void(const InterventionResult&)> seen = {};
};

/// The retained-error experiment of section 7 with its controls. Throws ArgumentError, ShapeError (a kernel without a
/// restriction), FormatError, Cancelled.
InterventionResult intervene(const InterventionParams& params, const KernelFactory& factory, HeadSource& source,
                             kernels::Backend& backend, const RunControl& control, const InterventionLinks& links = {});

/// What the ratios say less about than they seem to: cells without error, averages that disagree, kernels worse than
/// answering zero.
std::vector<Warning> ratioWarnings(const std::vector<RetainedMethod>& methods);

/// Retained error per kernel: pretrained and every control.
Table interventionTable(const InterventionResult& result);
/// One row per kernel, layer and sequence.
Table interventionCellsTable(const InterventionResult& result);
/// One row per kernel and head: errors, rank, p and q.
Table interventionHeadsTable(const InterventionResult& result);
/// One row per kernel against its random subsets.
Table subsetControlTable(const InterventionResult& result);
Table doseTable(const InterventionResult& result);
Table sweepTable(const InterventionResult& result);

}  // namespace dimscope::analysis
