// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <utility>

#include "app/cli/inputs.h"
#include "app/cli/verbs.h"
#include "app/core/piece_file.h"

namespace dimscope::app {

/// Refuses --shard and --resume that cannot be meant, before a file is opened. Throws UsageError.
void checkPieces(const Options& options);

/// Where the pieces of this run are: those of a merge, or of --resume and --shard; null where none of them is asked
/// for. Throws FormatError: a file of another run, or shards of another dump.
std::shared_ptr<PieceFile> openPieces(const Options& options, const Inputs& inputs);

/// Computes with a store and keeps what was finished whatever happens; `compute` gets the store or null.
template <class Compute>
auto withPieces(const std::shared_ptr<PieceFile>& store, const Compute& compute) {
    try {
        auto result = compute(store.get());
        if (store) store->save();
        return result;
    } catch (...) {
        if (store) store->save();
        throw;
    }
}

/// What a finished shard gives in place of a result: its pieces, as merge reads them. Throws Error where a merge lacks
/// some: then the shards were not made by this program.
VerbOutput shardOutput(const Options& options, PieceFile& store, const analysis::Provenance& provenance,
                       const std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::app
