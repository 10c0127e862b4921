// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/state/carried.h"

namespace dimscope::kernels::state {

/// One stretch of one query head on the state path (sections 0 and 13.6). A row reads the sums over the keys that the
/// kernel stands for, which are absorbed chunk by chunk and as late as the exact keys and a kernel's own window ask
/// for, and visits those keys one by one. O(rows features value_dim).
template <class T>
class SequenceRun {
public:
    SequenceRun(const SequenceJob& job, Carried<T> before);
    SequenceOutput run(const RunControl& control);
    /// After run().
    Carried<T> after() const;

private:
    using Row = Eigen::Matrix<T, 1, Eigen::Dynamic>;
    struct Mix;
    void noteFirstKeys(const Tokens<T>& stretch);
    void chooseUsable();
    void makeForm();
    ChunkRange rangeAt(Index row, Index count) const;
    void passAll(SequenceOutput& out, const RunControl& control);
    void finishRow(Index row, const ChunkRows<T>& rows, Index inChunk, SequenceOutput& out);
    void addWindow(Index row, Row& sums, Index& seen) const;
    Mix exactKeys(Index row) const;
    double conditionOf(const Row& absolutes, T denominator, const Row& values) const;
    Index restCount(Index row) const;
    bool isNear(Index distance) const { return distance < window_ && distance >= job_.how.exact.window; }

    const SequenceJob& job_;
    Carried<T> carried_;
    Tokens<T> tokens_;                  // those still needed from before, then the stretch
    Index oldCount_ = 0;                // of tokens from before
    Index delay_ = 0, window_ = 0;      // keys later than row - delay are not in the sums; window of LoLCATs
    std::vector<std::uint8_t> usable_;  // (tokens) keys that the kernel stands for
    std::vector<Index> usableBefore_;   // (tokens + 1) how many of them before a token
    FormPointer<T> form_;
};

}  // namespace dimscope::kernels::state
