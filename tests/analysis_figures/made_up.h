// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/grouping.h"
#include "analysis/head_profile.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::analysis::test {

// Small results written as tables, so that a test shows what goes in beside what must come out.

struct Dim {
    double q, k, chi;          // mean |q|, mean |k|, contribution
    double chiEffective = -1;  // negative: as chi
};

/// A head whose prompts differ from the table by the given factors (their mean should be 1).
HeadProfile makeHead(const std::vector<Dim>& dims, const std::vector<double>& promptFactors = {1.0}, int layer = 15,
                     int head = 4);
/// The same head, marked: all numbers NaN.
HeadProfile makeUnusable(int headDim, int layer = 15, int head = 4);
ProfileResult makeResult(std::vector<HeadProfile> heads);
LayerInfo makeLayer(int headDim, const std::string& ropeLayout = "half", int layer = 15, int nHeads = 9);

struct Cut {
    int at;  // zero-based left rank
    double support;
    bool natural = false;
};
/// Candidates are the tail's from ceil((1 - alpha) d) on; ratios follow from chi; `cuts` are the chosen ones.
HeadGrouping makeGrouping(const HeadProfile& head, const std::vector<Cut>& cuts, double alpha = 0.5);

struct Error {
    std::string kernel;
    std::vector<double> seeds;  // RelMSE of each draw; the head's is their mean
    Index badRows = 0;
};
/// Two prompts of four rows at positions 3 10 20 30; the exact energy is 2 in every row.
ComparisonResult makeComparison(const std::vector<Error>& errors);

}  // namespace dimscope::analysis::test
