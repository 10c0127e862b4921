// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;

constexpr std::size_t kSubsetsAtOnce = 128;

using SubsetIterator = std::vector<std::vector<int>>::const_iterator;

/// Evaluations of some subsets of one head; none and all dimensions need no restriction.
struct SubsetJob {
    std::vector<KernelSpec> kernels{kernels::Softmax{}};
    std::vector<kernels::Evaluation> how{{}};
    std::vector<std::pair<std::size_t, std::size_t>> places;  // kernel, subset

    void add(std::size_t kernel, const KernelSpec& spec, std::size_t number, const std::vector<int>& subset,
             Index headDim) {
        kernels.push_back(spec);
        how.push_back({{}, {}, static_cast<Index>(subset.size()) == headDim ? nullptr : subsetMask(subset, headDim)});
        places.emplace_back(kernel, number);
    }
};

/// Sums by kernel and subset.
std::vector<std::vector<SubsetSum>> evaluated(SubsetIterator from, SubsetIterator to,
                                              const std::vector<std::vector<KernelSpec>>& specs,
                                              const kernels::HeadInputs& inputs, const std::vector<Index>& rows,
                                              kernels::Backend& backend, const RunControl& control) {
    const auto count = static_cast<std::size_t>(to - from);
    std::vector<std::vector<SubsetSum>> sums(specs.size(), std::vector<SubsetSum>(count));
    for (std::size_t first = 0; first < count; first += kSubsetsAtOnce) {
        const std::size_t last = std::min(first + kSubsetsAtOnce, count);
        SubsetJob job;
        for (std::size_t n = first; n < last; ++n) {
            const std::vector<int>& subset = from[static_cast<std::ptrdiff_t>(n)];
            for (std::size_t k = 0; k < specs.size(); ++k)
                for (const KernelSpec& spec : specs[k])
                    if (subset.empty())
                        sums[k][n].values += static_cast<double>(static_cast<Index>(rows.size()) * inputs.valueDim());
                    else
                        job.add(k, spec, n, subset, inputs.headDim());
        }
        const std::vector<kernels::RowsJob> jobs{{inputs, rows, job.kernels, false, job.how}};
        const auto outputs = backend.attendRows(jobs, control.parts(first, last, count));
        for (std::size_t n = 0; n < job.places.size(); ++n) {
            const RowSums errors = rowSums(outputs.front().front(), outputs.front()[n + 1]);
            const ErrorSums all = summed(errors.error, errors.energy, inputs.valueDim());
            SubsetSum& sum = sums[job.places[n].first][job.places[n].second];
            sum.error += all.error;
            sum.values += all.values;
        }
    }
    return sums;
}

/// Per kernel: how many counts of coordinates follow (one where all subsets have the same), the counts, the errors.
Piece packed(const std::vector<std::vector<SubsetSum>>& kernels) {
    Piece piece;
    for (const std::vector<SubsetSum>& sums : kernels) {
        const bool same = std::all_of(sums.begin(), sums.end(),
                                      [&](const SubsetSum& sum) { return sum.values == sums.front().values; });
        piece.numbers.push_back(static_cast<double>(same ? 1 : sums.size()));
        for (std::size_t n = 0; n < (same ? 1 : sums.size()); ++n) piece.numbers.push_back(sums[n].values);
        for (const SubsetSum& sum : sums) piece.numbers.push_back(sum.error);
    }
    return piece;
}

[[noreturn]] void refusePiece(const std::string& key) {
    throw kernels::ShapeError(fmt::format("piece {} does not hold what this run asks for", key));
}

}  // namespace

SubsetErrors::SubsetErrors(const RetainedParams& params, const RetainedChoices& choices, HeadSource& source,
                           kernels::Backend& backend, Pieces& pieces)
    : params_(params),
      choices_(choices),
      source_(source),
      backend_(backend),
      pieces_(pieces),
      layers_(selectedLayers(params.selection, source.info())),
      known_(choices.size()) {
    for (const LayerInfo& layer : layers_) {
        heads_.emplace_back();
        for (const HeadIndex head : selectedHeads(params.selection, layer)) {
            const HeadPlace place{layer.layer, head};
            // Marked where S was chosen: its values are not finite.
            if (!choices.front().subsets.contains(place)) continue;
            heads_.back().push_back(head);
            sums_[place].resize(params.prompts.size());
            for (Sums& sums : sums_[place]) sums.kernels.resize(params.kernels.size());
        }
    }
}

SubsetErrors::Known& SubsetErrors::knownOf(std::size_t fold, const LayerInfo& layer, HeadIndex head) {
    Known& known = known_[fold][{layer.layer, head}];
    std::vector<Warning> given;  // by the evaluation of S
    if (known.specs.empty()) known.specs = drawnKernels(params_, choices_[fold].factory, layer, head, given);
    return known;
}

void SubsetErrors::evaluate(const std::string& stage, const Lists& lists, const RunControl& control) {
    // Numbers first: those behind the ones a head had before are this stage's.
    std::vector<std::map<HeadPlace, std::size_t>> before(folds());
    for (std::size_t fold = 0; fold < folds(); ++fold)
        for (std::size_t n = 0; n < layers_.size(); ++n)
            for (const HeadIndex head : heads_[n]) {
                const HeadPlace place{layers_[n].layer, head};
                Known& known = knownOf(fold, layers_[n], head);
                before[fold][place] = known.subsets.size();
                const auto list = lists[fold].find(place);
                if (list == lists[fold].end()) continue;
                for (const std::vector<int>& subset : list->second)
                    if (known.numbers.emplace(subset, known.subsets.size()).second) known.subsets.push_back(subset);
            }
    for (std::size_t n = 0; n < layers_.size(); ++n)
        for (std::size_t p = 0; p < params_.prompts.size(); ++p) {
            const std::size_t fold = foldOf(choices_, p), deal = pieces_.nextDeal();
            const RunControl cell =
                control.part(n * params_.prompts.size() + p, layers_.size() * params_.prompts.size());
            HeadLoader loader(source_, layers_[n], params_.prompts[p], params_.length, true);
            for (std::size_t h = 0; h < heads_[n].size(); ++h) {
                const HeadIndex head = heads_[n][h];
                const HeadPlace place{layers_[n].layer, head};
                const Known& known = known_[fold].at(place);
                const std::size_t from = before[fold].at(place), count = known.subsets.size() - from;
                if (count == 0) continue;
                const RunControl part = cell.part(h, heads_[n].size());
                const std::string key = pieceKey(stage, layers_[n].layer, params_.prompts[p], head);
                const std::optional<Piece> piece = pieces_.get(key, deal, [&]() -> Piece {
                    const kernels::HeadInputs inputs = loader.inputs(head, part);
                    if (loader.nonFinite(head) > 0) return {};
                    return packed(evaluated(known.subsets.begin() + static_cast<std::ptrdiff_t>(from),
                                            known.subsets.end(), known.specs, inputs, params_.positions[p], backend_,
                                            part));
                });
                control.throwIfCancelled();
                part.report(1.0F);
                if (piece) addPiece(key, *piece, count, sums_.at(place)[p]);
            }
        }
}

void SubsetErrors::addPiece(const std::string& key, const Piece& piece, std::size_t subsets, Sums& sums) const {
    if (piece.numbers.empty()) {
        sums.usable = false;
        return;
    }
    std::size_t at = 0;
    for (std::vector<SubsetSum>& kernel : sums.kernels) {
        if (at >= piece.numbers.size()) refusePiece(key);
        const bool same = piece.numbers[at] == 1.0;
        const std::size_t values = at + 1, errors = values + (same ? 1 : subsets);
        at = errors + subsets;
        if (at > piece.numbers.size()) refusePiece(key);
        for (std::size_t n = 0; n < subsets; ++n)
            kernel.push_back({piece.numbers[errors + n], piece.numbers[values + (same ? 0 : n)]});
    }
    if (at != piece.numbers.size()) refusePiece(key);
}

std::size_t SubsetErrors::numberOf(std::size_t fold, const HeadPlace& head, const std::vector<int>& subset) const {
    return known_[fold].at(head).numbers.at(subset);
}

std::size_t SubsetErrors::distinct() const {
    std::size_t count = 0;
    for (const auto& fold : known_)
        for (const auto& [place, known] : fold) count += known.subsets.size();
    return count;
}

const std::vector<std::vector<SubsetSum>>* SubsetErrors::sumsOf(const HeadPlace& head, std::size_t prompt) const {
    const Sums& sums = sums_.at(head)[prompt];
    return sums.usable ? &sums.kernels : nullptr;
}

double SubsetErrors::cellError(std::size_t kernel, std::size_t layer, std::size_t prompt,
                               const std::vector<std::size_t>& numbers) const {
    SubsetSum all;
    for (std::size_t h = 0; h < heads_[layer].size(); ++h) {
        const auto* sums = sumsOf({layers_[layer].layer, heads_[layer][h]}, prompt);
        if (!sums) continue;
        const SubsetSum& own = (*sums)[kernel][numbers[h]];
        all.error += own.error;
        all.values += own.values;
    }
    return all.error / all.values;
}

}  // namespace dimscope::analysis
