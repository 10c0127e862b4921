// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dimscope::io {

/// A filter of HDF5 that is undone here, with bounds: the library itself trusts what a chunk says about its size.
struct ChunkFilter {
    enum class Kind { Deflate, Shuffle, Fletcher32, Lzf };
    Kind kind = Kind::Deflate;
    std::size_t elementBytes = 1;  ///< Shuffle
};

/// Undoes `filters` (in the order in which they were applied) except those whose bit is set in `skipped`; the result
/// has exactly `expected` bytes. Throws std::runtime_error with the cause: too short, too long, checksum, damaged.
std::vector<std::byte> decodeChunk(std::vector<std::byte> stored, std::span<const ChunkFilter> filters,
                                   unsigned skipped, std::size_t expected);

}  // namespace dimscope::io
