// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_chunks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr H5Z_filter_t kLzf = 32000;                              ///< registered by h5py, which brings its own
constexpr std::size_t kMostChunkBytes = std::size_t{256} << 20U;  ///< decoded at once
constexpr const char* kWriteAgain = "copy or write the file again";

/// Nothing where HDF5 has to apply a filter.
std::optional<std::vector<ChunkFilter>> ownFilters(hid_t creation, std::size_t elementBytes) {
    std::vector<ChunkFilter> filters;
    for (int n = 0; n < H5Pget_nfilters(creation); ++n) {
        unsigned flags = 0, configuration = 0, values[8] = {};
        std::size_t count = 8;
        switch (
            H5Pget_filter2(creation, static_cast<unsigned>(n), &flags, &count, values, 0, nullptr, &configuration)) {
            case H5Z_FILTER_DEFLATE: filters.push_back({ChunkFilter::Kind::Deflate, 1}); break;
            case H5Z_FILTER_SHUFFLE:
                filters.push_back({ChunkFilter::Kind::Shuffle, count > 0 && values[0] > 0 ? values[0] : elementBytes});
                break;
            case H5Z_FILTER_FLETCHER32: filters.push_back({ChunkFilter::Kind::Fletcher32, 1}); break;
            case kLzf: filters.push_back({ChunkFilter::Kind::Lzf, 1}); break;
            default: return std::nullopt;
        }
    }
    return filters;
}

}  // namespace

std::uint64_t storedChunkBytes(Hdf5Id dataset, const std::vector<std::uint64_t>& origin) {
    const std::vector<hsize_t> offset(origin.begin(), origin.end());
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset, offset.data(), &size) >= 0) return size;
    takeHdf5Error();
    return 0;
}

std::uint64_t requireStoredChunk(Hdf5Id dataset, const std::vector<std::uint64_t>& origin, const FilePlace& place) {
    const std::uint64_t size = storedChunkBytes(dataset, origin);
    if (size == 0)
        place.refuse(fmt::format("the part from [{}] was never written: its data are missing (chunk not stored)",
                                 fmt::join(origin, ", ")),
                     "let the writing program finish, or write it again");
    return size;
}

std::unique_ptr<ChunkReader> ChunkReader::make(Hdf5Id dataset, const ArrayLayout& layout, const FilePlace& place,
                                               std::size_t elementBytes, std::size_t fieldOffset,
                                               std::size_t cacheBytes) {
    if (layout.chunk.empty()) return nullptr;
    const Hdf5Handle creation(place.checked(H5Dget_create_plist(dataset), "cannot read how it is stored"));
    std::optional<std::vector<ChunkFilter>> filters = ownFilters(creation.get(), elementBytes);
    if (!filters) return nullptr;
    double bytes = static_cast<double>(elementBytes);
    for (const std::uint64_t size : layout.chunk) bytes *= static_cast<double>(size);
    if (bytes > static_cast<double>(kMostChunkBytes)) {
        if (filters->empty()) return nullptr;  // HDF5 reads parts of such a chunk
        place.refuse(
            fmt::format("is stored in compressed chunks of {}: reading one number takes that much memory, more "
                        "than the limit of {}",
                        bytesText(bytes), bytesText(static_cast<double>(kMostChunkBytes))),
            "rewrite it with smaller chunks (h5repack -l CHUNK=1x1x1024x64)");
    }
    std::unique_ptr<ChunkReader> reader(new ChunkReader(layout, place));
    reader->filters_ = std::move(*filters);
    reader->elementBytes_ = elementBytes;
    reader->fieldOffset_ = fieldOffset;
    reader->chunkBytes_ = static_cast<std::size_t>(bytes);
    reader->cacheBytes_ = cacheBytes;
    return reader;
}

void ChunkReader::read(Hdf5Id dataset, const ArrayBox& box, std::span<std::byte> out) {
    forEachChunk(box, layout_.chunk,
                 [&](const std::vector<std::uint64_t>& origin) { copy(*chunk(dataset, origin), origin, box, out); });
}

ChunkReader::Chunk ChunkReader::chunk(Hdf5Id dataset, const std::vector<std::uint64_t>& origin) {
    const auto known =
        std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) { return entry.first == origin; });
    if (known != recent_.end()) {
        recent_.splice(recent_.begin(), recent_, known);
        return recent_.front().second;
    }
    while (!recent_.empty() && (recent_.size() + 1) * chunkBytes_ > cacheBytes_) recent_.pop_back();
    recent_.emplace_front(origin, decoded(dataset, origin));
    return recent_.front().second;
}

ChunkReader::Chunk ChunkReader::decoded(Hdf5Id dataset, const std::vector<std::uint64_t>& origin) const {
    const std::vector<hsize_t> offset(origin.begin(), origin.end());
    const std::string where = fmt::format("the chunk at [{}]", fmt::join(origin, ", "));
    const std::uint64_t size = requireStoredChunk(dataset, origin, place_);
    if (size > chunkBytes_ + chunkBytes_ / 8 + 4096)
        place_.refuse(fmt::format("{} stores {} for {} of numbers: damaged", where,
                                  bytesText(static_cast<double>(size)), bytesText(static_cast<double>(chunkBytes_))),
                      kWriteAgain);
    std::vector<std::byte> stored(size);
    std::uint32_t skipped = 0;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &skipped, stored.data()) < 0)
        place_.refuseFailedCall(where + " cannot be read");
    try {
        return std::make_shared<const std::vector<std::byte>>(
            decodeChunk(std::move(stored), filters_, skipped, chunkBytes_));
    } catch (const std::runtime_error& error) {
        place_.refuse(fmt::format("{} {}", where, error.what()), kWriteAgain);
    }
}

void ChunkReader::copy(const std::vector<std::byte>& chunk, const std::vector<std::uint64_t>& origin,
                       const ArrayBox& box, std::span<std::byte> out) const {
    const std::size_t rank = layout_.shape.size(), bytes = layout_.type.bytes;
    std::vector<std::uint64_t> from(rank), to(rank);  // the part of the box inside this chunk
    for (std::size_t a = 0; a < rank; ++a) {
        from[a] = std::max(origin[a], box.offset[a]);
        to[a] = std::min(origin[a] + layout_.chunk[a], box.offset[a] + box.count[a]);
    }
    const std::uint64_t run = to[rank - 1] - from[rank - 1];
    std::vector<std::uint64_t> at = from;
    for (std::size_t axis = rank; axis > 0;) {
        std::uint64_t source = 0, target = 0;
        for (std::size_t a = 0; a < rank; ++a) {
            source = source * layout_.chunk[a] + (at[a] - origin[a]);
            target = target * box.count[a] + (at[a] - box.offset[a]);
        }
        const std::byte* in = chunk.data() + source * elementBytes_ + fieldOffset_;
        std::byte* const written = out.data() + target * bytes;
        if (bytes == elementBytes_)
            std::memcpy(written, in, run * bytes);
        else
            for (std::uint64_t n = 0; n < run; ++n) std::memcpy(written + n * bytes, in + n * elementBytes_, bytes);
        for (axis = rank - 1; axis > 0; --axis) {
            if (++at[axis - 1] < to[axis - 1]) break;
            at[axis - 1] = from[axis - 1];
        }
    }
}

}  // namespace dimscope::io
