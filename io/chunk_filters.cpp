// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/chunk_filters.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace dimscope::io {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kChecksumBytes = 4;

[[noreturn]] void refuseChunk(const std::string& cause) { throw std::runtime_error(cause); }

/// Never writes more than `expected` bytes, whatever the stream holds.
Bytes inflated(const Bytes& in, std::size_t expected) {
    Bytes out(expected + 1);  // one more: a longer stream is noticed, and not inflated
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) refuseChunk("zlib cannot start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(in.size(), std::numeric_limits<uInt>::max()));
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max()));
    const int status = inflate(&stream, Z_FINISH);
    const std::size_t count = out.size() - stream.avail_out;
    inflateEnd(&stream);
    if (count > expected) refuseChunk(fmt::format("inflates to more than its {} bytes (gzip)", expected));
    if (status != Z_STREAM_END) refuseChunk("is damaged: its gzip stream cannot be inflated");
    out.resize(count);
    return out;
}

Bytes unshuffled(const Bytes& in, std::size_t elementBytes) {
    const std::size_t count = elementBytes > 1 ? in.size() / elementBytes : 0;
    if (count <= 1) return in;
    Bytes out(in.size());
    for (std::size_t byte = 0; byte < elementBytes; ++byte)
        for (std::size_t n = 0; n < count; ++n) out[n * elementBytes + byte] = in[byte * count + n];
    std::copy(in.begin() + static_cast<std::ptrdiff_t>(count * elementBytes), in.end(),
              out.begin() + static_cast<std::ptrdiff_t>(count * elementBytes));
    return out;
}

/// Fletcher's checksum over 16-bit words, first byte high, as HDF5 stores it (format specification, "Fletcher32").
std::uint32_t fletcher32(std::span<const std::byte> data) {
    constexpr std::size_t kWordsBeforeOverflow = 360;
    std::uint32_t first = 0, second = 0;
    const auto fold = [&] {
        first = (first & 0xFFFFU) + (first >> 16U);
        second = (second & 0xFFFFU) + (second >> 16U);
    };
    const std::size_t words = data.size() / 2;
    for (std::size_t n = 0; n < words; ++n) {
        first += std::to_integer<std::uint32_t>(data[2 * n]) << 8U | std::to_integer<std::uint32_t>(data[2 * n + 1]);
        second += first;
        if ((n + 1) % kWordsBeforeOverflow == 0 || n + 1 == words) fold();
    }
    if (data.size() % 2 == 1) {
        first += std::to_integer<std::uint32_t>(data.back()) << 8U;
        second += first;
        fold();
    }
    fold();
    return second << 16U | first;
}

Bytes verified(Bytes in) {
    if (in.size() <= kChecksumBytes) refuseChunk(fmt::format("has {} bytes, too short for its checksum", in.size()));
    const std::size_t size = in.size() - kChecksumBytes;
    std::uint32_t stored = 0;
    for (std::size_t n = 0; n < kChecksumBytes; ++n)
        stored |= std::to_integer<std::uint32_t>(in[size + n]) << static_cast<unsigned>(8 * n);
    in.resize(size);
    const std::uint32_t found = fletcher32(in);
    // Old versions of HDF5 wrote the two bytes of each half the other way round on little-endian machines.
    const std::uint32_t swapped = (found & 0x00FF00FFU) << 8U | (found & 0xFF00FF00U) >> 8U;
    if (found != stored && swapped != stored) refuseChunk("is damaged: its Fletcher32 checksum does not fit");
    return in;
}

/// LibLZF's format: runs of literals, and references to what was written up to 8 KiB before.
Bytes lzfDecoded(const Bytes& in, std::size_t expected) {
    Bytes out;
    out.reserve(expected);
    std::size_t at = 0;
    const auto next = [&]() -> std::size_t {
        if (at >= in.size()) refuseChunk("is damaged: its lzf stream ends early");
        return std::to_integer<std::size_t>(in[at++]);
    };
    while (at < in.size()) {
        const std::size_t control = next();
        std::size_t length = control < 32 ? control + 1 : control >> 5U;
        if (control >= 32 && length == 7) length += next();
        if (control >= 32) length += 2;
        if (out.size() + length > expected)
            refuseChunk(fmt::format("decodes to more than its {} bytes (lzf)", expected));
        if (control < 32) {
            if (in.size() - at < length) refuseChunk("is damaged: its lzf stream ends early");
            out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(at),
                       in.begin() + static_cast<std::ptrdiff_t>(at + length));
            at += length;
            continue;
        }
        const std::size_t distance = ((control & 31U) << 8U | next()) + 1;
        if (distance > out.size()) refuseChunk("is damaged: its lzf stream refers to before its start");
        for (std::size_t n = 0; n < length; ++n) out.push_back(out[out.size() - distance]);
    }
    return out;
}

}  // namespace

std::vector<std::byte> decodeChunk(std::vector<std::byte> stored, std::span<const ChunkFilter> filters,
                                   unsigned skipped, std::size_t expected) {
    // What a checksum that was applied before a compression adds to the compressed bytes.
    std::size_t checksums = 0;
    for (std::size_t n = 0; n < filters.size(); ++n)
        if (filters[n].kind == ChunkFilter::Kind::Fletcher32 && (skipped >> n & 1U) == 0) checksums += kChecksumBytes;
    for (std::size_t n = filters.size(); n-- > 0;) {
        if ((skipped >> n & 1U) != 0) continue;
        switch (filters[n].kind) {
            case ChunkFilter::Kind::Deflate: stored = inflated(stored, expected + checksums); break;
            case ChunkFilter::Kind::Shuffle: stored = unshuffled(stored, filters[n].elementBytes); break;
            case ChunkFilter::Kind::Lzf: stored = lzfDecoded(stored, expected + checksums); break;
            case ChunkFilter::Kind::Fletcher32:
                stored = verified(std::move(stored));
                checksums -= kChecksumBytes;
                break;
        }
    }
    if (stored.size() != expected)
        refuseChunk(fmt::format("is damaged: it decodes to {} bytes instead of {}", stored.size(), expected));
    return stored;
}

}  // namespace dimscope::io
