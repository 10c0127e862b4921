// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/dose_curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/head_loader.h"
#include "analysis/statistics.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

/// Dimensions of one head, those to be taken first in front.
using DimensionOrder = std::vector<int>;

DimensionOrder shuffledOrder(std::size_t dim, kernels::RandomStream random) {
    DimensionOrder order(dim);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t n = dim; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
    return order;
}

std::vector<int> firstOf(const DimensionOrder& order, Index count) {
    const auto end = order.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(order.size()));
    std::vector<int> chosen(order.begin(), end);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/// Variance over visible keys of the logit's part in the first `numbers` dimensions of every order, summed over rows:
/// order by order, the whole logit last in each.
std::vector<double> partVariances(const kernels::HeadInputs& inputs, const std::vector<Index>& rows,
                                  const std::vector<DimensionOrder>& orders, const std::vector<Index>& numbers,
                                  const RunControl& control) {
    std::vector<double> sums(orders.size() * numbers.size(), 0.0);
    std::visit(
        [&](const auto& query, const auto& key) {
            std::vector<double> part(static_cast<std::size_t>(key.rows()));
            for (const Index i : rows) {
                control.throwIfCancelled();
                std::vector<Index> visible;
                for (Index j = 0; j < key.rows(); ++j)
                    if (inputs.mask.visible(i, j)) visible.push_back(j);
                const auto count = static_cast<double>(visible.size());
                for (std::size_t o = 0; o < orders.size(); ++o) {
                    std::fill(part.begin(), part.end(), 0.0);
                    std::size_t taken = 0;
                    for (std::size_t n = 0; n < numbers.size(); ++n) {
                        for (; taken < std::min(static_cast<std::size_t>(numbers[n]), orders[o].size()); ++taken) {
                            const Index r = orders[o][taken];
                            const double q = inputs.scale * static_cast<double>(query(i, r));
                            for (const Index j : visible)
                                part[static_cast<std::size_t>(j)] += q * static_cast<double>(key(j, r));
                        }
                        double mean = 0.0, squares = 0.0;
                        for (const Index j : visible) mean += part[static_cast<std::size_t>(j)] / count;
                        for (const Index j : visible) {
                            const double away = part[static_cast<std::size_t>(j)] - mean;
                            squares += away * away / count;
                        }
                        sums[o * numbers.size() + n] += squares;
                    }
                }
            }
        },
        inputs.query, inputs.key);
    return sums;
}

class DoseCurve {
public:
    DoseCurve(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
              const std::vector<GroupingResult>& groupings, int draws, SubsetErrors& errors, HeadSource& source,
              Pieces& pieces)
        : params_(params),
          observed_(observed),
          groupings_(groupings),
          errors_(errors),
          source_(source),
          pieces_(pieces),
          draws_(static_cast<std::size_t>(draws)) {
        Index headDim = 0;
        for (const LayerInfo& layer : errors.layers()) headDim = std::max(headDim, layer.headDim);
        numbers_ = doseNumbers(headDim);
        for (std::size_t n = 0; n < errors.layers().size(); ++n)
            for (const HeadIndex head : errors.headsOf(n)) addOrders(errors.layers()[n], head);
    }

    std::vector<DosePoint> run(const RunControl& control) {
        for (std::size_t o = 0; o <= draws_; ++o)
            errors_.evaluate(stageOf(o), listsOf(o), control.slice(0.0F, 0.9F).part(o, draws_ + 1));
        addVariances(control.slice(0.9F, 1.0F));
        std::vector<DosePoint> points;
        if (!pieces_.complete()) return points;
        for (std::size_t k = 0; k < params_.kernels.size(); ++k)
            for (const bool random : {false, true})
                for (std::size_t n = 0; n < numbers_.size() && !(random && draws_ == 0); ++n)
                    points.push_back(pointOf(k, random, n));
        return points;
    }

private:
    static std::string stageOf(std::size_t order) { return "dose/" + std::to_string(order); }

    /// Order 0 of every fold is that of contribution, the others are random and the same in all folds.
    void addOrders(const LayerInfo& layer, HeadIndex head) {
        const HeadPlace place{layer.layer, head};
        for (std::size_t fold = 0; fold < groupings_.size(); ++fold) {
            const HeadGrouping* grouping = groupings_[fold].find(layer.layer, head);
            std::vector<DimensionOrder>& orders = orders_[place].emplace_back();
            orders.emplace_back(grouping->order.rbegin(), grouping->order.rend());
            for (std::size_t d = 0; d < draws_; ++d)
                orders.push_back(shuffledOrder(static_cast<std::size_t>(layer.headDim),
                                               {params_.seed, kernels::RandomPurpose::DoseOrders, layer.layer.value,
                                                head.value + 4096 * static_cast<int>(d)}));
        }
    }
    std::size_t foldOfPrompt(std::size_t prompt) const { return groupings_.size() == 1 ? 0 : prompt; }

    SubsetErrors::Lists listsOf(std::size_t order) const {
        SubsetErrors::Lists lists(groupings_.size());
        for (const auto& [place, folds] : orders_)
            for (std::size_t fold = 0; fold < folds.size(); ++fold)
                for (const Index number : numbers_) lists[fold][place].push_back(firstOf(folds[fold][order], number));
        return lists;
    }

    void addVariances(const RunControl& control) {
        const std::size_t prompts = params_.prompts.size();
        for (std::size_t n = 0; n < errors_.layers().size(); ++n)
            for (std::size_t p = 0; p < prompts; ++p) {
                const LayerInfo& layer = errors_.layers()[n];
                const std::size_t deal = pieces_.nextDeal();
                HeadLoader loader(source_, layer, params_.prompts[p], params_.length, false);
                for (const HeadIndex head : errors_.headsOf(n)) {
                    const HeadPlace place{layer.layer, head};
                    const std::optional<Piece> piece = pieces_.get(
                        pieceKey("dose-variance", layer.layer, params_.prompts[p], head), deal, [&]() -> Piece {
                            const kernels::HeadInputs inputs = loader.inputs(head, control);
                            if (loader.nonFinite(head) > 0) return {};
                            return {partVariances(inputs, params_.positions[p], orders_.at(place)[foldOfPrompt(p)],
                                                  numbers_, control),
                                    {}};
                        });
                    std::vector<double>& sums = variances_[place];
                    sums.resize((draws_ + 1) * numbers_.size(), 0.0);
                    if (piece && piece->numbers.size() == sums.size())
                        for (std::size_t v = 0; v < sums.size(); ++v) sums[v] += piece->numbers[v];
                }
                control.report(static_cast<float>(n * prompts + p + 1) /
                               static_cast<float>(errors_.layers().size() * prompts));
            }
    }

    double ratioOf(std::size_t kernel, std::size_t order, std::size_t number) const {
        std::vector<double> ratios;
        for (std::size_t n = 0; n < errors_.layers().size(); ++n)
            for (std::size_t p = 0; p < params_.prompts.size(); ++p) {
                const RetainedCell& cell = observed_[kernel].retained.cells[n * params_.prompts.size() + p];
                if (!(cell.eFull > 0.0)) continue;
                std::vector<std::size_t> subsets;
                for (const HeadIndex head : errors_.headsOf(n)) {
                    const HeadPlace place{errors_.layers()[n].layer, head};
                    const std::size_t fold = foldOfPrompt(p);
                    subsets.push_back(
                        errors_.numberOf(fold, place, firstOf(orders_.at(place)[fold][order], numbers_[number])));
                }
                ratios.push_back(errors_.cellError(kernel, n, p, subsets) / cell.eFull);
            }
        return meanOf(ratios);
    }

    /// Means over heads (chi also over folds) of one order.
    std::pair<double, double> sharesOf(std::size_t order, std::size_t number) const {
        std::vector<double> chi, variance;
        for (const auto& [place, folds] : orders_) {
            for (std::size_t fold = 0; fold < folds.size(); ++fold) {
                const std::vector<double>& all = groupings_[fold].find(place.first, place.second)->chi;
                double held = 0.0;
                for (const int r : firstOf(folds[fold][order], numbers_[number]))
                    held += all[static_cast<std::size_t>(r)];
                chi.push_back(held / std::accumulate(all.begin(), all.end(), 0.0));
            }
            const std::vector<double>& sums = variances_.at(place);
            const double whole = sums[(order + 1) * numbers_.size() - 1];
            if (whole > 0.0) variance.push_back(sums[order * numbers_.size() + number] / whole);
        }
        return {meanOf(chi), meanOf(variance)};
    }

    DosePoint pointOf(std::size_t kernel, bool random, std::size_t number) const {
        std::vector<double> ratios, chi, variance;
        for (std::size_t order = random ? 1 : 0; order <= (random ? draws_ : 0); ++order) {
            ratios.push_back(ratioOf(kernel, order, number));
            const auto [chiShare, varianceShare] = sharesOf(order, number);
            chi.push_back(chiShare);
            variance.push_back(varianceShare);
        }
        DosePoint point{params_.kernels[kernel], random,        numbers_[number], meanOf(chi),
                        meanOf(variance),        meanOf(ratios)};
        if (random) {
            point.from = quantileOf(ratios, 0.025);
            point.to = quantileOf(ratios, 0.975);
        }
        return point;
    }

    const RetainedParams& params_;
    const std::vector<RetainedMethod>& observed_;
    const std::vector<GroupingResult>& groupings_;
    SubsetErrors& errors_;
    HeadSource& source_;
    Pieces& pieces_;
    std::size_t draws_;
    std::vector<Index> numbers_;
    std::map<HeadPlace, std::vector<std::vector<DimensionOrder>>> orders_;  // [fold][order]
    std::map<HeadPlace, std::vector<double>> variances_;                    // [order][number], over all prompts
};

}  // namespace

std::vector<Index> doseNumbers(Index headDim) {
    std::vector<Index> numbers;
    for (const Index small : {1, 2, 3, 5, 8, 12})
        if (small < headDim) numbers.push_back(small);
    for (Index power = 16; power < headDim; power *= 2)
        for (const Index number : {power, power + power / 2})
            if (number < headDim) numbers.push_back(number);
    numbers.push_back(headDim);
    return numbers;
}

std::vector<DosePoint> doseCurve(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                 const std::vector<GroupingResult>& groupings, int draws, SubsetErrors& errors,
                                 HeadSource& source, Pieces& pieces, const RunControl& control) {
    return DoseCurve(params, observed, groupings, draws, errors, source, pieces).run(control);
}

}  // namespace dimscope::analysis
