// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/operator/quadratic_plan.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/error.h"
#include "kernels/state/bulk_first.h"

namespace dimscope::kernels::cuda {
namespace {

void checkRoom(const Oal& spec) {
    if (spec.groups > kMaxColumns)
        throw ShapeError(std::to_string(spec.groups) + " groups, the CUDA operator has room for " +
                         std::to_string(kMaxColumns));
    if (spec.label.size() > kDim)
        throw ShapeError("head_dim " + std::to_string(spec.label.size()) + ", the CUDA operator has room for " +
                         std::to_string(kDim));
}

/// Dimensions by the highest group that one of the heads puts them in.
KvPlan orderedDimensions(std::span<const Oal> specs) {
    const auto dims = static_cast<int>(specs.front().label.size());
    std::vector<int> highest(static_cast<std::size_t>(dims), 0), order(static_cast<std::size_t>(dims));
    for (const Oal& spec : specs)
        for (std::size_t r = 0; r < spec.label.size(); ++r) highest[r] = std::max(highest[r], spec.label[r]);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return highest[static_cast<std::size_t>(a)] < highest[static_cast<std::size_t>(b)];
    });
    KvPlan plan;
    std::fill(std::begin(plan.dimension), std::end(plan.dimension), -1);
    // Padding first: the dimensions of the outlying groups stay in the last slices.
    std::copy(order.begin(), order.end(), std::begin(plan.dimension) + (kDim - dims));
    return plan;
}

std::uint32_t halves(double low, double high) {
    const __half_raw first = __float2half_rn(static_cast<float>(low)),
                     second = __float2half_rn(static_cast<float>(high));
    return first.x | static_cast<std::uint32_t>(second.x) << 16U;
}

/// The matrix sum_c weight_c weight_c^T over positions.
struct Form {
    Matrix<double> weight{kMaxColumns, kDim};
    double coefficient(int r, int t) const {
        double sum = 0.0;
        for (int c = 0; c < kMaxColumns; ++c) sum += weight(c, r) * weight(c, t);
        return sum;
    }
    double amplitude(int r) const { return std::sqrt(coefficient(r, r)); }
    double correlation(int r, int t) const {
        const double both = amplitude(r) * amplitude(t);
        return both > 0.0 ? std::clamp(coefficient(r, t) / both, -1.0, 1.0) : 1.0;
    }
};

void fillCorrelations(const Form& form, HeadPlan& plan) {
    for (int row = 0, step = 0; row < kBlocks; ++row)
        for (int col = row; col < kBlocks; ++col, ++step)
            for (int c = 0; c < 4; ++c)
                for (int which = 0; which < 2; ++which) {
                    const int r = 4 * row + c / 2 + 2 * which, t = 4 * col + 2 * (c % 2);
                    plan.correlation[step][c][which] = halves(form.correlation(r, t), form.correlation(r, t + 1));
                }
}

HeadPlan planHead(const Oal& spec, const KvPlan& kv, double scale) {
    const state::BulkFirst bulk = state::bulkFirst(spec);
    HeadPlan plan;
    plan.floor = static_cast<float>(bulk.floor);
    plan.columns = spec.groups;
    Form form;
    for (int c = 0; c < spec.groups; ++c) {
        plan.offset[c] = static_cast<float>(bulk.offset[static_cast<std::size_t>(c)]);
        for (int p = 0; p < kDim; ++p) {
            if (kv.dimension[p] < 0) continue;
            const int label = spec.label[static_cast<std::size_t>(kv.dimension[p])];
            form.weight(c, p) = scale * bulk.weight(label, c);
            plan.weight[c][p] = static_cast<float>(form.weight(c, p));
            if (plan.weight[c][p] != 0.0F) plan.slices[c] |= 1U << (p / kTile);
        }
    }
    for (int p = 0; p < kDim; ++p) plan.amplitude[p] = static_cast<float>(form.amplitude(p));
    fillCorrelations(form, plan);
    return plan;
}

int correlatedBlockOf(const HeadPlan& plan) {
    const std::uint32_t one = halves(1.0, 1.0);
    for (int col = 0; col < kBlocks; ++col)
        for (int row = 0; row <= col; ++row)
            for (const auto& words : plan.correlation[firstStep(row) + col - row])
                if (words[0] != one || words[1] != one) return col;
    return kBlocks;
}

int slicesOf(const HeadPlan& plan) {
    int count = 0;
    for (const std::uint32_t mask : plan.slices) count += std::popcount(mask);
    return count;
}

}  // namespace

QuadraticPlan planQuadratic(std::span<const Oal> specs, int kvHeads, double scale) {
    for (const Oal& spec : specs) checkRoom(spec);
    QuadraticPlan plan;
    plan.group = static_cast<int>(specs.size()) / kvHeads;
    for (int kv = 0; kv < kvHeads; ++kv) {
        const auto heads =
            specs.subspan(static_cast<std::size_t>(kv * plan.group), static_cast<std::size_t>(plan.group));
        plan.kv.push_back(orderedDimensions(heads));
        for (const Oal& spec : heads) {
            plan.heads.push_back(planHead(spec, plan.kv.back(), scale));
            plan.correlatedBlock = std::min(plan.correlatedBlock, correlatedBlockOf(plan.heads.back()));
            plan.mostSlices = std::max(plan.mostSlices, slicesOf(plan.heads.back()));
        }
    }
    return plan;
}

}  // namespace dimscope::kernels::cuda
