// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/retained_error.h"

#include <fmt/format.h>

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

constexpr std::size_t kNumbersOfSums = 10;

void appendSums(const PartSums& sums, std::vector<double>& numbers) {
    for (const ErrorSums& part : {sums.full, sums.subset, sums.complement})
        numbers.insert(numbers.end(), {part.error, part.energy, part.values});
    numbers.push_back(static_cast<double>(sums.badRows));
}

PartSums sumsFrom(const double* numbers) {
    const auto part = [&](std::size_t n) { return ErrorSums{numbers[3 * n], numbers[3 * n + 1], numbers[3 * n + 2]}; };
    return {part(0), part(1), part(2), static_cast<Index>(numbers[9])};
}

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

/// What the layers of one walk share.
struct RetainedWalk {
    const RetainedParams& params;
    const RetainedChoices& choices;
    HeadSource& source;
    kernels::Backend& backend;
    Pieces& pieces;
    const std::string& stage;
    std::optional<std::size_t> deal;
};

/// One layer: jobs of its heads, and the walk over prompts.
class RetainedLayer {
public:
    RetainedLayer(const RetainedWalk& walk, const LayerInfo& layer, RetainedErrors& result)
        : walk_(walk), layer_(layer), result_(result), heads_(selectedHeads(walk.params.selection, layer)) {
        for (const RetainedChoice& choice : walk.choices) {
            jobs_.emplace_back();
            for (const HeadIndex head : heads_) {
                const auto found = choice.subsets.find({layer.layer, head});
                jobs_.back().emplace_back(
                    walk.params, drawnKernels(walk.params, choice.factory, layer, head, result.warnings),
                    found != choice.subsets.end() ? found->second : std::vector<int>{}, layer.headDim);
            }
        }
        headSums_.assign(heads_.size(), std::vector<PartSums>(walk.params.kernels.size()));
        usable_.assign(heads_.size(), true);
    }

    void run(std::vector<std::vector<RetainedCell>>& cells, const RunControl& control) {
        const RetainedParams& params = walk_.params;
        for (std::size_t p = 0; p < params.prompts.size(); ++p)
            runPrompt(p, cells, control.part(p, params.prompts.size()));
        for (std::size_t h = 0; h < heads_.size(); ++h)
            for (std::size_t k = 0; k < params.kernels.size(); ++k) {
                RetainedHead head{layer_.layer, heads_[h], params.kernels[k]};
                if (usable_[h]) {
                    head.eS = headSums_[h][k].subset.mse();
                    head.eFull = headSums_[h][k].full.mse();
                    if (params.complement) head.eComplement = headSums_[h][k].complement.mse();
                }
                result_.heads.push_back(head);
            }
    }

private:
    void runPrompt(std::size_t prompt, std::vector<std::vector<RetainedCell>>& cells, const RunControl& control) {
        const RetainedParams& params = walk_.params;
        const std::size_t deal = walk_.deal ? *walk_.deal : walk_.pieces.nextDeal();
        HeadLoader loader(walk_.source, layer_, params.prompts[prompt], params.length, true);
        std::vector<PartSums> all(params.kernels.size());
        for (std::size_t h = 0; h < heads_.size(); ++h) {
            const std::optional<Piece> piece =
                walk_.pieces.get(pieceKey(walk_.stage, layer_.layer, params.prompts[prompt], heads_[h]), deal,
                                 [&] { return headPiece(loader, prompt, h, control.part(h, heads_.size())); });
            control.report(static_cast<float>(h + 1) / static_cast<float>(heads_.size()));
            if (piece) addPiece(*piece, h, all);
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            RetainedCell cell{layer_.layer, params.prompts[prompt]};
            cell.eS = all[k].subset.mse();
            cell.eFull = all[k].full.mse();
            cell.energy = all[k].full.energy / all[k].full.values;
            if (params.complement) cell.eComplement = all[k].complement.mse();
            cell.badRows = all[k].badRows;
            cells[k].push_back(cell);
        }
    }

    /// Sums per kernel, nothing for a head that is not finite.
    Piece headPiece(HeadLoader& loader, std::size_t prompt, std::size_t h, const RunControl& control) {
        const kernels::HeadInputs inputs = loader.inputs(heads_[h], control);
        if (loader.nonFinite(heads_[h]) > 0) return {{}, {loader.nonFiniteWarning(heads_[h])}};
        const HeadJob& job = jobs_[foldOf(walk_.choices, prompt)][h];
        const std::vector<kernels::RowsJob> jobs{job.job(inputs, walk_.params.positions[prompt])};
        const auto outputs = walk_.backend.attendRows(jobs, control);
        std::vector<PartSums> sums(walk_.params.kernels.size());
        job.add(outputs.front(), layer_.valueDim, sums);
        Piece piece;
        for (const PartSums& kernel : sums) appendSums(kernel, piece.numbers);
        return piece;
    }

    void addPiece(const Piece& piece, std::size_t h, std::vector<PartSums>& all) {
        if (piece.numbers.empty()) {
            if (usable_[h])
                result_.warnings.insert(result_.warnings.end(), piece.warnings.begin(), piece.warnings.end());
            usable_[h] = false;
            return;
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            const PartSums own = sumsFrom(piece.numbers.data() + k * kNumbersOfSums);
            headSums_[h][k] += own;
            all[k] += own;
        }
    }

    const RetainedWalk& walk_;
    const LayerInfo& layer_;
    RetainedErrors& result_;
    std::vector<HeadIndex> heads_;
    std::vector<std::vector<HeadJob>> jobs_;       // [choice][head]
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

std::string pieceKey(const std::string& stage, LayerIndex layer, PromptIndex prompt, HeadIndex head) {
    return fmt::format("{}/L{:02}/P{}/H{}", stage, layer.value, prompt.value, head.value);
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

RetainedErrors retainedErrors(const RetainedParams& params, const RetainedChoices& choices, HeadSource& source,
                              kernels::Backend& backend, Pieces& pieces, const std::string& stage,
                              std::optional<std::size_t> deal, const RunControl& control) {
    RetainedErrors result;
    const RetainedWalk walk{params, choices, source, backend, pieces, stage, deal};
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    std::vector<std::vector<RetainedCell>> cells(params.kernels.size());
    for (std::size_t n = 0; n < layers.size(); ++n)
        RetainedLayer(walk, layers[n], result).run(cells, control.part(n, layers.size()));
    for (std::size_t k = 0; k < params.kernels.size(); ++k) {
        std::vector<RetainedHead> own;
        std::copy_if(result.heads.begin(), result.heads.end(), std::back_inserter(own),
                     [&](const RetainedHead& head) { return head.kernel == params.kernels[k]; });
        result.methods.push_back({params.kernels[k], retainedRatio(cells[k], own, params.prompts, params.seed)});
    }
    return result;
}

}  // namespace dimscope::analysis
