// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::analysis {

/// A finished part of a run: the numbers that its result is made from, and what was odd while they were computed.
struct Piece {
    std::vector<double> numbers;
    std::vector<Warning> warnings;
    friend bool operator==(const Piece&, const Piece&) = default;
};

/// Finished parts of one run by key ("own/L05/P0/H3"). Resuming, sharding and merging are this one thing: a resumed run
/// finds the pieces of the run before it, a shard computes its own deals alone, a merge finds all pieces and computes
/// none. Calls may come from any thread.
class PieceStore {
public:
    virtual ~PieceStore() = default;
    virtual std::optional<Piece> find(const std::string& key) const = 0;
    virtual void keep(const std::string& key, const Piece& piece) = 0;
    /// Whether this run computes what is missing of a deal. Deals are numbered in the order of the run, the same way in
    /// every shard.
    virtual bool computes(std::size_t deal) const = 0;
    /// The same for what every shard needs before it can compute its own: not where all is there already.
    virtual bool computesShared() const = 0;
};

/// How an experiment walks through its pieces. Without a store every piece is computed and none is kept.
class Pieces {
public:
    explicit Pieces(PieceStore* store = nullptr) : store_(store) {}

    /// Number of the next deal: what one shard computes together. Every shard asks for the same deals in the same
    /// order.
    std::size_t nextDeal() { return deals_++; }

    /// The piece, found or computed; nothing where it is another shard's. A `compute` that throws keeps nothing.
    template <class Compute>
    std::optional<Piece> get(const std::string& key, std::size_t deal, const Compute& compute) {
        return get(key, !store_ || store_->computes(deal), compute);
    }
    /// The piece that every shard has.
    template <class Compute>
    std::optional<Piece> getShared(const std::string& key, const Compute& compute) {
        return get(key, !store_ || store_->computesShared(), compute);
    }

    /// False where a piece is another shard's: then there is no result yet.
    bool complete() const { return complete_; }

private:
    template <class Compute>
    std::optional<Piece> get(const std::string& key, bool computes, const Compute& compute) {
        if (store_)
            if (std::optional<Piece> known = store_->find(key)) return known;
        if (!computes) {
            complete_ = false;
            return std::nullopt;
        }
        Piece piece = compute();
        if (store_) store_->keep(key, piece);
        return piece;
    }

    PieceStore* store_;
    std::size_t deals_ = 0;
    std::atomic<bool> complete_{true};
};

}  // namespace dimscope::analysis
