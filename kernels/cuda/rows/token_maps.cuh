// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/attention_math.h"
#include "kernels/cuda/rows/map_tokens.cuh"
#include "kernels/cuda/rows/warp_sums.cuh"

namespace dimscope::kernels::cuda {

/// One token and the warp that maps it. Sums over a token in double.
template <class In, class Out>
class TokenMapper {
public:
    __device__ TokenMapper(const MapTask<In, Out>& task, std::int64_t row)
        : task_(task),
          row_(row),
          position_(task.positions ? task.positions[row] : row),
          in_(task.in + (task.gathered ? row : position_) * task.inStride),
          out_(task.out + row * task.outStride),
          lane_(static_cast<int>(threadIdx.x) % 32) {}

    __device__ void scaled() const {
        each([&](int c) { write(c, task_.factor * x(c)); });
    }
    __device__ void selected() const {
        each([&](int c) { write(c, (x(c) - parameter(task_.first, c, 0.0)) * parameter(task_.second, c, 1.0)); });
    }
    __device__ void divided(double floor, double added) const {
        const double norm = sqrt(sum([&](int c) { return x(c) * x(c); }));
        const double inverse = 1.0 / (fmax(norm, floor) + added);
        each([&](int c) { write(c, x(c) * inverse); });
    }
    __device__ void layerNormalised() const {
        const double mean = sum([&](int c) { return x(c); }) / task_.width;
        const double variance = sum([&](int c) { return (x(c) - mean) * (x(c) - mean); }) / task_.width;
        const double inverse = 1.0 / sqrt(variance + 1e-5);
        each([&](int c) {
            write(c, (x(c) - mean) * inverse * parameter(task_.first, c, 1.0) + parameter(task_.second, c, 0.0));
        });
    }
    __device__ void elu() const {
        each([&](int c) { write(c, x(c) > 0.0 ? x(c) + 1.0 : exp(x(c))); });
    }
    __device__ void rectified() const {
        each([&](int c) { write(c, fmax(x(c), 0.0)); });
    }
    /// Two softmaxes, or one over both halves with twice the exponent.
    __device__ void softmaxes(bool joint) const {
        const double factor = joint ? 2.0 : 1.0, floor = joint ? 0.0 : 1e-12;
        double top = largest([&](int c) { return factor * x(c); });
        double bottom = largest([&](int c) { return -factor * x(c); });
        if (joint) top = bottom = fmax(top, bottom);
        double up = sum([&](int c) { return exp(factor * x(c) - top); });
        double down = sum([&](int c) { return exp(-factor * x(c) - bottom); });
        if (joint) up = down = up + down;
        each([&](int c) {
            const double value = factor * x(c);
            write(c, fmax(exp(value - top) / up, floor));
            write(task_.width + c, fmax(exp(-value - bottom) / down, floor));
        });
    }
    __device__ void logSoftmax() const {
        const double top = largest([&](int c) { return x(c); });
        const double normaliser = top + log(sum([&](int c) { return exp(x(c) - top); }));
        each([&](int c) { write(c, x(c) - normaliser + parameter(task_.first, c, 0.0)); });
    }
    __device__ void sineCosine() const {
        each([&](int c) {
            double sine = 0.0, cosine = 0.0;
            sincos(static_cast<double>(x(c)), &sine, &cosine);
            write(c, 0.1 * sine);
            write(task_.width + c, 0.1 * cosine);
        });
    }
    __device__ void sketchProduct() const {
        const int half = task_.width / 2;
        for (int c = lane_; c < half; c += 32) write(c, x(c) * x(half + c) / half);
    }
    __device__ void groupTerms() const {
        for (int term = 0; term <= task_.groups; ++term)
            each([&](int c) {
                const int row = task_.labels[c] + 1;
                const double entry = term <= row ? task_.first[packedIndex(row, term)] : 0.0;
                write(term * task_.width + c, task_.factor * x(c) * entry);
            });
    }
    __device__ void sharpened() const {
        const double phi = task_.phi ? *task_.phi : positionPhi();
        const double sharpness = oprfSharpness(phi, static_cast<double>(task_.width));
        const double top = fmax(1.0, largest([&](int c) { return x(c); }));
        each([&](int c) { write(c, exp(sharpness * (x(c) - top)) + task_.factor); });
        if (lane_ == 0) write(task_.width, exp(sharpness * (1.0 - top)) + task_.factor);
    }
    __device__ void floored() const {
        const double half = halfSquaredNorm();
        const double top = task_.maximum ? *task_.maximum : largestExponent(half);
        each([&](int c) { write(c, exp(x(c) - half - top) + task_.factor); });
    }
    __device__ void noteLargestExponent() const {
        const double top = largestExponent(halfSquaredNorm());
        if (lane_ == 0) task_.offset[row_] = top;
    }
    __device__ void logarithms(bool unit) const {
        double sharpness = 1.0, bias = 1.0;
        if (task_.phi) {
            sharpness = oprfSharpness(*task_.phi, static_cast<double>(task_.width));
            bias = 2.0 * oprfConstant(*task_.phi, static_cast<double>(task_.width));
        }
        const bool changes = task_.phi || (!task_.ofKey && task_.first);
        if (changes) {
            each([&](int c) {
                write(c, sharpness * x(c) + (task_.ofKey ? 0.0 : bias * parameter(task_.first, c, 0.0)));
            });
            __syncwarp();
        }
        const Out* logs = changes ? out_ : reinterpret_cast<const Out*>(in_);
        const Out top = largest([&](int c) { return logs[c]; });
        if (lane_ == 0) task_.shift[row_] = top;
        if (!task_.ofKey) return;
        const double shift = static_cast<double>(top);
        const double offset = unit ? -log(sum([&](int c) { return exp(static_cast<double>(logs[c]) - shift); }))
                                   : shift - halfSquaredNorm();
        if (lane_ == 0) task_.offset[row_] = offset;
    }

private:
    template <class Step>
    __device__ void each(Step step) const {
#pragma unroll 4
        for (int c = lane_; c < task_.width; c += 32) step(c);
    }
    template <class Term>
    __device__ double sum(Term term) const {
        double total = 0.0;
        each([&](int c) { total += term(c); });
        return warpSum(total);
    }
    template <class Term>
    __device__ auto largest(Term term) const {
        auto top = static_cast<decltype(term(0))>(-INFINITY);
        each([&](int c) { top = larger(top, term(c)); });
        return warpMax(top);
    }
    __device__ double x(int c) const { return static_cast<double>(in_[c]); }
    __device__ void write(int c, double value) const { out_[c] = static_cast<Out>(value); }
    __device__ static double parameter(const double* values, int c, double otherwise) {
        return values ? values[c] : otherwise;
    }
    template <class Term>
    __device__ double sumOfToken(Term term) const {
        double total = 0.0;
        for (int c = lane_; c < task_.dim; c += 32) total += term(position_ * task_.dim + c);
        return warpSum(total);
    }
    __device__ double halfSquaredNorm() const {
        const float* token = task_.ofKey ? task_.key : task_.query;
        return 0.5 * task_.scale * sumOfToken([&](std::int64_t at) {
                   const double value = static_cast<double>(token[at]);
                   return value * value;
               });
    }
    __device__ double positionPhi() const {
        return task_.scale * sumOfToken([&](std::int64_t at) {
                   const double value = static_cast<double>(task_.query[at]) + static_cast<double>(task_.key[at]);
                   return value * value;
               });
    }
    __device__ double largestExponent(double half) const {
        return largest([&](int c) { return x(c); }) - (task_.projectionShift ? 0.0 : half);
    }

    const MapTask<In, Out> task_;  // not in memory that a write could change
    std::int64_t row_, position_;
    const In* in_;
    Out* out_;
    int lane_;
};

}  // namespace dimscope::kernels::cuda
