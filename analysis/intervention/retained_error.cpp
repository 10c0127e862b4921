// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/retained_error.h"

#include <algorithm>
#include <cmath>

#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

using kernels::Evaluation;
using kernels::KernelSpec;
using kernels::RowsOutput;

/// What is approximated in one evaluation.
enum class Part { Full, Subset, Complement };
constexpr Part kParts[] = {Part::Full, Part::Subset, Part::Complement};

/// Sums of one kernel over rows, coordinates and seeds.
struct PartSums {
    ErrorSums full, subset, complement;
    Index badRows = 0;

    ErrorSums& of(Part part) { return part == Part::Full ? full : part == Part::Subset ? subset : complement; }
    void operator+=(const PartSums& other) {
        full += other.full;
        subset += other.subset;
        complement += other.complement;
        badRows += other.badRows;
    }
};

/// All evaluations of one head: exact attention first.
class HeadJob {
public:
    HeadJob(const RetainedParams& params, const std::vector<std::vector<KernelSpec>>& specs,
            const std::vector<int>& subset, Index headDim)
        : kernels_{kernels::Softmax{}}, how_{{}}, size_(subset.size()), headDim_(headDim) {
        for (std::size_t k = 0; k < specs.size(); ++k)
            for (const KernelSpec& spec : specs[k])
                for (const Part part : kParts) {
                    if (part == Part::Complement && !params.complement) continue;
                    if (isKnown(part)) continue;
                    kernels_.push_back(spec);
                    how_.push_back({{}, {}, part == Part::Full ? nullptr : maskOf(part, subset)});
                    places_.push_back({k, part});
                }
    }
    kernels::RowsJob job(const kernels::HeadInputs& inputs, const std::vector<Index>& rows) const {
        return {inputs, rows, kernels_, false, how_};
    }
    /// Sums per kernel.
    void add(const std::vector<RowsOutput>& outputs, Index valueDim, std::vector<PartSums>& sums) const {
        std::vector<PartSums> own(sums.size());
        for (std::size_t n = 0; n < places_.size(); ++n) {
            PartSums& kernel = own[places_[n].kernel];
            const RowSums rows = rowSums(outputs.front(), outputs[n + 1]);
            kernel.of(places_[n].part) += summed(rows.error, rows.energy, valueDim);
            kernel.badRows +=
                std::count_if(rows.energy.begin(), rows.energy.end(), [](double energy) { return !(energy >= 0.0); });
        }
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const ErrorSums none{0.0, own[k].full.energy, own[k].full.values};
            if (size_ == 0) own[k].subset = none;
            if (size_ == 0) own[k].complement = own[k].full;
            if (size_ == static_cast<std::size_t>(headDim_)) own[k].subset = own[k].full;
            if (size_ == static_cast<std::size_t>(headDim_)) own[k].complement = none;
            sums[k] += own[k];
        }
    }

private:
    struct Place {
        std::size_t kernel;
        Part part;
    };
    /// Nothing approximated is exact attention, everything is the kernel itself.
    bool isKnown(Part part) const {
        return part != Part::Full && (size_ == 0 || size_ == static_cast<std::size_t>(headDim_));
    }
    std::shared_ptr<const std::vector<std::uint8_t>> maskOf(Part part, const std::vector<int>& subset) const {
        if (part == Part::Subset) return subsetMask(subset, headDim_);
        std::vector<std::uint8_t> rest = *subsetMask(subset, headDim_);
        for (std::uint8_t& kept : rest) kept = kept == 0 ? 1 : 0;
        return std::make_shared<const std::vector<std::uint8_t>>(std::move(rest));
    }
    std::vector<KernelSpec> kernels_;
    std::vector<Evaluation> how_;
    std::vector<Place> places_;
    std::size_t size_;
    Index headDim_;
};

/// One layer: specs of its heads, and the walk over prompts.
class RetainedLayer {
public:
    RetainedLayer(const RetainedParams& params, const HeadSubsets& subsets, const KernelFactory& factory,
                  HeadSource& source, kernels::Backend& backend, const LayerInfo& layer, RetainedErrors& result)
        : params_(params),
          source_(source),
          backend_(backend),
          layer_(layer),
          result_(result),
          heads_(selectedHeads(params.selection, layer)) {
        for (const HeadIndex head : heads_) {
            const auto found = subsets.find({layer.layer, head});
            jobs_.emplace_back(params, drawnKernels(params, factory, layer, head, result.warnings),
                               found != subsets.end() ? found->second : std::vector<int>{}, layer.headDim);
        }
        headSums_.assign(heads_.size(), std::vector<PartSums>(params.kernels.size()));
        usable_.assign(heads_.size(), true);
    }

    void run(std::vector<std::vector<RetainedCell>>& cells, const RunControl& control) {
        for (std::size_t p = 0; p < params_.prompts.size(); ++p)
            runPrompt(p, cells, control.part(p, params_.prompts.size()));
        for (std::size_t h = 0; h < heads_.size(); ++h)
            for (std::size_t k = 0; k < params_.kernels.size(); ++k) {
                RetainedHead head{layer_.layer, heads_[h], params_.kernels[k]};
                if (usable_[h]) {
                    head.eS = headSums_[h][k].subset.mse();
                    head.eFull = headSums_[h][k].full.mse();
                    if (params_.complement) head.eComplement = headSums_[h][k].complement.mse();
                }
                result_.heads.push_back(head);
            }
    }

private:
    void runPrompt(std::size_t prompt, std::vector<std::vector<RetainedCell>>& cells, const RunControl& control) {
        HeadLoader loader(source_, layer_, params_.prompts[prompt], params_.length, true);
        std::vector<PartSums> all(params_.kernels.size());
        for (std::size_t h = 0; h < heads_.size(); ++h) {
            const RunControl part = control.part(h, heads_.size());
            const kernels::HeadInputs inputs = loader.inputs(heads_[h], part);
            if (loader.nonFinite(heads_[h]) > 0) {
                if (usable_[h]) result_.warnings.push_back(loader.nonFiniteWarning(heads_[h]));
                usable_[h] = false;
                continue;
            }
            const std::vector<kernels::RowsJob> jobs{jobs_[h].job(inputs, params_.positions[prompt])};
            const auto outputs = backend_.attendRows(jobs, part);
            std::vector<PartSums> own(params_.kernels.size());
            jobs_[h].add(outputs.front(), layer_.valueDim, own);
            for (std::size_t k = 0; k < own.size(); ++k) {
                headSums_[h][k] += own[k];
                all[k] += own[k];
            }
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            RetainedCell cell{layer_.layer, params_.prompts[prompt]};
            cell.eS = all[k].subset.mse();
            cell.eFull = all[k].full.mse();
            cell.energy = all[k].full.energy / all[k].full.values;
            if (params_.complement) cell.eComplement = all[k].complement.mse();
            cell.badRows = all[k].badRows;
            cells[k].push_back(cell);
        }
    }

    const RetainedParams& params_;
    HeadSource& source_;
    kernels::Backend& backend_;
    const LayerInfo& layer_;
    RetainedErrors& result_;
    std::vector<HeadIndex> heads_;
    std::vector<HeadJob> jobs_;                    // per head
    std::vector<std::vector<PartSums>> headSums_;  // [head][kernel]
    std::vector<bool> usable_;
};

std::vector<double> ratiosOf(const std::vector<RetainedCell>& cells) {
    std::vector<double> ratios;
    for (const RetainedCell& cell : cells)
        if (const double ratio = cell.ratio(); std::isfinite(ratio)) ratios.push_back(ratio);
    return ratios;
}

double meanRatioOf(const std::vector<RetainedCell>& cells, const std::vector<PromptIndex>& prompts,
                   const std::vector<std::size_t>& chosen) {
    std::vector<double> ratios;
    for (const std::size_t unit : chosen)
        for (const RetainedCell& cell : cells)
            if (cell.prompt == prompts[unit] && std::isfinite(cell.ratio())) ratios.push_back(cell.ratio());
    return meanOf(ratios);
}

}  // namespace

std::vector<std::vector<KernelSpec>> drawnKernels(const RetainedParams& params, const KernelFactory& factory,
                                                  const LayerInfo& layer, HeadIndex head,
                                                  std::vector<Warning>& warnings) {
    std::vector<std::vector<KernelSpec>> specs;
    for (const std::string& kernel : params.kernels) {
        specs.emplace_back();
        const int draws = factory.drawCount(kernel, static_cast<int>(params.seeds.size()));
        for (int s = 0; s < draws; ++s)
            specs.back().push_back(
                factory.make(kernel, layer, head, params.seeds[static_cast<std::size_t>(s)], warnings));
    }
    return specs;
}

std::shared_ptr<const std::vector<std::uint8_t>> subsetMask(const std::vector<int>& subset, Index headDim) {
    auto mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(headDim), std::uint8_t{0});
    for (const int r : subset) (*mask)[static_cast<std::size_t>(r)] = 1;
    return mask;
}

RetainedRatio retainedRatio(std::vector<RetainedCell> cells, const std::vector<RetainedHead>& heads,
                            const std::vector<PromptIndex>& prompts, std::uint64_t seed) {
    RetainedRatio out;
    std::vector<double> eS, eComplement, eFull, logarithms, complements, ofHeads;
    for (const RetainedCell& cell : cells) {
        eS.push_back(cell.eS);
        eFull.push_back(cell.eFull);
        eComplement.push_back(cell.eComplement);
        if (cell.eFull > 0.0) complements.push_back(cell.eComplement / cell.eFull);
    }
    for (const RetainedHead& head : heads)
        if (std::isfinite(head.ratio())) ofHeads.push_back(head.ratio());
    const std::vector<double> ratios = ratiosOf(cells);
    for (const double ratio : ratios) logarithms.push_back(std::log(ratio));
    out.eS = meanOf(eS);
    out.eComplement = meanOf(eComplement);
    out.eFull = meanOf(eFull);
    out.ratio = meanOf(ratios);
    out.ratioComplement = meanOf(complements);
    out.ratioPooled = out.eFull > 0.0 ? out.eS / out.eFull : kNaN;
    out.ratioGeometric = std::exp(meanOf(logarithms));
    out.ratioHeadMedian = medianOf(ofHeads);
    out.interval = bootstrapInterval(
        prompts.size(), [&](const std::vector<std::size_t>& chosen) { return meanRatioOf(cells, prompts, chosen); },
        seed);
    out.cells = std::move(cells);
    return out;
}

RetainedErrors retainedErrors(const RetainedParams& params, const HeadSubsets& subsets, const KernelFactory& factory,
                              HeadSource& source, kernels::Backend& backend, const RunControl& control) {
    RetainedErrors result;
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    std::vector<std::vector<RetainedCell>> cells(params.kernels.size());
    for (std::size_t n = 0; n < layers.size(); ++n)
        RetainedLayer(params, subsets, factory, source, backend, layers[n], result)
            .run(cells, control.part(n, layers.size()));
    for (std::size_t k = 0; k < params.kernels.size(); ++k) {
        std::vector<RetainedHead> own;
        std::copy_if(result.heads.begin(), result.heads.end(), std::back_inserter(own),
                     [&](const RetainedHead& head) { return head.kernel == params.kernels[k]; });
        result.methods.push_back({params.kernels[k], retainedRatio(cells[k], own, params.prompts, params.seed)});
    }
    return result;
}

}  // namespace dimscope::analysis
