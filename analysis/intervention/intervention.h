// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/control_source.h"
#include "analysis/intervention/subset_control.h"

namespace dimscope::analysis {

struct InterventionParams {
    Selection selection;                   ///< layers, heads, length and the prompts that are evaluated
    std::vector<PromptIndex> calibration;  ///< prompts that S comes from; empty: split calibration, train, else all
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
    bool subsets = false;            ///< random-subset control
    SubsetPool pool = SubsetPool::Bulk;
    int replicates = 1000;
};

/// One draw of a rung: S from the control's own grouping, and as many dimensions per head as the dump's S has.
struct ControlDraw {
    Index selected = 0;  ///< dimensions in S over all heads, by the control's own grouping
    std::vector<RetainedMethod> own, sameSize;
};
struct ControlOutcome {
    ControlRung rung;
    std::vector<ControlDraw> draws;
};

struct InterventionResult {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;
    HeadSubsets subsets;                 ///< S of every head
    Index selected = 0, dimensions = 0;  ///< over all heads
    std::string origin;                  ///< where S comes from: "grouping", "labels of F.h5", "top", "share", "listed"
    std::vector<RetainedMethod> methods;
    std::vector<RetainedHead> heads;
    std::vector<ControlOutcome> controls;
    std::vector<SubsetControl> subsetControls;  ///< empty unless asked for
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// The retained-error experiment of section 7 with its controls. Throws ArgumentError, ShapeError (a kernel without a
/// restriction), FormatError, Cancelled.
InterventionResult intervene(const InterventionParams& params, const KernelFactory& factory, HeadSource& source,
                             kernels::Backend& backend, const RunControl& control);

/// Retained error per kernel: pretrained and every control.
Table interventionTable(const InterventionResult& result);
/// One row per kernel, layer and sequence.
Table interventionCellsTable(const InterventionResult& result);

}  // namespace dimscope::analysis
