// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_math.h"

// Inner loops of exact attention; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

/// One panel's share of the scratch memory.
struct ExactPanel {
    float* query;    // (dim, lanes), times scale / ln 2
    float* sums;     // (valueDim + 1, lanes), the last row is the denominator
    float* largest;  // (lanes)
};

ExactPanel exactPanel(const ExactTask& task, Index panel) {
    float* base = task.scratch + kLanes * (kKeyTile + panel * (task.dim + task.valueDim + 3));
    return {base, base + kLanes * task.dim, base + kLanes * (task.dim + task.valueDim + 1)};
}

/// Weights 2^(s - m) of `count` keys in place of their logits, with everything so far rescaled to the new maximum m.
void weightsOfTile(const ExactPanel& panel, Index valueDim, float* logits, Index count) {
    float* denominator = panel.sums + valueDim * kLanes;
    for (Index part = 0; part < kLanes; part += kWidth) {
        const Vector before = load(panel.largest + part);
        Vector m = before;
        for (Index j = 0; j < count; ++j) {
            const Vector s = load(logits + j * kLanes + part);
            m = s > m ? s : m;
        }
        Vector sum{};
        for (Index j = 0; j < count; ++j) {
            const Vector w = powerOfTwo(load(logits + j * kLanes + part) - m);
            store(logits + j * kLanes + part, w);
            sum += w;
        }
        bool moved = false;
        for (int n = 0; n < kWidth; ++n) moved = moved || m[n] != before[n];
        if (moved) {
            const Vector shrink = powerOfTwo(before - m);
            for (Index c = 0; c <= valueDim; ++c) {
                float* o = panel.sums + c * kLanes + part;
                store(o, load(o) * shrink);
            }
            store(panel.largest + part, m);
        }
        store(denominator + part, load(denominator + part) + sum);
    }
}

void exactTile(const ExactTask& task, Index panel, Index firstKey) {
    const ExactPanel p = exactPanel(task, panel);
    const Index position = task.position + panel * kLanes;
    const Index last = task.position + task.count;
    const Index end = position + kLanes < last ? position + kLanes : last;  // keys that the panel's queries see
    const Index count = end - firstKey < kKeyTile ? end - firstKey : kKeyTile;
    if (count <= 0) return;
    float* logits = task.scratch;
    multiply<Into::Replace>(p.query, Factor{task.keys + firstKey * task.dim, task.dim, task.dim, 1, 0}, count, nullptr,
                            logits, kLanes);
    for (Index j = position > firstKey ? position - firstKey : 0; j < count; ++j)
        for (Index lane = 0; lane < kLanes && lane < firstKey + j - position; ++lane)
            logits[j * kLanes + lane] = -__builtin_inff();
    weightsOfTile(p, task.valueDim, logits, count);
    multiply<Into::Add>(logits, Factor{task.values + firstKey * task.valueDim, kKeyTile, count, 1, 0}, task.valueDim,
                        nullptr, p.sums, kLanes);
}

[[maybe_unused]] void exactBlock(const ExactTask& task) {
    const Index panels = (task.count + kLanes - 1) / kLanes;
    for (Index n = 0; n < panels; ++n) {
        const ExactPanel p = exactPanel(task, n);
        const Index rows = task.count - n * kLanes < kLanes ? task.count - n * kLanes : kLanes;
        transposeRows(task.query + n * kLanes * task.queryStride, task.queryStride, rows, task.dim, task.dim, p.query);
        const float toBinary = task.scale * 1.44269504088896341F;
        for (Index k = 0; k < task.dim * kLanes; ++k) p.query[k] *= toBinary;
        for (Index k = 0; k < (task.valueDim + 1) * kLanes; ++k) p.sums[k] = 0.0F;
        for (Index lane = 0; lane < kLanes; ++lane) p.largest[lane] = -__builtin_inff();
    }
    for (Index firstKey = 0; firstKey < task.position + task.count; firstKey += kKeyTile)
        for (Index n = 0; n < panels; ++n) exactTile(task, n, firstKey);
    for (Index n = 0; n < panels; ++n) {
        const Index rows = task.count - n * kLanes < kLanes ? task.count - n * kLanes : kLanes;
        finishPanel({task.valueDim + 1, rows, exactPanel(task, n).sums, task.output + n * kLanes * task.outputStride,
                     task.outputStride, task.bad + n * kLanes});
    }
}

}  // namespace
}  // namespace dimscope::kernels::cpu
