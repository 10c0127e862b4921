// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>
#include <memory>
#include <span>
#include <vector>

#include "io/chunk_filters.h"
#include "io/hdf5_handle.h"
#include "io/stored_array.h"

namespace dimscope::io {

/// 0: not written. The caller holds the Hdf5Lock.
std::uint64_t storedChunkBytes(Hdf5Id dataset, const std::vector<std::uint64_t>& origin);
/// The same; throws FormatError for one that was never written.
std::uint64_t requireStoredChunk(Hdf5Id dataset, const std::vector<std::uint64_t>& origin, const FilePlace& place);

/// Reads boxes of a chunked dataset chunk by chunk, and undoes their filters itself, with bounds. The caller holds the
/// Hdf5Lock.
class ChunkReader {
public:
    /// Null where the dataset has a filter that is left to HDF5, or is not chunked. `fieldOffset`: of a compound's
    /// field inside an element of `elementBytes`. Throws FormatError for chunks that are too large to be decoded.
    static std::unique_ptr<ChunkReader> make(Hdf5Id dataset, const ArrayLayout& layout, const FilePlace& place,
                                             std::size_t elementBytes, std::size_t fieldOffset, std::size_t cacheBytes);

    /// All elements of the box, in its order. Throws FormatError.
    void read(Hdf5Id dataset, const ArrayBox& box, std::span<std::byte> out);

private:
    using Chunk = std::shared_ptr<const std::vector<std::byte>>;
    ChunkReader(const ArrayLayout& layout, FilePlace place) : layout_(layout), place_(std::move(place)) {}
    Chunk chunk(Hdf5Id dataset, const std::vector<std::uint64_t>& origin);
    Chunk decoded(Hdf5Id dataset, const std::vector<std::uint64_t>& origin) const;
    void copy(const std::vector<std::byte>& chunk, const std::vector<std::uint64_t>& origin, const ArrayBox& box,
              std::span<std::byte> out) const;

    ArrayLayout layout_;
    FilePlace place_;
    std::vector<ChunkFilter> filters_;
    std::size_t elementBytes_ = 0, fieldOffset_ = 0, chunkBytes_ = 0, cacheBytes_ = 0;
    std::list<std::pair<std::vector<std::uint64_t>, Chunk>> recent_;  ///< latest first
};

}  // namespace dimscope::io
