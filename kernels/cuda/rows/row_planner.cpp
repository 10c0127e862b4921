// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows/row_planner.h"

#include <algorithm>

#include "kernels/attention_math.h"
#include "kernels/cuda/rows/row_planner_parts.h"

// What kernels share, and those of the logit or of group sums. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::cuda {

RowPlanner::RowPlanner(RowBatch& batch, const DeviceHead& head, std::span<const Index> rows)
    : batch_(batch),
      head_(head),
      rows_(static_cast<Index>(rows.size())),
      keys_(head.mask.causal ? *std::max_element(rows.begin(), rows.end()) + 1 : head.positions),
      stride_((keys_ + 31) / 32 * 32),
      positions_(batch.inputs.stage(rows)) {}

RowPlace RowPlanner::plan(const KernelSpec& spec, const Evaluation& how) {
    if (!std::holds_alternative<Softmax>(spec)) select(how);
    std::visit([this](const auto& kernel) { add(kernel); }, spec);
    return finish();
}

void RowPlanner::select(const Evaluation& how) {
    if (!how.keyMean && !how.approximated) return;
    const auto selected = [&](Side side, std::uint8_t kept) {
        MapTask<float, float> task = tokenMap<float>(side, TokenMap::Selected);
        task.positions = nullptr;
        task.rows = head_.positions;
        if (side == Side::Key) task.first = staged(how.keyMean.get());
        if (how.approximated) {
            std::vector<double> factors;
            for (const std::uint8_t used : *how.approximated) factors.push_back(used == kept ? 1.0 : 0.0);
            task.second = staged(&factors);
        }
        return mapped(batch_.stages.selections, task, head_.headDim);
    };
    const Factor<float> query = selected(Side::Query, 1), key = selected(Side::Key, 1);
    if (how.approximated) {
        const Factor<float> otherQuery = selected(Side::Query, 0), otherKey = selected(Side::Key, 0);
        const DeviceHead own = head_;
        head_.query = otherQuery.data;
        head_.key = otherKey.data;
        weigh_.complement = logitsBeside(gathered(Side::Query), gathered(Side::Key));
        head_ = own;
    }
    head_.query = query.data;
    head_.key = key.data;
}

RowPlace RowPlanner::finish() {
    if (!weigh_.products) weigh_.products = pairRows(1);
    weigh_.mask = head_.mask;
    weigh_.positions = positions_;
    weigh_.rows = rows_;
    weigh_.keys = keys_;
    weigh_.stride = stride_;
    weigh_.weights = batch_.scratch.take<float>(rows_ * stride_);
    weigh_.state = batch_.results.take<std::uint8_t>(rows_);
    weigh_.mass = batch_.results.take<double>(rows_);
    ValueTask value{weigh_.weights, rows_, keys_, stride_, head_.value, head_.valueDim, nullptr, weigh_.state};
    value.parts = batch_.scratch.take<float>(keyBlocksOf(value) * rows_ * head_.valueDim);
    value.values = batch_.results.take<double>(rows_ * head_.valueDim);
    batch_.stages.weights.add(weigh_, rows_);
    batch_.stages.valueParts.add(value, partBlocksOf(value));
    batch_.stages.valueSums.add(value, rows_);
    batch_.checkTasks();
    return {value.values, weigh_.state, weigh_.mass, weigh_.weights, stride_, keys_};
}

double* RowPlanner::pairRows(int terms) { return batch_.scratch.take<double>(rows_ * terms * stride_); }

void RowPlanner::pairs(const Factor<float>& left, const Factor<float>& right, Index depth, int terms) {
    weigh_.products = pairRows(terms);
    weigh_.terms = terms;
    const Product<float, double> product{left, right, static_cast<int>(depth), 1.0F, weigh_.products, stride_};
    batch_.stages.pairs.add(product, blocksOf(product));
}

void RowPlanner::pairs(const Factor<double>& left, const Factor<double>& right, Index depth) {
    weigh_.products = pairRows(1);
    const Product<double, double> product{left, right, static_cast<int>(depth), 1.0, weigh_.products, stride_};
    batch_.stages.widePairs.add(product, blocksOf(product));
}

Factor<float> RowPlanner::gathered(Side side) {
    if (side == Side::Key) return {head_.key, head_.headDim, keys_};
    return mapped(batch_.stages.tokens, tokenMap<float>(side, TokenMap::Scaled), head_.headDim);
}

void RowPlanner::logits() {
    MapTask<float, float> query = tokenMap<float>(Side::Query, TokenMap::Scaled);
    query.factor = head_.scale;
    pairs(mapped(batch_.stages.tokens, query, head_.headDim), gathered(Side::Key), head_.headDim);
}

double* RowPlanner::logitsBeside(const Factor<float>& query, const Factor<float>& key) {
    double* out = pairRows(1);
    const Product<float, double> product{query, key, head_.headDim, static_cast<float>(head_.scale), out, stride_};
    batch_.stages.pairs.add(product, blocksOf(product));
    return out;
}

void RowPlanner::add(const Softmax&) {
    logits();
    weigh_.rule = PairRule::Logit;
    weigh_.softcap = head_.softcap;
    weigh_.hasSink = head_.sink.has_value();
    weigh_.sink = head_.sink.value_or(0.0);
}

void RowPlanner::add(const Taylor&) {
    logits();
    weigh_.rule = PairRule::Taylor;
}

void RowPlanner::add(const Based&) { add(Taylor{}); }

void RowPlanner::add(const Power& spec) {
    logits();
    weigh_.rule = PairRule::Power;
    weigh_.exponent = spec.exponent;
}

void RowPlanner::add(const TaylorShift& spec) {
    addSides(TokenMap::Unit, head_.headDim);
    weigh_.rule = PairRule::Taylor;
    weigh_.a = spec.tau;
}

void RowPlanner::add(const GlobalQuadratic& spec) { quadratic(asOal(spec, head_.headDim)); }
void RowPlanner::add(const Oal& spec) { quadratic(spec); }

/// Section 5: the entries of L^T (1, s_1, .., s_G) are products of keys with queries that carry a column of L each.
void RowPlanner::quadratic(const Oal& spec) {
    MapTask<float, float> query = tokenMap<float>(Side::Query, TokenMap::GroupTerms);
    query.factor = head_.scale;
    query.first = staged(&spec.factor);
    query.labels = batch_.inputs.stage(std::span<const int>(spec.label));
    query.groups = spec.groups;
    const int terms = spec.groups + 1;
    Factor<float> rows = mapped(batch_.stages.tokens, query, terms * head_.headDim);
    rows.rows *= terms;
    rows.stride = head_.headDim;
    pairs(rows, gathered(Side::Key), head_.headDim, terms);
    weigh_.rule = PairRule::Quadratic;
    weigh_.a = spec.factor.front();
    weigh_.epsilon = spec.epsilon;
}

template <class Gates>
void RowPlanner::zeroSum(const Gates& gates, PairRule rule) {
    weigh_.rule = rule;
    weigh_.sigma1 = gates.sigma1;
    weigh_.sigmah = gates.sigmah;
    weigh_.sigma0 = gates.sigma0;
}

void RowPlanner::add(const ZerosSm& spec) {
    logits();
    zeroSum(spec, PairRule::ZeroSum);
}

void RowPlanner::add(const LinearZeros& spec) {
    addSides(TokenMap::Unit, head_.headDim);
    double* radial = batch_.scratch.take<double>(head_.positions);
    batch_.stages.statistics.add(
        {Statistic::Radial, nullptr, head_.key, head_.mask.valid, head_.positions, head_.headDim, head_.scale, nullptr,
         staged(spec.mu.get()), std::exp(std::clamp(spec.tau, -50.0, 30.0)),
         batch_.scratch.take<double>(kStatisticWarps * head_.headDim), radial},
        1);
    weigh_.offset = radial;
    zeroSum(spec, PairRule::ZeroSumRadial);
}

void RowPlanner::add(const RetNet& spec) {
    logits();
    weigh_.rule = PairRule::Decay;
    weigh_.a = spec.scale;
    weigh_.b = spec.decay;
}

void RowPlanner::add(const Uniform&) { weigh_.rule = PairRule::Constant; }
void RowPlanner::add(const Zero&) { weigh_.rule = PairRule::Nothing; }

void RowPlanner::add(const FirstValue&) {
    weigh_.rule = PairRule::Constant;
    weigh_.firstOnly = true;
}

}  // namespace dimscope::kernels::cuda
