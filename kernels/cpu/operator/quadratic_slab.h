// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/cpu/operator/head_coefficients.h"
#include "kernels/cpu/operator/sequence.h"

namespace dimscope::kernels::cpu {

/// Positions worked on between two meetings of the threads; also how far a new sequence goes by pairs alone, because
/// there a readout costs more than the pairs (2145 * 65 against 140 products per pair at 64 dimensions).
inline constexpr Index kSlab = 1024;

/// The steps of attendQuadratic on one slab, each a set of independent tasks. The state's diagonals are split in
/// parts; a part walks through the chunks of a slab alone, its state staying in the L2 cache, and leaves its share of
/// the readouts. So readout and update of a chunk need no meeting of threads.
class QuadraticSlab {
public:
    QuadraticSlab(const SequenceHeads& heads, std::span<const Oal> specs, QuadraticState& state,
                  const LaneKernels& lanes, int threads);

    /// Takes up positions [first, first + count). `keepState`: someone reads the state after this slab.
    void begin(Index first, Index count, bool keepState);
    Index prepareTasks() const { return chunks_ * (kvHeads_ + queryHeads_); }
    void prepare(Index task);  ///< shifted keys, transposed values, query panels
    Index stateTasks() const { return visitsState() || updates() ? kvHeads_ * parts_ : 0; }
    void walk(Index task, const RunControl& control);  ///< readouts and updates of one part of one KV head
    Index outputTasks() const { return chunks_ * queryHeads_; }
    void finish(Index task, std::vector<std::vector<std::uint8_t>>& bad);  ///< pairs, sum of the parts, division

    std::size_t bytes() const;

private:
    struct Head {
        OwnedCoefficients owned;
        HeadCoefficients view;
    };
    bool visitsState() const { return !fresh_; }
    bool updates() const { return keepState_ || (!fresh_ && chunks_ > 1); }
    Index chunkTokens(Index chunk) const { return std::min(kChunk, count_ - chunk * kChunk); }
    Index panelsPerChunk() const { return kChunk / lanes_.lanes; }
    Index panelCount(Index chunk) const { return (chunkTokens(chunk) + lanes_.lanes - 1) / lanes_.lanes; }
    float* keys(Index kv, Index chunk);
    float* values(Index kv, Index chunk);
    float* panel(Index head, Index index);
    float* sums(Index head, Index part, Index index);
    void prepareKeys(Index kv, Index chunk);
    void preparePanels(Index head, Index chunk);
    void addParts(Index head, Index index, float* total);

    const SequenceHeads& heads_;
    QuadraticState& state_;
    const LaneKernels& lanes_;
    Index queryHeads_, kvHeads_, group_, parts_, dim_, columns_;
    Index first_ = 0, count_ = 0, chunks_ = 0;
    bool fresh_ = true;  // the state is empty: pairs from the slab's begin
    bool keepState_ = false;
    Index maxChunks_, panelSize_ = 0;
    std::vector<Head> coefficients_;
    std::vector<float> keys_;    // (KV heads, chunks, kChunk, 3/2 dim)
    std::vector<float> values_;  // (KV heads, chunks, columns, kChunk)
    std::vector<float> panels_;  // (query heads, panels, panelSize)
    std::vector<float> sums_;    // (query heads, parts, panels, columns, lanes)
};

}  // namespace dimscope::kernels::cpu
