// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/softmax_orders.h"

#include <cmath>
#include <map>

#include "analysis/common_prompts.h"
#include "analysis/orders/order_fits.h"
#include "analysis/orders/order_heads.h"
#include "analysis/run_record.h"

namespace dimscope::analysis {
namespace {

/// Sums over the rows of one head.
class HeadSums {
public:
    void add(Index position, const OrderRow& row) {
        const double t = row.visible;
        const Eigen::VectorXd excess = row.zeroSum(), delta = t * row.first;
        const double square = delta.squaredNorm(), share = square > 0.0 ? excess.dot(delta) / square : 0.0;
        energy_.zero += 1.0 / t;
        energy_.first += row.first.squaredNorm();
        energy_.higher += row.higher.squaredNorm();
        energy_.cross += 2.0 * row.first.dot(row.higher);
        energy_.orthogonalFirst += share * share * square;
        energy_.orthogonalHigher += (excess - share * delta).squaredNorm();
        energy_.total += (excess.array() + 1.0 / t).square().sum();
        cStar_ += share;
        output_.zero += row.y0.squaredNorm();
        output_.first += row.y1.squaredNorm();
        output_.higher += row.yh.squaredNorm();
        output_.zeroFirst += 2.0 * row.y0.dot(row.y1);
        output_.zeroHigher += 2.0 * row.y0.dot(row.yh);
        output_.firstHigher += 2.0 * row.y1.dot(row.yh);
        output_.total += row.output().squaredNorm();
        negative_ += excess.cwiseMin(0.0).cwiseAbs().sum();
        absolute_ += excess.cwiseAbs().sum();
        softmax_.add({row.y1, row.yh}, row.output());
        addDilution(position, row);
        ++rows_;
    }
    void addLinear(const OrderRow& linear, const Eigen::VectorXd& exact) {
        linear_.add({linear.y0, linear.y1, linear.yh}, exact);
    }

    void conclude(HeadOrders& head) const {
        head.rows = rows_;
        head.usable = rows_ > 0;
        const double n = head.usable ? static_cast<double>(rows_) : kNaN;
        const WeightEnergy& e = energy_;
        head.energy = {e.zero / n,  e.first / n,           e.higher / n,
                       e.cross / n, e.orthogonalFirst / n, e.orthogonalHigher / n,
                       e.total / n};
        const OutputEnergy& o = output_;
        head.output = {o.zero / n,       o.first / n,       o.higher / n, o.zeroFirst / n,
                       o.zeroHigher / n, o.firstHigher / n, o.total / n};
        head.cStar = cStar_ / n;
        head.negativeShare = absolute_ > 0.0 ? negative_ / absolute_ : kNaN;
        if (!head.usable) return;
        head.zerosSm = fit(softmax_, softmax_.insideBox(0, 1));
        head.zerosSmOnes = fit(softmax_, Eigen::Vector2d(1.0, 1.0));
        if (linear_.energy() > 0.0) {
            head.linearZeros = fit(linear_, linear_.leastSquares({1, 2}));
            head.linearZerosFree = fit(linear_, linear_.leastSquares({0, 1, 2}));
        }
        for (const auto& [position, sums] : dilution_) {
            DilutionPoint point = sums.first;
            point.position = position;
            for (double* value : {&point.visible, &point.norm, &point.zeroShare, &point.effectiveTokens, &point.entropy,
                                  &point.zeroSumNorm})
                *value /= sums.second;
            head.dilution.push_back(point);
        }
    }

private:
    /// Two parts: first, higher; three: zero, first, higher.
    static OrderFit fit(const OrderSums& sums, const Eigen::VectorXd& factors) {
        const Index first = factors.size() - 2;
        return {{factors[first], factors[first + 1], first > 0 ? factors[0] : 0.0},
                sums.relMse(factors),
                sums.cosine(factors)};
    }
    void addDilution(Index position, const OrderRow& row) {
        auto& [sums, count] = dilution_[position];
        const Eigen::ArrayXd weights = row.zeroSum().array() + 1.0 / row.visible;
        const double energy = row.output().squaredNorm();
        sums.visible += row.visible;
        sums.norm += std::sqrt(energy);
        sums.zeroShare += energy > 0.0 ? row.y0.squaredNorm() / energy : kNaN;
        sums.effectiveTokens += 1.0 / weights.square().sum();
        double entropy = 0.0;
        for (const double p : weights) entropy -= p > 0.0 ? p * std::log(p) : 0.0;
        sums.entropy += row.visible > 1.0 ? entropy / std::log(row.visible) : kNaN;
        sums.zeroSumNorm += (row.y1 + row.yh).norm();
        count += 1.0;
    }

    WeightEnergy energy_;
    OutputEnergy output_;
    double cStar_ = 0.0, negative_ = 0.0, absolute_ = 0.0;
    OrderSums softmax_{2}, linear_{3};
    std::map<Index, std::pair<DilutionPoint, double>> dilution_;  // sums and count by position
    Index rows_ = 0;
};

HeadOrders ordersOf(const OrderHeads& heads, std::size_t head, HeadSource& source, std::vector<Warning>& warnings,
                    const RunControl& control) {
    HeadOrders orders;
    orders.layer = heads.heads[head].first.layer;
    orders.head = heads.heads[head].second;
    HeadSums sums;
    const bool finite = visitOrderRows(heads, head, source, warnings, control,
                                       [&](const OrderRows& rows, Index position, const OrderRow& row) {
                                           sums.add(position, row);
                                           if (row.visible > 1.0)
                                               sums.addLinear(rows.linearRow(position), row.output());
                                       });
    (finite ? sums : HeadSums{}).conclude(orders);
    return orders;
}

}  // namespace

OrdersResult softmaxOrders(const OrdersParams& params, HeadSource& dump, const RunControl& control) {
    CommonPrompts source(dump, params.selection);
    RunRecord record("orders", nullptr, params.rowSeed);
    describe(params.selection, source.info(), record.provenance());
    OrdersResult result;
    result.warnings = source.info().warnings;
    const OrderHeads heads = orderHeads(params, source, result.warnings);
    result.prompts = heads.prompts;
    result.positions = heads.positions;
    describeOrders(params, heads, record.provenance());
    for (std::size_t n = 0; n < heads.heads.size(); ++n) {
        result.heads.push_back(ordersOf(heads, n, source, result.warnings, control));
        control.part(n, heads.heads.size()).report(1.0F);
    }
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
