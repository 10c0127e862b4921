// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kReplicatesAtOnce = 50;

/// The walk over replicates, and their ratios.
class SubsetReplicates {
public:
    SubsetReplicates(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                     const std::vector<SubsetDraws>& draws, SubsetErrors& errors)
        : params_(params), observed_(observed), draws_(draws), errors_(errors), ratios_(params.kernels.size()) {
        for (const auto& [place, subsets] : draws.front()) count_ = std::max(count_, subsets.size());
    }
    std::size_t count() const { return count_; }

    void evaluate(std::size_t from, std::size_t to, const RunControl& control) {
        SubsetErrors::Lists lists(draws_.size());
        for (std::size_t fold = 0; fold < draws_.size(); ++fold)
            for (const auto& [place, subsets] : draws_[fold])
                lists[fold][place].assign(subsets.begin() + static_cast<std::ptrdiff_t>(from),
                                          subsets.begin() + static_cast<std::ptrdiff_t>(to));
        errors_.evaluate(fmt::format("subsets/{:04}", from / kReplicatesAtOnce), lists, control);
    }

    /// Ratios of replicates whose errors are all there.
    void addRatios(std::size_t from, std::size_t to) {
        for (std::size_t b = from; b < to; ++b) {
            std::vector<double> sums(ratios_.size(), 0.0), cells(ratios_.size(), 0.0);
            for (std::size_t n = 0; n < errors_.layers().size(); ++n)
                for (std::size_t p = 0; p < params_.prompts.size(); ++p) addCell(b, n, p, sums, cells);
            for (std::size_t k = 0; k < ratios_.size(); ++k) ratios_[k].push_back(sums[k] / cells[k]);
        }
    }

    const std::vector<double>& ratiosOf(std::size_t kernel) const { return ratios_[kernel]; }

private:
    void addCell(std::size_t b, std::size_t layer, std::size_t prompt, std::vector<double>& sums,
                 std::vector<double>& cells) const {
        const std::size_t fold = draws_.size() == 1 ? 0 : prompt;
        std::vector<std::size_t> numbers;
        for (const HeadIndex head : errors_.headsOf(layer)) {
            const HeadPlace place{errors_.layers()[layer].layer, head};
            numbers.push_back(errors_.numberOf(fold, place, draws_[fold].at(place)[b]));
        }
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const RetainedCell& known = observed_[k].retained.cells[layer * params_.prompts.size() + prompt];
            if (!(known.eFull > 0.0)) continue;
            sums[k] += errors_.cellError(k, layer, prompt, numbers) / known.eFull;
            cells[k] += 1.0;
        }
    }

    const RetainedParams& params_;
    const std::vector<RetainedMethod>& observed_;
    const std::vector<SubsetDraws>& draws_;
    SubsetErrors& errors_;
    std::size_t count_ = 0;
    std::vector<std::vector<double>> ratios_;  // [kernel][replicate]
};

/// p corrected over kernels: replicates whose largest z over all kernels reaches a kernel's own.
void correctOverKernels(std::vector<SubsetControl>& kernels) {
    if (kernels.empty()) return;
    std::vector<double> largest(kernels.front().ratios.size(), -std::numeric_limits<double>::infinity());
    for (const SubsetControl& kernel : kernels) {
        const double mean = meanOf(kernel.ratios), deviation = standardDeviationOf(kernel.ratios);
        if (!(deviation > 0.0)) continue;
        for (std::size_t b = 0; b < largest.size(); ++b)
            largest[b] = std::max(largest[b], (kernel.ratios[b] - mean) / deviation);
    }
    for (SubsetControl& kernel : kernels)
        if (std::isfinite(kernel.z)) kernel.pMaxT = permutationP(largest, kernel.z);
}

SubsetControl judged(std::string kernel, std::vector<double> ratios, std::size_t wanted, double observed) {
    SubsetControl control{.kernel = std::move(kernel), .ratios = std::move(ratios), .wanted = wanted, .quantiles = {}};
    const double mean = meanOf(control.ratios), deviation = standardDeviationOf(control.ratios);
    for (const double q : {0.025, 0.25, 0.5, 0.75, 0.975}) control.quantiles.push_back(quantileOf(control.ratios, q));
    if (!std::isfinite(observed)) return control;
    control.atLeast = static_cast<std::size_t>(
        std::count_if(control.ratios.begin(), control.ratios.end(), [&](double ratio) { return ratio >= observed; }));
    control.p = permutationP(control.ratios, observed);
    control.z = deviation > 0.0 ? (observed - mean) / deviation : kNaN;
    control.effect = mean > 0.0 ? observed / mean : kNaN;
    return control;
}

std::vector<SubsetControl> judgedKernels(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                         const SubsetReplicates& replicates) {
    std::vector<SubsetControl> kernels;
    for (std::size_t k = 0; k < params.kernels.size(); ++k)
        kernels.push_back(
            judged(params.kernels[k], replicates.ratiosOf(k), replicates.count(), observed[k].retained.ratio));
    correctOverKernels(kernels);
    return kernels;
}

}  // namespace

std::vector<SubsetControl> subsetControl(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                         const std::vector<SubsetDraws>& draws, SubsetErrors& errors,
                                         const Pieces& pieces, const SubsetControlsSeen& seen,
                                         const RunControl& control) {
    SubsetReplicates replicates(params, observed, draws, errors);
    for (std::size_t from = 0; from < replicates.count(); from += kReplicatesAtOnce) {
        const std::size_t to = std::min(from + kReplicatesAtOnce, replicates.count());
        replicates.evaluate(from, to, control.parts(from, to, replicates.count()));
        if (!pieces.complete()) continue;
        replicates.addRatios(from, to);
        if (seen) seen(judgedKernels(params, observed, replicates));
    }
    if (!pieces.complete()) return {};
    return judgedKernels(params, observed, replicates);
}

}  // namespace dimscope::analysis
