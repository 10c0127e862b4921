// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/dump/byte_source.h"
#include "io/file_place.h"

namespace dimscope::io {

/// Where a member of a zip lies, as its directory has it.
struct ZipEntry {
    std::uint64_t start = 0;                   ///< of its data in the file
    std::uint64_t storedBytes = 0, bytes = 0;  ///< in the file and unpacked
    std::uint32_t checksum = 0;                ///< CRC-32 of the unpacked bytes
    bool deflated = false;                     ///< else they stand as they are
};

/// The unpacked bytes of a zip member, any part of them. One pass over the whole member checks its size and checksum
/// and notes, every 1 MiB or so, how a decoder can start there (32 KiB each); after that only the stretches that are
/// asked for are decoded again, and the latest 64 MiB of them are kept. Never decodes more than the directory declares.
class ZipMember final : public ByteSource {
public:
    /// Throws FormatError where the declared size cannot come from that many stored bytes.
    ZipMember(std::shared_ptr<const ReadOnlyFile> file, FilePlace place, const ZipEntry& entry);

    /// The first `count` bytes, fewer where the member is shorter; without the pass. Throws FormatError.
    std::string leading(std::uint64_t count) const;
    void prepare(const kernels::RunControl& control) const override;
    bool read(std::uint64_t at, std::span<std::byte> out) const override;

private:
    /// A place where decoding can begin.
    struct Restart {
        std::uint64_t unpacked = 0, stored = 0;  ///< bytes before it
        int bits = 0;                            ///< of the stored byte before, that belong to what follows
        std::vector<unsigned char> window;       ///< the last bytes before it, which it may refer to
    };
    class Decoder;
    using Stretch = std::shared_ptr<const std::vector<std::byte>>;

    void checkStored(const kernels::RunControl& control) const;
    void checkDeflated(const kernels::RunControl& control) const;
    void requireChecksum(std::uint64_t bytes, std::uint64_t checksum) const;
    std::uint64_t endOf(std::size_t restart) const;
    Stretch stretch(std::size_t restart) const;

    std::shared_ptr<const ReadOnlyFile> file_;
    FilePlace place_;
    ZipEntry entry_;
    mutable std::recursive_mutex mutex_;
    mutable bool checked_ = false;
    mutable std::vector<Restart> restarts_;
    mutable std::list<std::pair<std::size_t, Stretch>> recent_;  ///< latest first
    mutable std::size_t recentBytes_ = 0;
};

}  // namespace dimscope::io
