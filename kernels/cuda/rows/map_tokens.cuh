// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/rows/task_list.cuh"
#include "kernels/indices.h"

namespace dimscope::kernels::cuda {

// What becomes of one token at a time: features from a query or key, or from its projections. Section numbers:
// resources/docs/kernels.md. Vectors x have `width` numbers, `first` and `second` are parameters of the map.

enum class TokenMap : std::int32_t {
    Scaled,           ///< factor x
    Selected,         ///< (x - first) second: centred (13.9), then restricted to some dimensions (7); null: neither
    Unit,             ///< x / max(|x|, 1e-12)
    Normalised,       ///< x / (|x| + 1e-3) (9, RFA)
    LayerNormalised,  ///< (x - mean) / sqrt(variance + 1e-5) first + second; null: 1 and 0 (9, ReBased)
    Elu,              ///< elu(x) + 1
    Rectified,        ///< max(x, 0)
    Softmaxes,        ///< softmax(x) and softmax(-x), each at least 1e-12 (9, Hedgehog): 2 width numbers
    JointSoftmax,     ///< softmax(2x, -2x): 2 width numbers
    LogSoftmax,       ///< x - ln sum exp(x) + first
    SineCosine,       ///< 0.1 sin x and 0.1 cos x: 2 width numbers
    SketchProduct,    ///< x_r x_(width/2 + r) / (width/2): width/2 numbers (9, PolySketch)
    GroupTerms,       ///< factor x_r l(label r + 1, c) for the columns c of the factor `first` (5); `labels`, `groups`
    Sharpened,        ///< exp(B (x - max)) + factor, x with one more entry 1 (2.2)
    Floored,          ///< exp(x - |token|^2 scale / 2 - maximum) + factor (1); `projectionShift`, `maximum`
    LargestExponent,  ///< into `offset`: what Floored takes the maximum of
    Logarithms,       ///< B x (2.1, where phi is given), of a query with 2 A first, or first alone, added; into `shift`
                      ///< their largest, of a key into `offset` that shift - |token|^2 scale / 2
    UnitLogarithms,   ///< the same for features that sum to 1 (3): of a key into `offset` shift - ln sum exp(x)
};

template <class In, class Out>
struct MapTask {
    TokenMap map = TokenMap::Scaled;
    const In* in = nullptr;
    std::int64_t inStride = 0;
    int width = 0;
    const Index* positions = nullptr;  ///< (rows) which tokens are read; null: all, in order
    bool gathered = false;             ///< `in` holds one row per position already
    std::int64_t rows = 0;
    Out* out = nullptr;  ///< may be `in`
    std::int64_t outStride = 0;
    double factor = 1.0;
    const double *first = nullptr, *second = nullptr;
    const int* labels = nullptr;
    int groups = 0;
    // What is asked of the tokens themselves, (positions, dim).
    const float *query = nullptr, *key = nullptr;
    bool ofKey = false;
    int dim = 0;
    double scale = 1.0;
    const double* phi = nullptr;      ///< statistic of sections 2.1 and 2.2; null: of each position
    const double* maximum = nullptr;  ///< of all keys; null: each token's own
    bool projectionShift = false;
    Out* shift = nullptr;      ///< (rows)
    double* offset = nullptr;  ///< (rows)
    std::int64_t firstBlock = 0;
};

/// Tokens that one block maps, a warp each.
inline constexpr int kTokensPerBlock = 8;

template <class In, class Out>
void launchMaps(const DeviceTasks<MapTask<In, Out>>& maps, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
