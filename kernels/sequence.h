// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "kernels/backend.h"

namespace dimscope::kernels {

namespace state {
struct SequenceContent;
}

/// What a query head carries from one stretch of its sequence to the next: sums over the keys so far, and the latest
/// tokens where a kernel or an exact part still needs them. Default: the start of a sequence. It belongs to the kernel,
/// the evaluation and the backend that made it. Copies are cheap.
class SequenceState {
public:
    /// Tokens behind it.
    Index positions() const;
    /// (features, value_dim + 1) sums of phi_f(k) (v, 1) over the keys absorbed; empty at the start. Features of
    /// second-order kernels: 1, k_r, k_r k_t for t <= r row by row. Those of exponential kernels are relative to the
    /// largest exponent of each feature.
    Matrix<double> sums() const;
    /// What it holds in memory.
    std::size_t bytes() const;

    explicit SequenceState(std::shared_ptr<const state::SequenceContent> content = nullptr);
    const state::SequenceContent* content() const { return content_.get(); }

private:
    std::shared_ptr<const state::SequenceContent> content_;
};

/// A stretch of one query head in linear time. A layer with grouped queries is one job per query head.
struct SequenceJob {
    HeadInputs head;
    KernelSpec kernel;
    Evaluation how = {};
    SequenceState* state = nullptr;  ///< continued, and replaced by what follows; null: a sequence of its own
    Index chunk = 64;  ///< tokens between two uses of the state; the result depends on it in rounding only
    bool wantCondition = false;
};

struct SequenceOutput {
    Matrix<double> values;  ///< (rows, value_dim); NaN in rows that are bad
    std::vector<std::uint8_t>
        bad;  ///< (rows), 1: no visible key, a denominator that is 0 or not finite, or such output
    Index negativeDenominators = 0;  ///< rows that are not bad and divide by a negative number
    /// (rows) where asked for: sum |phi S| / |sum phi S| of the denominator (of the output where there is none), the
    /// factor by which rounding grows.
    std::vector<double> condition;
};

/// Whether a kernel has a linear-time form for this head: the reason where not.
Support linearTime(const KernelSpec& spec, const Evaluation& how, const HeadInputs& head);

}  // namespace dimscope::kernels
