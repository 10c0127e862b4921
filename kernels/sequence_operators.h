// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel_spec.h"
#include "kernels/run_control.h"

namespace dimscope::kernels {

/// All heads of one layer and prompt, causal, every position valid.
struct SequenceTensors {
    std::vector<MatrixView<float>> query;   ///< per query head: (rows, head_dim)
    std::vector<MatrixView<float>> key;     ///< per KV head: (rows, head_dim)
    std::vector<MatrixView<float>> value;   ///< per KV head: (rows, value_dim)
    std::vector<MatrixSpan<float>> output;  ///< per query head: (rows, value_dim), memory of the caller
    double scale = 1.0;
};

/// What a pass over whole sequences needed and could not do.
struct SequenceUse {
    std::size_t workspaceBytes = 0;       ///< at its peak, inputs and outputs not counted
    std::vector<std::vector<Index>> bad;  ///< per query head: positions without an output; NaN stands there
    std::string detail;                   ///< "avx2"
};

/// One kernel on whole sequences. Throws ShapeError, Cancelled.
using SequenceOperator = std::function<SequenceUse(const SequenceTensors&, const RunControl&)>;

/// The full-sequence operators of the processor and the threads they run on.
class SequenceOperators {
public:
    /// 0: all cores.
    explicit SequenceOperators(int threads);
    ~SequenceOperators();
    int threads() const;

    /// The operator of one kernel, `heads` being its specification for every query head; empty where it has no
    /// linear-time form.
    /// It uses the threads of this object, which must outlive it.
    SequenceOperator make(std::span<const KernelSpec> heads);

private:
    struct Threads;
    std::unique_ptr<Threads> threads_;
};

}  // namespace dimscope::kernels
