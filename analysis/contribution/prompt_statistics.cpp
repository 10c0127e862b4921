// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/prompt_statistics.h"

#include <algorithm>
#include <numeric>

#include "analysis/contribution/top_dimensions.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

/// The prompt against the mean of all others.
PromptAgreement agreementOf(const kernels::Matrix<double>& chi, std::size_t row, PromptIndex name, int top) {
    std::vector<std::size_t> others;
    for (std::size_t p = 0; p < static_cast<std::size_t>(chi.rows()); ++p)
        if (p != row) others.push_back(p);
    PromptAgreement agreement{name};
    if (others.empty()) return agreement;
    const std::vector<double> own = meanOfRows(chi, {row}), rest = meanOfRows(chi, others);
    agreement.rho = rankCorrelation(own, rest);
    agreement.topOverlap = overlapOf(topDimensions(own, top), topDimensions(rest, top));
    return agreement;
}

void countReplicates(const kernels::Matrix<double>& chi, const std::vector<std::vector<std::size_t>>& replicates,
                     int top, HeadStability& head, const RunControl& control) {
    head.topFrequency.assign(head.chi.size(), chi.rows() < 2 ? kNaN : 0.0);
    if (chi.rows() < 2 || replicates.empty()) return;
    std::vector<int> wanted = head.top;
    std::sort(wanted.begin(), wanted.end());
    double same = 0.0;
    for (const std::vector<std::size_t>& replicate : replicates) {
        control.throwIfCancelled();
        std::vector<int> found = topDimensions(meanOfRows(chi, replicate), top);
        for (const int r : found) head.topFrequency[static_cast<std::size_t>(r)] += 1.0;
        std::sort(found.begin(), found.end());
        same += found == wanted ? 1.0 : 0.0;
    }
    const auto count = static_cast<double>(replicates.size());
    for (double& frequency : head.topFrequency) frequency /= count;
    head.setFrequency = same / count;
}

/// Rows of a part that a resample has drawn.
std::vector<std::size_t> drawnOf(const std::vector<std::size_t>& part, const std::vector<std::size_t>& drawn) {
    std::vector<std::size_t> rows;
    for (const std::size_t row : drawn)
        if (std::find(part.begin(), part.end(), row) != part.end()) rows.push_back(row);
    return rows;
}

}  // namespace

std::vector<double> meanOfRows(const kernels::Matrix<double>& rows, const std::vector<std::size_t>& chosen) {
    std::vector<double> mean(static_cast<std::size_t>(rows.cols()), chosen.empty() ? kNaN : 0.0);
    for (const std::size_t p : chosen) {
        const double* row = rows.row(static_cast<Index>(p));
        for (std::size_t r = 0; r < mean.size(); ++r) mean[r] += row[r];
    }
    for (double& value : mean) value /= static_cast<double>(chosen.size());
    return mean;
}

void comparePrompts(const PromptContributions& prompts, const std::vector<PromptIndex>& names,
                    const std::vector<std::vector<std::size_t>>& replicates, int top, HeadStability& head,
                    const RunControl& control) {
    head.chiFirst = meanOfRows(prompts.chi, prompts.first);
    head.chiSecond = meanOfRows(prompts.chi, prompts.second);
    if (!prompts.first.empty() && !prompts.second.empty()) {
        head.rho = rankCorrelation(head.chiFirst, head.chiSecond);
        head.topOverlap = overlapOf(topDimensions(head.chiFirst, top), topDimensions(head.chiSecond, top));
    }
    for (std::size_t p = 0; p < names.size(); ++p) head.prompts.push_back(agreementOf(prompts.chi, p, names[p], top));
    countReplicates(prompts.chi, replicates, top, head, control);
}

void addIntervals(const std::vector<PromptContributions>& heads, int top, std::uint64_t seed, LayerStability& layer,
                  const RunControl& control) {
    if (heads.empty()) return;
    const auto units = static_cast<std::size_t>(heads.front().chi.rows());
    // A resample without any prompt of one part says nothing, and NaN is left out of the interval.
    const auto overHeads = [&](const std::vector<std::size_t>& drawn, const auto& compare) {
        control.throwIfCancelled();
        std::vector<double> values;
        for (const PromptContributions& head : heads) {
            const std::vector<std::size_t> first = drawnOf(head.first, drawn), second = drawnOf(head.second, drawn);
            values.push_back(first.empty() || second.empty()
                                 ? kNaN
                                 : compare(meanOfRows(head.chi, first), meanOfRows(head.chi, second)));
        }
        return meanOf(values);
    };
    layer.rhoInterval = bootstrapInterval(
        units, [&](const auto& drawn) { return overHeads(drawn, rankCorrelation); }, seed);
    layer.topOverlapInterval = bootstrapInterval(
        units,
        [&](const auto& drawn) {
            return overHeads(drawn, [top](const std::vector<double>& a, const std::vector<double>& b) {
                return overlapOf(topDimensions(a, top), topDimensions(b, top));
            });
        },
        seed);
}

}  // namespace dimscope::analysis
