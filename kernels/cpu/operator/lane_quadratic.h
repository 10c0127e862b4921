// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_body.h"

// Inner loops of the grouped quadratic kernel; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

/// q_c = weighted queries of the listed dimensions (all of them where `dims` is null) into `out`; adds 2 l_c q_c and
/// l_c^2.
void addColumn(const PanelTask& task, int column, const std::int32_t* dims, Index from, Index to, float* out) {
    const HeadCoefficients& head = *task.head;
    const float* weight = head.weight + column * head.dim;
    for (Index part = 0; part < kLanes; part += kWidth) {
        Vector l = spread(head.offset[column]);
        for (Index n = from; n < to; ++n) {
            const Index r = dims ? dims[n] : n;
            const Vector q = load(task.panel + r * kLanes + part) * weight[r];
            l += q * task.shift[r];  // q . k = q . shift + q . (k - shift)
            store(out + n * kLanes + part, q);
        }
        for (Index n = from; n < to; ++n) {
            float* linear = task.panel + head.linearAt + (dims ? dims[n] : n) * kLanes + part;
            store(linear, load(linear) + 2.0F * l * load(out + n * kLanes + part));
        }
        store(task.panel + head.offsetAt + column * kLanes + part, l);
        float* constant = task.panel + head.constantAt + part;
        store(constant, load(constant) + l * l);
    }
}

[[maybe_unused]] void makePanel(const PanelTask& task) {
    const HeadCoefficients& head = *task.head;
    float* linear = task.panel + head.linearAt;
    transposeRows(task.query, task.stride, task.count, task.width, head.dim, task.panel);
    for (Index n = 0; n < head.dim * kLanes; ++n) linear[n] = 0.0F;
    for (Index lane = 0; lane < kLanes; ++lane) task.panel[head.constantAt + lane] = head.floor;
    for (int c = 1; c < head.columns; ++c)
        addColumn(task, c, head.tailDim, head.tailFrom[c], head.tailCount,
                  task.panel + head.tailAt + (c - 1) * head.tailCount * kLanes);
    addColumn(task, 0, nullptr, 0, head.dim, task.panel);  // last: it overwrites the plain queries
}

/// Query features of one diagonal, (dim, lanes). Every unordered pair of dimensions appears once, but twice on the
/// last diagonal of an even dim: hence the factors 1 and 2.
void diagonalFeatures(const HeadCoefficients& head, const float* panel, Index diagonal, float* out) {
    const Index dim = head.dim;
    if (diagonal == 0) {
        for (Index n = 0; n < dim * kLanes; n += kWidth) store(out + n, load(panel + head.linearAt + n));
        return;
    }
    const Index s = diagonal - 1;
    const Vector factor = spread(s == 0 || 2 * s == dim ? 1.0F : 2.0F);
    for (Index r = 0; r < dim; ++r) {
        const float* a = panel + r * kLanes;
        const float* b = panel + (r + s < dim ? r + s : r + s - dim) * kLanes;
        store(out + r * kLanes, factor * load(a) * load(b));
        store(out + r * kLanes + kWidth, factor * load(a + kWidth) * load(b + kWidth));
    }
    const float* tail = panel + head.tailAt;
    for (std::int32_t n = head.termFrom[s]; n < head.termFrom[s + 1]; ++n) {
        const PairTerm& term = head.terms[n];
        for (int c = 1; c < head.columns; ++c) {
            if (term.first < head.tailFrom[c]) break;  // first <= second: no weight here, nor in later columns
            const float* q = tail + (c - 1) * head.tailCount * kLanes;
            for (Index part = 0; part < kLanes; part += kWidth) {
                float* feature = out + term.row * kLanes + part;
                store(feature, load(feature) + term.factor * load(q + term.first * kLanes + part) *
                                                   load(q + term.second * kLanes + part));
            }
        }
    }
}

[[maybe_unused]] void readoutChunk(const ReadoutTask& task) {
    const StateTask& state = task.state;
    const Index dim = state.dim, block = state.columns * dim;
    for (Index d = state.from; d < state.to; d += kDiagonalsAtOnce) {
        const Index count = state.to - d < kDiagonalsAtOnce ? state.to - d : kDiagonalsAtOnce;
        const Factor factor{state.state + d * block, dim, dim, count, block};
        for (Index p = 0; p < task.panelCount; ++p) {
            const float* panel = task.panels + p * task.head->panelSize;
            float* sums = task.sums + p * state.columns * kLanes;
            for (Index n = 0; n < count; ++n)
                diagonalFeatures(*task.head, panel, d + n, state.scratch + n * dim * kLanes);
            if (d == state.from)
                multiply<Into::Replace>(state.scratch, factor, state.columns, nullptr, sums, kLanes);
            else
                multiply<Into::Add>(state.scratch, factor, state.columns, nullptr, sums, kLanes);
        }
    }
    if (!state.total) return;
    for (Index p = 0; p < task.panelCount; ++p)
        multiply<Into::Add>(task.panels + p * task.head->panelSize + task.head->constantAt,
                            Factor{state.total, 1, 1, 1, 0}, state.columns, nullptr,
                            task.sums + p * state.columns * kLanes, kLanes);
}

[[maybe_unused]] void updateChunk(const StateTask& task) {
    const Index keyStride = task.dim + task.dim / 2;
    const Factor values{task.values, kChunk, task.tokens, 1, 0};
    for (Index d = task.from; d < task.to; ++d)
        for (Index r = 0; r < task.dim; r += kLanes) {
            for (Index t = 0; t < task.tokens; ++t) {
                const float* key = task.keys + t * keyStride + r;
                for (Index part = 0; part < kLanes; part += kWidth) {
                    const Vector k = load(key + part);
                    store(task.scratch + t * kLanes + part, d == 0 ? k : k * load(key + d - 1 + part));
                }
            }
            multiply<Into::Add>(task.scratch, values, task.columns, nullptr,
                                task.state + d * task.columns * task.dim + r, task.dim);
        }
    if (!task.total) return;
    for (Index c = 0; c < task.columns; ++c) {
        float sum = 0.0F;
        for (Index t = 0; t < task.tokens; ++t) sum += task.values[c * kChunk + t];
        task.total[c] += sum;
    }
}

/// kappa of one key from l_0 + q_0 . k, in place.
inline void squareRow(const HeadCoefficients& head, const float* panel, const float* key, float* row) {
    const float* tail = panel + head.tailAt;
    for (Index part = 0; part < kLanes; part += kWidth) {
        const Vector first = load(row + part);
        Vector kappa = first * first + head.floor;
        for (int c = 1; c < head.columns; ++c) {
            Vector sum = load(panel + head.offsetAt + c * kLanes + part);
            const float* q = tail + (c - 1) * head.tailCount * kLanes + part;
            for (Index n = head.tailFrom[c]; n < head.tailCount; ++n)
                sum += load(q + n * kLanes) * key[head.tailDim[n]];
            kappa += sum * sum;
        }
        store(row + part, kappa);
    }
}

[[maybe_unused]] void pairsOfPanel(const PairTask& task) {
    const HeadCoefficients& head = *task.head;
    const Index keyStride = head.dim + head.dim / 2;
    const Index last = task.position + kLanes;
    const Index end = last < task.tokens ? last : task.tokens;
    for (Index first = 0; first < end; first += kChunk) {
        const Index count = end - first < kChunk ? end - first : kChunk;
        const float* keys = task.keys + first * keyStride;
        multiply<Into::Replace>(task.panel, Factor{keys, keyStride, head.dim, 1, 0}, count, task.panel + head.offsetAt,
                                task.scratch, kLanes);
        for (Index j = 0; j < count; ++j) {
            float* row = task.scratch + j * kLanes;
            squareRow(head, task.panel, keys + j * keyStride, row);
            for (Index lane = 0; lane < first + j - task.position; ++lane) row[lane] = 0.0F;  // key after the query
        }
        multiply<Into::Add>(task.scratch, Factor{task.values + first * task.columns, kChunk, count, 1, 0}, task.columns,
                            nullptr, task.sums, kLanes);
    }
}

}  // namespace
}  // namespace dimscope::kernels::cpu
