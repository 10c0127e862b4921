// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/intervention/intervention.h"

namespace dimscope::analysis {
namespace {

constexpr double kDisagreement = 0.2;  // between the ways to average a ratio
constexpr double kSmallError = 1e-3;   // of the output's energy: dividing by less than this says little

void addCellWarnings(const RetainedMethod& method, std::vector<Warning>& warnings) {
    for (const RetainedCell& cell : method.retained.cells) {
        const std::string place =
            fmt::format("{} layer {} prompt {}", method.kernel, cell.layer.value, cell.prompt.value);
        if (!(cell.eFull > 0.0))
            warnings.push_back({"undefined-ratio", place, "the full error is 0; the cell has no ratio"});
        else if (cell.eFull < kSmallError * cell.energy)
            warnings.push_back({"small-error", place,
                                fmt::format("the full error is {:.2g} of the output's energy; its ratio says little",
                                            cell.eFull / cell.energy)});
    }
}

/// A kernel that errs by the whole output: its ratios are relative to that.
void addWorseThanZero(const RetainedMethod& method, std::vector<Warning>& warnings) {
    double error = 0.0, energy = 0.0;
    for (const RetainedCell& cell : method.retained.cells) {
        error += cell.eFull;
        energy += cell.energy;
    }
    if (error >= energy && energy > 0.0)
        warnings.push_back({"worse-than-zero", method.kernel,
                            fmt::format("its full error is {:.3g} times the output's energy: answering zero errs less",
                                        error / energy)});
}

}  // namespace

std::vector<Warning> ratioWarnings(const std::vector<RetainedMethod>& methods) {
    std::vector<Warning> warnings;
    for (const RetainedMethod& method : methods) {
        const RetainedRatio& r = method.retained;
        addCellWarnings(method, warnings);
        addWorseThanZero(method, warnings);
        const double least = std::min({r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian});
        const double most = std::max({r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian});
        if (most > (1.0 + kDisagreement) * least)
            warnings.push_back(
                {"averages-disagree", method.kernel,
                 fmt::format("mean {:.3g}, pooled {:.3g}, geometric {:.3g} and head median {:.3g} of the ratio differ "
                             "by more than 20 %",
                             r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian)});
    }
    return warnings;
}

}  // namespace dimscope::analysis
