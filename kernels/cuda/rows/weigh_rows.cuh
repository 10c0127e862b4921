// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/rows/device_mask.cuh"
#include "kernels/cuda/rows/multiply.cuh"

namespace dimscope::kernels::cuda {

// From products p(row, key) to weights: a function of each pair, the mask, and the division by a sum. All in double.

enum class PairRule : std::int32_t {
    // ln kappa, divided by the sum of kappa
    Logit,       ///< the soft-capped p
    LogProduct,  ///< ln p + offset of the key, p a product of exponentials less their shifts
    LogSum,      ///< ln sum_f exp(left f + right f), from the factors
    // kappa, divided by denominator(sum)
    Constant,     ///< 1
    Product,      ///< p
    Taylor,       ///< 1 + s + s^2/2, s = a p
    Power,        ///< p^exponent
    Square,       ///< a p^2
    Quadratic,    ///< epsilon + (a + p_0)^2 + sum of the other terms squared (5)
    CosDistance,  ///< p cos(pi (i - j) / (2a))
    Windowed,     ///< p; inside the window b exp(s - largest s there), s = `second`
    // the weights themselves
    ZeroSum,        ///< (8), of p
    ZeroSumRadial,  ///< p times (8) of `offset`
    Decay,          ///< a b^(i - j) p
    Nothing,        ///< 0
};

enum class Denominator : std::int32_t { Sum, Floored, OnePlus };

struct WeighTask {
    PairRule rule = PairRule::Constant;
    DeviceMask mask;
    const Index* positions = nullptr;  ///< (rows)
    std::int64_t rows = 0, keys = 0, stride = 0;
    double* products = nullptr;  ///< (rows, terms, stride); used up
    int terms = 1;
    const double* second = nullptr;      ///< (rows, stride)
    const double* complement = nullptr;  ///< (rows, stride): added to ln kappa (7); null: none
    const double* offset = nullptr;      ///< (keys)
    Factor<float> left, right;           ///< logarithms of LogProduct, where a product underflows
    Factor<double> wideLeft, wideRight;  ///< of LogSum
    int features = 0;
    double a = 1.0, b = 1.0, epsilon = 0.0, softcap = 0.0;
    double sigma1 = 1.0, sigmah = 1.0, sigma0 = 0.0;
    int exponent = 1;
    std::int64_t window = 0;
    Denominator denominator = Denominator::Sum;
    double floor = 0.0;
    bool firstOnly = false, hasSink = false;
    double sink = 0.0;
    float* weights = nullptr;       ///< (rows, stride); 0 where a key is not visible, NaN in a bad row
    std::uint8_t* state = nullptr;  ///< (rows) RowState
    double* mass = nullptr;         ///< (rows) what was divided by; of logarithms relative to the largest
    std::int64_t firstBlock = 0;
};

enum class RowState : std::uint8_t { Good, NegativeDenominator, Bad };

/// One block per row.
void launchWeights(const DeviceTasks<WeighTask>& tasks, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
