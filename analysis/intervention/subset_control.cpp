// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "analysis/statistics.h"
#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;

constexpr std::size_t kSubsetsAtOnce = 128;

/// Draws of one head; equal ones share an ordinal.
struct HeadDraws {
    std::vector<std::vector<int>> distinct;
    std::vector<std::size_t> ordinal;  // (replicates)
};

HeadDraws drawsOf(const std::vector<int>& subset, Index headDim, SubsetPool pool, int replicates,
                  kernels::RandomStream random) {
    std::vector<int> from;
    for (int r = 0; r < static_cast<int>(headDim); ++r)
        if (pool == SubsetPool::All || !std::binary_search(subset.begin(), subset.end(), r)) from.push_back(r);
    HeadDraws draws;
    std::map<std::vector<int>, std::size_t> known;
    for (int b = 0; b < replicates; ++b) {
        for (std::size_t n = 0; n < subset.size(); ++n) std::swap(from[n], from[n + random.below(from.size() - n)]);
        std::vector<int> drawn(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(subset.size()));
        std::sort(drawn.begin(), drawn.end());
        const auto [entry, isNew] = known.emplace(std::move(drawn), draws.distinct.size());
        if (isNew) draws.distinct.push_back(entry->first);
        draws.ordinal.push_back(entry->second);
    }
    return draws;
}

/// Sums of one head and prompt: [kernel][distinct subset].
using SubsetSums = std::vector<std::vector<ErrorSums>>;

SubsetSums sumsOf(const HeadDraws& draws, const std::vector<std::vector<KernelSpec>>& specs,
                  const kernels::HeadInputs& inputs, const std::vector<Index>& rows, kernels::Backend& backend,
                  const RunControl& control) {
    SubsetSums sums(specs.size(), std::vector<ErrorSums>(draws.distinct.size()));
    for (std::size_t from = 0; from < draws.distinct.size(); from += kSubsetsAtOnce) {
        const std::size_t to = std::min(from + kSubsetsAtOnce, draws.distinct.size());
        std::vector<KernelSpec> kernels{kernels::Softmax{}};
        std::vector<kernels::Evaluation> how{{}};
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (std::size_t d = from; d < to; ++d) {
            const auto mask = subsetMask(draws.distinct[d], inputs.headDim());
            for (std::size_t k = 0; k < specs.size(); ++k)
                for (const KernelSpec& spec : specs[k]) {
                    kernels.push_back(spec);
                    how.push_back({{}, {}, mask});
                    places.emplace_back(k, d);
                }
        }
        const std::vector<kernels::RowsJob> jobs{{inputs, rows, kernels, false, how}};
        const auto outputs = backend.attendRows(jobs, control.parts(from, to, draws.distinct.size()));
        for (std::size_t n = 0; n < places.size(); ++n) {
            const RowSums errors = rowSums(outputs.front().front(), outputs.front()[n + 1]);
            sums[places[n].first][places[n].second] += summed(errors.error, errors.energy, inputs.valueDim());
        }
    }
    return sums;
}

/// Errors of every replicate, cell by cell: [kernel][replicate], summed over cells as ratios.
class Replicates {
public:
    Replicates(std::size_t kernels, int replicates)
        : ratios_(kernels, std::vector<double>(static_cast<std::size_t>(replicates), 0.0)), cells_(kernels, 0.0) {}

    /// `heads`: sums and draws of every head of a cell. `eFull` of every kernel there.
    void addCell(const std::vector<std::pair<const HeadDraws*, SubsetSums>>& heads, const std::vector<double>& eFull) {
        for (std::size_t k = 0; k < ratios_.size(); ++k) {
            if (!(eFull[k] > 0.0)) continue;
            for (std::size_t b = 0; b < ratios_[k].size(); ++b) {
                ErrorSums all;
                for (const auto& [draws, sums] : heads) all += sums[k][draws->ordinal[b]];
                ratios_[k][b] += all.mse() / eFull[k];
            }
            cells_[k] += 1.0;
        }
    }
    std::vector<double> ratiosOf(std::size_t kernel) const {
        std::vector<double> ratios = ratios_[kernel];
        for (double& ratio : ratios) ratio /= cells_[kernel];
        return ratios;
    }

private:
    std::vector<std::vector<double>> ratios_;
    std::vector<double> cells_;
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

SubsetControl judged(std::string kernel, std::vector<double> ratios, double observed) {
    SubsetControl control{.kernel = std::move(kernel), .ratios = std::move(ratios), .quantiles = {}};
    const double mean = meanOf(control.ratios), deviation = standardDeviationOf(control.ratios);
    control.atLeast = static_cast<std::size_t>(
        std::count_if(control.ratios.begin(), control.ratios.end(), [&](double ratio) { return ratio >= observed; }));
    control.p = permutationP(control.ratios, observed);
    control.z = deviation > 0.0 ? (observed - mean) / deviation : kNaN;
    control.effect = observed / mean;
    for (const double q : {0.025, 0.25, 0.5, 0.75, 0.975}) control.quantiles.push_back(quantileOf(control.ratios, q));
    return control;
}

void checkPool(const std::vector<int>& subset, Index headDim, SubsetPool pool, const HeadPlace& place) {
    const std::size_t left = static_cast<std::size_t>(headDim) - (pool == SubsetPool::Bulk ? subset.size() : 0);
    if (left < subset.size())
        throw kernels::ArgumentError(fmt::format(
            "layer {} head {}: {} of {} dimensions are selected, so the bulk has too few to draw as many from",
            place.first.value, place.second.value, subset.size(), headDim));
}

}  // namespace

SubsetPool subsetPoolFrom(std::string_view name) {
    if (name == "bulk") return SubsetPool::Bulk;
    if (name == "all") return SubsetPool::All;
    throw kernels::ArgumentError(fmt::format("pool '{}', expected bulk or all", name));
}

SubsetControlResult subsetControl(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                  const HeadSubsets& subsets, SubsetPool pool, int replicates,
                                  const KernelFactory& factory, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control) {
    if (replicates < 1) throw kernels::ArgumentError(fmt::format("{} replicates, expected 1 or more", replicates));
    SubsetControlResult result;
    std::vector<Warning> given;  // by the evaluation of S
    Replicates all(params.kernels.size(), replicates);
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    for (std::size_t n = 0; n < layers.size(); ++n) {
        const LayerInfo& layer = layers[n];
        const RunControl layerControl = control.part(n, layers.size());
        std::vector<HeadIndex> heads;
        std::vector<HeadDraws> draws;
        std::vector<std::vector<std::vector<KernelSpec>>> specs;
        for (const HeadIndex head : selectedHeads(params.selection, layer)) {
            const auto found = subsets.find({layer.layer, head});
            if (found == subsets.end()) continue;  // marked: its values are not finite
            checkPool(found->second, layer.headDim, pool, found->first);
            heads.push_back(head);
            draws.push_back(
                drawsOf(found->second, layer.headDim, pool, replicates,
                        {params.seed, kernels::RandomPurpose::RandomSubsets, layer.layer.value, head.value}));
            specs.push_back(drawnKernels(params, factory, layer, head, given));
            result.distinct += static_cast<Index>(draws.back().distinct.size());
        }
        for (std::size_t p = 0; p < params.prompts.size(); ++p) {
            HeadLoader loader(source, layer, params.prompts[p], params.length, true);
            std::vector<std::pair<const HeadDraws*, SubsetSums>> cell;
            for (std::size_t h = 0; h < heads.size(); ++h) {
                const RunControl part = layerControl.part(p * heads.size() + h, params.prompts.size() * heads.size());
                const kernels::HeadInputs inputs = loader.inputs(heads[h], part);
                if (loader.nonFinite(heads[h]) > 0) continue;
                cell.emplace_back(&draws[h], sumsOf(draws[h], specs[h], inputs, params.positions[p], backend, part));
            }
            std::vector<double> eFull;
            for (const RetainedMethod& method : observed)
                for (const RetainedCell& known : method.retained.cells)
                    if (known.layer == layer.layer && known.prompt == params.prompts[p]) eFull.push_back(known.eFull);
            all.addCell(cell, eFull);
        }
    }
    for (std::size_t k = 0; k < params.kernels.size(); ++k)
        result.kernels.push_back(judged(params.kernels[k], all.ratiosOf(k), observed[k].retained.ratio));
    correctOverKernels(result.kernels);
    return result;
}

}  // namespace dimscope::analysis
