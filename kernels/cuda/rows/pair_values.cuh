// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/attention_math.h"
#include "kernels/cuda/rows/weigh_rows.cuh"

namespace dimscope::kernels::cuda {

/// A product of exponentials below this may have lost terms: each of its factors ends at 1e-38, so 250 lost terms are
/// 3e-6 of it.
inline constexpr double kTrustedProduct = 1e-30;

/// ln sum_f exp(left f + right f) of one pair, less the shifts of the factors.
template <class Real>
__device__ double logSumOfPair(const Factor<Real>& left, std::int64_t row, const Factor<Real>& right, std::int64_t key,
                               int features) {
    const Real *l = left.data + row * left.stride, *r = right.data + key * right.stride;
    double largest = -INFINITY, sum = 0.0;
    for (int f = 0; f < features; ++f) largest = fmax(largest, static_cast<double>(l[f]) + static_cast<double>(r[f]));
    for (int f = 0; f < features; ++f) sum += exp(static_cast<double>(l[f]) + static_cast<double>(r[f]) - largest);
    const double shift = (left.shift ? static_cast<double>(left.shift[row]) : 0.0) +
                         (right.shift ? static_cast<double>(right.shift[key]) : 0.0);
    return largest + log(sum) - shift;
}

/// The function of single pairs of one row.
class PairValues {
public:
    __device__ PairValues(const WeighTask& task, std::int64_t row)
        : task_(task),
          row_(row),
          position_(task.positions[row]),
          products_(task.products + row * task.terms * task.stride) {}

    __device__ static bool isLogarithm(PairRule rule) { return rule <= PairRule::LogSum; }
    __device__ static bool isWeight(PairRule rule) { return rule >= PairRule::ZeroSum; }

    /// Of a visible key; `top` is the largest logit of the window.
    __device__ double operator()(std::int64_t j, double top) const {
        const double p =
            task_.rule == PairRule::Constant || task_.rule == PairRule::Nothing || task_.rule == PairRule::LogSum
                ? 0.0
                : products_[j];
        const double value = function(p, j, top);
        if (!task_.complement) return value;
        return (isLogarithm(task_.rule) ? value : log(value)) + task_.complement[row_ * task_.stride + j];
    }

private:
    __device__ double function(double p, std::int64_t j, double top) const {
        switch (task_.rule) {
            case PairRule::Logit: return softCapped(p, task_.softcap);
            case PairRule::LogProduct:
                if (p >= kTrustedProduct) return log(p) + task_.offset[j];
                return logSumOfPair(task_.left, row_, task_.right, j, task_.features) + task_.offset[j];
            case PairRule::LogSum: return logSumOfPair(task_.wideLeft, row_, task_.wideRight, j, task_.features);
            case PairRule::Constant: return 1.0;
            case PairRule::Taylor: return taylorQuadratic(task_.a * p);
            case PairRule::Power: return power(p);
            case PairRule::Square: return task_.a * p * p;
            case PairRule::Quadratic: return quadratic(p, j);
            case PairRule::CosDistance: return p * cospi(static_cast<double>(position_ - j) / (2.0 * task_.a));
            case PairRule::Windowed: return position_ - j < task_.window ? task_.b * exp(secondOf(j) - top) : p;
            case PairRule::Decay: return task_.a * pow(task_.b, static_cast<double>(position_ - j)) * p;
            case PairRule::Product:
            case PairRule::ZeroSum:
            case PairRule::ZeroSumRadial: return p;
            case PairRule::Nothing: break;
        }
        return 0.0;
    }
    __device__ double power(double p) const {
        double result = p;
        for (int n = 1; n < task_.exponent; ++n) result *= p;
        return result;
    }
    __device__ double quadratic(double p, std::int64_t j) const {
        double sum = task_.epsilon + (task_.a + p) * (task_.a + p);
        for (int term = 1; term < task_.terms; ++term) {
            const double value = products_[term * task_.stride + j];
            sum += value * value;
        }
        return sum;
    }
    __device__ double secondOf(std::int64_t j) const { return task_.second[row_ * task_.stride + j]; }

    const WeighTask task_;
    std::int64_t row_, position_;
    const double* products_;
};

}  // namespace dimscope::kernels::cuda
