// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/operator/quadratic_state.h"
#include "kernels/cpu/worker_pool.h"
#include "kernels/kernel_spec.h"

namespace dimscope::kernels::cpu {

struct LaneKernels;

/// All heads of one layer and prompt, causal, every position valid. Rows may be strided, in inputs and outputs.
struct SequenceHeads {
    std::vector<MatrixView<float>> query;  ///< per query head: (rows, head_dim), post-RoPE
    std::vector<MatrixView<float>> key;    ///< per KV head: (rows, head_dim); query head h reads h / (heads / KV heads)
    std::vector<MatrixView<float>> value;  ///< per KV head: (rows, value_dim)
    std::vector<MatrixSpan<float>> output;  ///< per query head: (rows, value_dim), memory of the caller
    double scale = 1.0;                     ///< logit = scale * q.k
};

struct SequenceReport {
    /// Per query head, ascending: positions whose denominator is not positive or not finite, or whose output is not
    /// finite. Their output is NaN. A value that is not finite spoils every later position of its KV head, and up to
    /// 31 earlier ones that share its panel.
    std::vector<std::vector<Index>> bad;
    std::size_t workspaceBytes = 0;  ///< what the call allocated at its peak, inputs and outputs not counted
    std::string lanes;               ///< instruction set that was used
};

/// Exact causal softmax attention of whole sequences in float, tiled with online normalisation (Milakov and
/// Gimelshein, arXiv 1805.02867). O(rows^2 (head_dim + value_dim)) per head; workspace: one copy of keys and values.
/// `lanes` null: the fastest instruction set of this processor. Throws ShapeError, Cancelled.
SequenceReport attendExact(const SequenceHeads& heads, WorkerPool& pool, const RunControl& control,
                           const LaneKernels* lanes = nullptr);

/// The grouped quadratic kernel (section 5 of resources/docs/kernels.md; one specification per query head, the global
/// quadratic is G = 1) of whole sequences in float and in O(rows head_dim^2 value_dim / 2) per head: pairs inside a
/// chunk and in the first slab of a sequence, packed symmetric states elsewhere, updated once per KV head. Regime: from
/// about 2 thousand positions on; below, it visits pairs only. The workspace does not grow with the rows.
/// `state` continues a sequence and receives what follows it; null: a sequence of its own. After an exception it is as
/// it was before. Throws ShapeError (also for a state of another shape), Cancelled.
SequenceReport attendQuadratic(const SequenceHeads& heads, std::span<const Oal> specs, QuadraticState* state,
                               WorkerPool& pool, const RunControl& control, const LaneKernels* lanes = nullptr);

/// Throws ShapeError where the tensors do not fit together. Shared by both operators.
void checkSequence(const SequenceHeads& heads);

}  // namespace dimscope::kernels::cpu
