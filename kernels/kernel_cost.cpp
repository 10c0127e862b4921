// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_cost.h"

#include <cmath>

#include "kernels/attention_math.h"

namespace dimscope::kernels {
namespace {

class Cost {
public:
    explicit Cost(const HeadShape& shape) : rows_(shape.rows), d_(shape.headDim), dv_(shape.valueDim) {}

    KernelCost operator()(const Softmax&) const { return pairwise(0); }
    KernelCost operator()(const Performer& s) const { return projected(s.projection->rows(), s.projection->rows(), 0); }
    KernelCost operator()(const SpectraFormer&) const { return normalised(d_ + 1, 3 * d_, fastFood()); }
    KernelCost operator()(const SpectraFormerUnbiased&) const { return normalised(d_, 3 * d_, fastFood()); }
    KernelCost operator()(const DiJiang&) const { return projected(d_, d_, d_); }
    KernelCost operator()(const TaylorShift&) const { return quadratic(1); }
    KernelCost operator()(const Taylor&) const { return quadratic(0); }
    KernelCost operator()(const Based&) const { return quadratic(0); }
    KernelCost operator()(const GlobalQuadratic&) const { return quadratic(3); }
    KernelCost operator()(const Oal& s) const { return quadratic(packedLength(s.groups + 1)); }
    KernelCost operator()(const ZerosSm&) const { return pairwise(2); }
    /// Three states of key by value, the running mean of keys, and the sums of s and exp(s).
    KernelCost operator()(const LinearZeros&) const {
        return {3 * d_, 3 * d_ * dv_ + d_ + 2, 2, 4.0 * product(3 * d_, dv_)};
    }
    KernelCost operator()(const Elu&) const { return normalised(d_, 0, 2.0 * real(d_)); }
    KernelCost operator()(const CosFormer&) const { return normalised(2 * d_, 0, 4.0 * real(d_)); }
    KernelCost operator()(const Rfa& s) const { return projected(s.projection->rows(), 2 * s.projection->rows(), 0); }
    KernelCost operator()(const Hedgehog& s) const {
        const Index maps = s.query == s.key ? 1 : 2;
        return projected(d_, 2 * d_, maps * d_ * d_);
    }
    KernelCost operator()(const ReBased&) const { return normalised(packed(d_), 2 * d_, 2.0 * real(packed(d_))); }
    KernelCost operator()(const Power& s) const {
        return s.exponent == 2 ? normalised(packed(d_), 0, 2.0 * real(packed(d_))) : pairwise(0);
    }
    /// The square of phi'(q).phi'(k) has the products of two sketches as features.
    KernelCost operator()(const PolySketch& s) const {
        const Index r = s.s1->cols();
        return normalised(packed(r), 0, 8.0 * product(d_, r) + 2.0 * real(packed(r)));
    }
    /// The features of older keys, and the keys and values of the window.
    KernelCost operator()(const Lolcats& s) const {
        KernelCost cost = normalised(2 * d_, 0, 4.0 * real(d_));
        *cost.stateEntries += s.window * (d_ + dv_);
        cost.flopsPerToken += 2.0 * product(s.window, d_ + dv_);
        return cost;
    }
    KernelCost operator()(const RetNet&) const { return {d_, d_ * dv_, 1, 5.0 * product(d_, dv_)}; }
    KernelCost operator()(const Uniform&) const { return normalised(1, 0, 0.0); }
    KernelCost operator()(const Zero&) const { return {0, 0, 0, 0.0}; }
    KernelCost operator()(const FirstValue&) const { return {0, dv_, 0, 0.0}; }

private:
    static double real(Index n) { return static_cast<double>(n); }
    static double product(Index a, Index b) { return real(a) * real(b); }
    static Index packed(Index n) { return n * (n + 1) / 2; }
    double fastFood() const { return 4.0 * real(d_) * (2.0 * std::log2(real(d_)) + 2.0); }

    /// phi v^T and phi are summed up, then read: two products and two sums per entry.
    KernelCost normalised(Index features, Index learned, double mapFlops) const {
        return {features, features * (dv_ + 1), learned, mapFlops + 4.0 * product(features, dv_ + 1)};
    }
    /// Features of a dense product of q and of k with `rows` rows.
    KernelCost projected(Index rows, Index features, Index learned) const {
        return normalised(features, learned, 4.0 * product(rows, d_));
    }
    /// 1, the dimensions and their products (section 5).
    KernelCost quadratic(Index learned) const {
        return normalised(1 + d_ + packed(d_), learned, 2.0 * real(packed(d_)));
    }
    KernelCost pairwise(Index learned) const { return {{}, {}, learned, product(rows_, d_ + dv_)}; }

    Index rows_, d_, dv_;
};

}  // namespace

KernelCost kernelCost(const KernelSpec& spec, const HeadShape& shape) { return std::visit(Cost(shape), spec); }

}  // namespace dimscope::kernels
