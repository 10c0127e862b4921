// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "kernels/cpu/operator/row_tasks.h"

namespace dimscope::kernels::cpu {

// The inner loops of the full-sequence operators, once per instruction set. A "panel" holds `lanes` queries (or
// features) side by side, so that every loop runs over whole vectors and nothing is summed across a vector.
// All matrices here are row major; (a, b) means a rows of b entries.

/// Tokens of one chunk: inside it pairs are visited, across chunks the state is used. The pairs of 64 tokens cost
/// 3 % of their readouts, the passes over the state another 3 %; 128 was as fast on AVX2 within the noise and holds
/// twice as much.
inline constexpr Index kChunk = 64;

/// Diagonals of the state in one product: 128 features of 16 lanes at 64 dimensions are 8 KB, a quarter of the L1
/// cache. Four at once were 5 % slower.
inline constexpr Index kDiagonalsAtOnce = 2;

/// Contribution of the columns c >= 1 to one query feature: factor * sum_c q_c[first] q_c[second].
struct PairTerm {
    std::int32_t row;            ///< feature within its diagonal
    std::int32_t first, second;  ///< positions in the tail
    float factor;                ///< 1 on the diagonal, 2 elsewhere
};

/// kappa = floor + sum_c (l_c + q_c . k)^2 of one query head (bulk_first.h):
/// column 0 uses all dimensions, the others only those of the tail (all groups but the bulk).
struct HeadCoefficients {
    Index dim;                     ///< padded to a multiple of the lanes
    int columns;                   ///< G
    float floor;                   ///< what is left of the constant
    const float* offset;           ///< (columns) l_c before the key shift
    const float* weight;           ///< (columns, dim) scale times the weight of the dimension's group
    int tailCount;                 ///< dimensions outside the bulk, ordered by group
    const std::int32_t* tailDim;   ///< (tailCount)
    const std::int32_t* tailFrom;  ///< (columns) first tail position with a weight in column c
    const PairTerm* terms;         ///< ordered by diagonal
    const std::int32_t* termFrom;  ///< (dim / 2 + 2) first term of each diagonal
    // Places of the parts of one panel: query (dim, lanes) at 0, then these.
    Index linearAt;    ///< (dim, lanes) sum_c 2 l_c q_c
    Index constantAt;  ///< (lanes) floor + sum_c l_c^2
    Index offsetAt;    ///< (columns, lanes) l_c
    Index tailAt;      ///< (columns - 1, tailCount, lanes) q_c on the tail
    Index panelSize;
};

/// Makes the panel of queries [0, count) of one head.
struct PanelTask {
    const HeadCoefficients* head;
    const float* query;  ///< (count, width)
    Index stride, count, width;
    const float* shift;  ///< (dim) constant subtracted from all keys
    float* panel;
};

/// A range of the state's diagonals at one chunk. The state of a KV head is (dim / 2 + 2, columns, dim): diagonal 0 is
/// sum_j k_r u_j, diagonal 1 + s is sum_j k_r k_{(r + s) mod dim} u_j, u_j = (v_j, 1), columns = value_dim + 1.
struct StateTask {
    Index dim, columns, from, to;
    float* state;
    float* total;         ///< (columns) sum_j u_j; null in all ranges but one
    Index tokens;         ///< of the chunk, at most kChunk
    const float* keys;    ///< (tokens, 3/2 dim) shifted, continued cyclically
    const float* values;  ///< (columns, kChunk) transposed, the last row is 1
    float* scratch;       ///< lanes * max(kDiagonalsAtOnce dim, kChunk)
};
struct ReadoutTask {
    StateTask state;
    const HeadCoefficients* head;
    const float* panels;  ///< (panelCount, panelSize)
    Index panelCount;
    float* sums;  ///< (panelCount, columns, lanes), overwritten
};

/// Pairs of one panel with the keys from `firstChunk` on to the panel's own position.
struct PairTask {
    const HeadCoefficients* head;
    const float* panel;
    Index columns;
    Index position;       ///< of the panel's first query, counted from the first key of firstChunk
    Index tokens;         ///< keys there are, counted likewise
    const float* keys;    ///< (tokens, 3/2 dim)
    const float* values;  ///< (chunks, columns, kChunk)
    float* sums;          ///< (columns, lanes), added to
    float* scratch;       ///< kChunk * lanes
};

/// Divides by the last column and writes rows.
struct FinishTask {
    Index columns, count;
    const float* sums;  ///< (columns, lanes)
    float* output;      ///< (count, columns - 1)
    Index stride;
    std::uint8_t* bad;  ///< (count) 1: denominator not positive or not finite, or output not finite
};

/// Exact causal attention of consecutive query panels of one head.
struct ExactTask {
    Index dim, valueDim;
    Index position, count;  ///< queries [position, position + count)
    const float* query;     ///< (count, dim)
    Index queryStride;
    float scale;
    const float* keys;    ///< (positions, dim)
    const float* values;  ///< (tiles, valueDim, kKeyTile) transposed
    float* output;        ///< (count, valueDim)
    Index outputStride;
    std::uint8_t* bad;  ///< (count)
    float* scratch;     ///< see exactScratch
};

/// Keys in one tile of exact attention and query panels that share it: 64 keys and their values are 16 KB each at 64
/// dimensions and stay in the L2 cache for 8 panels. 128 keys and 4 panels were 12 % slower.
inline constexpr Index kKeyTile = 64;
inline constexpr Index kPanelsPerTask = 8;

struct LaneKernels {
    const char* name;
    Index lanes;
    void (*makePanel)(const PanelTask&);
    void (*readout)(const ReadoutTask&);
    void (*update)(const StateTask&);
    void (*pairs)(const PairTask&);
    void (*finish)(const FinishTask&);
    void (*exact)(const ExactTask&);
    RowLanes rows;
};

/// Entries of ExactTask::scratch: queries, sums, maxima and weights of the panels.
constexpr Index exactScratch(Index dim, Index valueDim, Index lanes) {
    return lanes * (kPanelsPerTask * (dim + valueDim + 3) + kKeyTile);
}

// One per instruction set; each is a source file with its own compiler flags.
const LaneKernels& portableLanes();
const LaneKernels& avx2Lanes();
const LaneKernels& avx512Lanes();

/// All that this processor can run, fastest first; the portable one is always there.
std::span<const LaneKernels* const> usableLanes();

}  // namespace dimscope::kernels::cpu
