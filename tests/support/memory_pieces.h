// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <mutex>

#include "analysis/piece_store.h"
#include "kernels/run_control.h"

namespace dimscope::tests {

/// Pieces in memory, of shard `shard` of `shards` counted from 1. `shards` 0: all pieces are there, none is computed.
class MemoryPieces : public analysis::PieceStore {
public:
    explicit MemoryPieces(std::size_t shard = 1, std::size_t shards = 1) : shard_(shard), shards_(shards) {}

    std::optional<analysis::Piece> find(const std::string& key) const override {
        const std::lock_guard lock(mutex_);
        const auto found = pieces.find(key);
        return found == pieces.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const std::string& key, const analysis::Piece& piece) override {
        const std::lock_guard lock(mutex_);
        pieces.emplace(key, piece);
        if (++kept == cancelAfter) control.cancel();
    }
    bool computes(std::size_t deal) const override { return shards_ > 0 && deal % shards_ + 1 == shard_; }
    bool computesShared() const override { return shards_ > 0; }

    std::map<std::string, analysis::Piece> pieces;
    std::size_t kept = 0, cancelAfter = 0;  ///< with cancelAfter > 0 that piece is the last of `control`'s run
    kernels::RunControl control;

private:
    std::size_t shard_, shards_;
    mutable std::mutex mutex_;
};

}  // namespace dimscope::tests
