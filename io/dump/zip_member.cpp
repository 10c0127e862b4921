// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/zip_member.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr std::uint64_t kStretchBytes = std::uint64_t{1} << 20;  ///< between two restarts, or a block of deflate more
constexpr std::uint64_t kLongestStretch = std::uint64_t{64} << 20;
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr std::uint64_t kMostRatio = 1032;  ///< deflate: 258 bytes from 2 bits (zlib, "Maximum expansion factor")
constexpr int kMostStalls = 3;
constexpr const char* kSaveMemberAgain = "copy it again, or save it again with numpy.savez";

}  // namespace

/// Inflates from a restart on, piece by piece.
class ZipMember::Decoder {
public:
    Decoder(const ZipMember& member, const Restart& from) : member_(member), at_(from.stored) {
        if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // raw: a zip has its own header
        if (from.bits > 0) {
            std::byte last{};
            if (!member.file_->read(member.entry_.start + from.stored - 1, {&last, 1})) refuse("cannot be read again");
            inflatePrime(&stream_, from.bits, std::to_integer<int>(last) >> (8 - from.bits));
        }
        if (!from.window.empty())
            inflateSetDictionary(&stream_, from.window.data(), static_cast<unsigned>(from.window.size()));
    }
    ~Decoder() { inflateEnd(&stream_); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    /// Decoded bytes: as many as fit, fewer at the end of a block or of all. Throws FormatError.
    std::size_t decode(std::span<std::byte> out) {
        stream_.next_out = reinterpret_cast<unsigned char*>(out.data());
        stream_.avail_out = static_cast<unsigned>(out.size());
        while (stream_.avail_out > 0 && !finished_) {
            const bool allTaken = stream_.avail_in == 0 && !refill();
            const int status = inflate(&stream_, Z_BLOCK);
            if (status == Z_STREAM_END)
                finished_ = true;
            else if (status == Z_BUF_ERROR && allTaken && ++stalled_ > kMostStalls)
                refuse("has compressed data that end too early: cut off (truncated)");
            else if (status != Z_OK && status != Z_BUF_ERROR)  // the latter: nothing taken in or put out, go on
                refuse("has damaged compressed data");
            if (isBetweenBlocks()) break;
        }
        return out.size() - stream_.avail_out;
    }
    bool finished() const { return finished_; }
    bool isBetweenBlocks() const { return (stream_.data_type & 128) != 0 && (stream_.data_type & 64) == 0; }
    Restart here(std::uint64_t unpacked) {
        Restart restart{unpacked, at_ - stream_.avail_in, stream_.data_type & 7, {}};
        restart.window.resize(std::size_t{1} << MAX_WBITS);
        unsigned bytes = 0;
        inflateGetDictionary(&stream_, restart.window.data(), &bytes);
        restart.window.resize(bytes);
        return restart;
    }

private:
    /// False where nothing is left; the decoder may still hold the last bits.
    bool refill() {
        const std::uint64_t left = member_.entry_.storedBytes - at_;
        if (left == 0) return false;
        const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, input_.size()));
        if (!member_.file_->read(member_.entry_.start + at_, std::span(input_).first(count)))
            refuse("cannot be read: the file ends before its data, or was changed meanwhile");
        at_ += count;
        stream_.next_in = reinterpret_cast<unsigned char*>(input_.data());
        stream_.avail_in = static_cast<unsigned>(count);
        return true;
    }
    [[noreturn]] void refuse(const char* cause) const { member_.place_.refuse(cause, kSaveMemberAgain); }

    const ZipMember& member_;
    std::uint64_t at_;  ///< stored bytes taken in
    z_stream stream_{};
    std::array<std::byte, kPieceBytes> input_{};
    bool finished_ = false;
    int stalled_ = 0;  ///< calls that neither took in nor put out a byte; ends of blocks may be such
};

ZipMember::ZipMember(std::shared_ptr<const ReadOnlyFile> file, FilePlace place, const ZipEntry& entry)
    : file_(std::move(file)), place_(std::move(place)), entry_(entry) {
    const bool plausible =
        entry.deflated ? entry.bytes / kMostRatio <= entry.storedBytes : entry.bytes == entry.storedBytes;
    if (!plausible)
        place_.refuse(
            fmt::format("declares {} although only {} are stored: implausible",
                        bytesText(static_cast<double>(entry.bytes)), bytesText(static_cast<double>(entry.storedBytes))),
            kSaveMemberAgain);
}

std::string ZipMember::leading(std::uint64_t count) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(count, entry_.bytes)));
    if (!entry_.deflated) {
        if (!file_->read(entry_.start, bytes)) bytes.clear();
    } else {
        Decoder decoder(*this, {});
        std::size_t done = 0;
        while (done < bytes.size() && !decoder.finished()) done += decoder.decode(std::span(bytes).subspan(done));
        bytes.resize(done);
    }
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ZipMember::prepare(const kernels::RunControl& control) const {
    const std::scoped_lock lock(mutex_);
    if (checked_) return;
    if (entry_.deflated)
        checkDeflated(control);
    else
        checkStored(control);
    checked_ = true;
}

void ZipMember::checkStored(const kernels::RunControl& control) const {
    std::vector<std::byte> piece(kStretchBytes);
    uLong checksum = crc32(0, nullptr, 0);
    for (std::uint64_t at = 0; at < entry_.bytes; at += piece.size()) {
        control.throwIfCancelled();
        const std::span out =
            std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), entry_.bytes - at)));
        if (!file_->read(entry_.start + at, out))
            place_.refuse("cannot be read: the file ends before its data, or was changed meanwhile", kSaveMemberAgain);
        checksum = crc32(checksum, reinterpret_cast<const unsigned char*>(out.data()), static_cast<uInt>(out.size()));
    }
    requireChecksum(entry_.bytes, checksum);
}

void ZipMember::checkDeflated(const kernels::RunControl& control) const {
    restarts_.assign(1, Restart{});
    Decoder decoder(*this, restarts_.front());
    std::vector<std::byte> piece(kPieceBytes);
    uLong checksum = crc32(0, nullptr, 0);
    std::uint64_t unpacked = 0;
    while (!decoder.finished()) {
        control.throwIfCancelled();
        const std::size_t count = decoder.decode(piece);
        checksum = crc32(checksum, reinterpret_cast<const unsigned char*>(piece.data()), static_cast<uInt>(count));
        unpacked += count;
        const std::uint64_t since = unpacked - restarts_.back().unpacked;
        if (unpacked > entry_.bytes || since > kLongestStretch) break;
        if (decoder.isBetweenBlocks() && since >= kStretchBytes && !decoder.finished())
            restarts_.push_back(decoder.here(unpacked));
    }
    requireChecksum(unpacked, checksum);
}

void ZipMember::requireChecksum(std::uint64_t bytes, std::uint64_t checksum) const {
    if (bytes != entry_.bytes)
        place_.refuse(fmt::format("does not unpack to the {} bytes that the zip declares", entry_.bytes),
                      kSaveMemberAgain);
    if (checksum != entry_.checksum)
        place_.refuse("is damaged: its checksum (CRC-32) is not the one in the zip", kSaveMemberAgain);
}

std::uint64_t ZipMember::endOf(std::size_t restart) const {
    return restart + 1 < restarts_.size() ? restarts_[restart + 1].unpacked : entry_.bytes;
}

ZipMember::Stretch ZipMember::stretch(std::size_t restart) const {
    const auto known =
        std::find_if(recent_.begin(), recent_.end(), [&](const auto& kept) { return kept.first == restart; });
    if (known != recent_.end()) {
        recent_.splice(recent_.begin(), recent_, known);
        return recent_.front().second;
    }
    auto bytes = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(endOf(restart) - restarts_[restart].unpacked));
    Decoder decoder(*this, restarts_[restart]);
    for (std::size_t done = 0; done < bytes->size();) {
        if (decoder.finished()) place_.refuse("was changed while it was read", "reload the file");
        done += decoder.decode(std::span(*bytes).subspan(done));
    }
    recentBytes_ += bytes->size();
    recent_.emplace_front(restart, std::move(bytes));
    while (recentBytes_ > kKeptBytes && recent_.size() > 1) {
        recentBytes_ -= recent_.back().second->size();
        recent_.pop_back();
    }
    return recent_.front().second;
}

bool ZipMember::read(std::uint64_t at, std::span<std::byte> out) const {
    prepare({});
    if (at > entry_.bytes || out.size() > entry_.bytes - at) return false;
    if (!entry_.deflated) return file_->read(entry_.start + at, out);
    const std::scoped_lock lock(mutex_);
    while (!out.empty()) {
        const auto after = std::upper_bound(restarts_.begin(), restarts_.end(), at,
                                            [](std::uint64_t place, const Restart& r) { return place < r.unpacked; });
        const auto restart = static_cast<std::size_t>(after - restarts_.begin()) - 1;
        const Stretch bytes = stretch(restart);
        const auto skipped = static_cast<std::size_t>(at - restarts_[restart].unpacked);
        const std::size_t count = std::min(out.size(), bytes->size() - skipped);
        std::memcpy(out.data(), bytes->data() + skipped, count);
        out = out.subspan(count);
        at += count;
    }
    return true;
}

}  // namespace dimscope::io
