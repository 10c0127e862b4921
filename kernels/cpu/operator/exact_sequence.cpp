// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "kernels/cpu/operator/lane_kernels.h"
#include "kernels/cpu/operator/sequence.h"

namespace dimscope::kernels::cpu {
namespace {

/// Keys in one block and values transposed tile by tile, as the inner loops read them.
struct PackedKeys {
    std::vector<float> keys;    // (rows, head_dim)
    std::vector<float> values;  // (tiles, value_dim, kKeyTile)
};

PackedKeys packedKeys(const MatrixView<float>& key, const MatrixView<float>& value) {
    const Index rows = key.rows(), valueDim = value.cols();
    const Index tiles = (rows + kKeyTile - 1) / kKeyTile;
    PackedKeys packed{std::vector<float>(static_cast<std::size_t>(rows * key.cols())),
                      std::vector<float>(static_cast<std::size_t>(tiles * valueDim * kKeyTile))};
    for (Index j = 0; j < rows; ++j) {
        std::copy_n(key.row(j), key.cols(), packed.keys.data() + j * key.cols());
        float* tile = packed.values.data() + j / kKeyTile * valueDim * kKeyTile + j % kKeyTile;
        for (Index c = 0; c < valueDim; ++c) tile[c * kKeyTile] = value(j, c);
    }
    return packed;
}

class ExactSequence {
public:
    ExactSequence(const SequenceHeads& heads, const LaneKernels& lanes)
        : heads_(heads),
          lanes_(lanes),
          rows_(heads.query.front().rows()),
          blockRows_(kPanelsPerTask * lanes.lanes),
          blocks_((rows_ + blockRows_ - 1) / blockRows_),
          packed_(heads.key.size()),
          bad_(heads.query.size(), std::vector<std::uint8_t>(static_cast<std::size_t>(rows_))) {}

    SequenceReport run(WorkerPool& pool, const RunControl& control) {
        pool.run(static_cast<Index>(packed_.size()), control.slice(0.0F, 0.02F), [&](Index n) {
            const auto kv = static_cast<std::size_t>(n);
            packed_[kv] = packedKeys(heads_.key[kv], heads_.value[kv]);
        });
        const auto headCount = static_cast<Index>(heads_.query.size());
        // The last blocks see most keys, so they start first; heads that share keys follow each other.
        pool.run(blocks_ * headCount, control.slice(0.02F, 1.0F),
                 [&](Index n) { runBlock(static_cast<std::size_t>(n % headCount), blocks_ - 1 - n / headCount); });
        return report(pool.threads());
    }

private:
    void runBlock(std::size_t head, Index block) {
        const std::size_t kv = head / (heads_.query.size() / heads_.key.size());
        const MatrixView<float>& query = heads_.query[head];
        const MatrixSpan<float>& output = heads_.output[head];
        std::vector<float> scratch(static_cast<std::size_t>(scratchSize()));
        ExactTask task{};
        task.dim = query.cols();
        task.valueDim = output.cols();
        task.position = block * blockRows_;
        task.count = std::min(blockRows_, rows_ - task.position);
        task.query = query.row(task.position);
        task.queryStride = query.stride();
        task.scale = static_cast<float>(heads_.scale);
        task.keys = packed_[kv].keys.data();
        task.values = packed_[kv].values.data();
        task.output = output.row(task.position);
        task.outputStride = output.stride();
        task.bad = bad_[head].data() + task.position;
        task.scratch = scratch.data();
        lanes_.exact(task);
    }

    Index scratchSize() const {
        return exactScratch(heads_.query.front().cols(), heads_.output.front().cols(), lanes_.lanes);
    }

    SequenceReport report(int threads) const {
        SequenceReport report;
        for (std::size_t head = 0; head < bad_.size(); ++head) {
            std::vector<Index>& positions = report.bad.emplace_back();
            for (Index i = 0; i < rows_; ++i)
                if (bad_[head][static_cast<std::size_t>(i)]) {
                    positions.push_back(i);
                    std::fill_n(heads_.output[head].row(i), heads_.output[head].cols(),
                                std::numeric_limits<float>::quiet_NaN());
                }
            report.workspaceBytes += bad_[head].size();
        }
        for (const PackedKeys& p : packed_) report.workspaceBytes += sizeof(float) * (p.keys.size() + p.values.size());
        report.workspaceBytes += sizeof(float) * static_cast<std::size_t>(threads * scratchSize());
        report.lanes = lanes_.name;
        return report;
    }

    const SequenceHeads& heads_;
    const LaneKernels& lanes_;
    Index rows_, blockRows_, blocks_;
    std::vector<PackedKeys> packed_;
    std::vector<std::vector<std::uint8_t>> bad_;
};

}  // namespace

SequenceReport attendExact(const SequenceHeads& heads, WorkerPool& pool, const RunControl& control,
                           const LaneKernels* lanes) {
    checkSequence(heads);
    return ExactSequence(heads, lanes ? *lanes : *usableLanes().front()).run(pool, control);
}

}  // namespace dimscope::kernels::cpu
