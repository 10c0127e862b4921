// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/pair_values.cuh"
#include "kernels/cuda/rows/warp_sums.cuh"
#include "kernels/cuda/rows/weigh_rows.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kThreads = 256;

/// One row and the block that weighs it. Values replace the first term of the products.
class RowWeigher {
public:
    __device__ RowWeigher(const WeighTask& task, std::int64_t row)
        : task_(task),
          position_(task.positions[row]),
          keys_(task.mask.candidates(position_, task.keys)),
          values_(task.products + row * task.terms * task.stride),
          weights_(task.weights + row * task.stride),
          pairs_(task, row),
          row_(row),
          logarithm_(PairValues::isLogarithm(task.rule) || task.complement) {}

    __device__ void run() {
        fillValues();
        const double divisor = visible_ == 0.0 ? 0.0 : divisorOf();
        const bool bad = divisor == 0.0 || !isfinite(divisor);
        __syncthreads();  // from here on a thread reads values of others
        for (std::int64_t j = threadIdx.x; j < task_.keys; j += kThreads) {
            const bool inside = j >= keys_.begin && j < keys_.end;
            weights_[j] = bad ? NAN : inside ? static_cast<float>(values_[j] / divisor) : 0.0F;
        }
        if (threadIdx.x != 0) return;
        const RowState state = bad ? RowState::Bad : divisor < 0.0 ? RowState::NegativeDenominator : RowState::Good;
        task_.state[row_] = static_cast<std::uint8_t>(state);
        task_.mass[row_] = visible_ == 0.0 ? 0.0 : divisor;
    }

private:
    template <class Step>
    __device__ void each(Step step) const {
        for (std::int64_t j = keys_.begin + threadIdx.x; j < keys_.end; j += kThreads) step(j);
    }
    template <class Step>
    __device__ void eachPicked(Step step) const {
        each([&](std::int64_t j) {
            if (picks(j)) step(j);
        });
    }
    __device__ bool picks(std::int64_t j) const { return task_.mask.picks(position_, j) && (only_ < 0 || j == only_); }
    template <class Term>
    __device__ double largest(Term term) const {
        double top = -INFINITY;
        eachPicked([&](std::int64_t j) { top = larger(top, term(j)); });
        return blockMax(top);
    }
    template <class Term>
    __device__ double sum(Term term) const {
        double total = 0.0;
        eachPicked([&](std::int64_t j) { total += term(j); });
        return blockSum(total);
    }

    /// The first key that is visible, where the kernel sees no other.
    __device__ void findOnly() {
        const double first = -largest([](std::int64_t j) { return -static_cast<double>(j); });
        only_ = isfinite(first) ? static_cast<std::int64_t>(first) : -1;
    }
    __device__ void fillValues() {
        if (task_.firstOnly) findOnly();
        double top = 0.0;
        if (task_.rule == PairRule::Windowed)
            top = largest([&](std::int64_t j) {
                return position_ - j < task_.window ? task_.second[row_ * task_.stride + j] : -INFINITY;
            });
        double count = 0.0;
        each([&](std::int64_t j) {
            const bool seen = picks(j);
            values_[j] = seen ? pairs_(j, top) : logarithm_ ? -INFINITY : 0.0;
            count += seen ? 1.0 : 0.0;
        });
        visible_ = blockSum(count);
    }
    /// Logarithms become exponentials on the way.
    __device__ double divisorOf() {
        if (task_.rule == PairRule::Nothing) {
            each([&](std::int64_t j) { values_[j] = 0.0; });
            return 1.0;
        }
        if (logarithm_) return exponentiate();
        if (task_.rule == PairRule::ZeroSum || task_.rule == PairRule::ZeroSumRadial) zeroSum();
        if (PairValues::isWeight(task_.rule)) return 1.0;
        const double total = sum([&](std::int64_t j) { return values_[j]; });
        if (task_.denominator == Denominator::OnePlus) return 1.0 + total;
        return task_.denominator == Denominator::Floored && !(total > task_.floor) ? floored(total) : total;
    }
    __device__ double floored(double total) const { return isnan(total) ? total : task_.floor; }
    __device__ double exponentiate() {
        double top = largest([&](std::int64_t j) { return values_[j]; });
        if (task_.hasSink) top = isnan(top) ? top : fmax(top, task_.sink);
        if (top == -INFINITY) return 0.0;
        each([&](std::int64_t j) { values_[j] = exp(values_[j] - top); });
        const double total = sum([&](std::int64_t j) { return values_[j]; });
        return (task_.hasSink ? exp(task_.sink - top) : 0.0) + total;
    }
    /// sigma1 delta / t + sigmah (softmax - 1/t - delta / t) + sigma0 / t of the logits, delta less their mean.
    __device__ void zeroSum() {
        const bool radial = task_.rule == PairRule::ZeroSumRadial;
        const auto logit = [&](std::int64_t j) { return radial ? task_.offset[j] : values_[j]; };
        const double count = visible_, mean = sum(logit) / count, top = largest(logit);
        const double total = sum([&](std::int64_t j) { return exp(logit(j) - top); });
        eachPicked([&](std::int64_t j) {
            const double first = (logit(j) - mean) / count;
            const double higher = exp(logit(j) - top) / total - 1.0 / count - first;
            const double weight = task_.sigma1 * first + task_.sigmah * higher + task_.sigma0 / count;
            values_[j] = radial ? weight * values_[j] : weight;
        });
    }

    const WeighTask task_;
    std::int64_t position_;
    DeviceKeys keys_;
    double* values_;
    float* weights_;
    PairValues pairs_;
    std::int64_t row_, only_ = -1;
    bool logarithm_;
    double visible_ = 0.0;
};

__global__ void __launch_bounds__(kThreads, 3) weigh(DeviceTasks<WeighTask> tasks) {
    const WeighTask task = ownTask(tasks);
    RowWeigher(task, blockIdx.x - task.firstBlock).run();
}

}  // namespace

void launchWeights(const DeviceTasks<WeighTask>& tasks, cudaStream_t stream) {
    if (tasks.blocks == 0) return;
    weigh<<<static_cast<unsigned>(tasks.blocks), kThreads, 0, stream>>>(tasks);
    check(cudaGetLastError(), "weighing keys");
}

}  // namespace dimscope::kernels::cuda
