// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/zip_member.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <random>

#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace io;
using Bytes = std::vector<std::byte>;

/// Numbers of which some repeat, so that deflate refers back: several blocks, several restarts.
Bytes madeBytes(std::size_t count) {
    std::mt19937 random(7);
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = i > 40000 && random() % 4 != 0 ? bytes[i - 30000] : static_cast<std::byte>(random() % 16);
    return bytes;
}

Bytes deflated(const Bytes& bytes) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    Bytes packed(deflateBound(&stream, bytes.size()));
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<unsigned>(bytes.size());
    stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
    stream.avail_out = static_cast<unsigned>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

class ZipMemberOfFile : public testing::Test {
protected:
    /// The member begins behind three bytes of something else.
    std::shared_ptr<const ReadOnlyFile> file(const Bytes& stored) {
        const std::filesystem::path path = folder_.path() / "member";
        std::ofstream out(path, std::ios::binary);
        out.write("abc", 3);
        out.write(reinterpret_cast<const char*>(stored.data()), static_cast<std::streamsize>(stored.size()));
        out.close();
        return std::make_shared<const ReadOnlyFile>(path);
    }
    static ZipEntry entryOf(const Bytes& bytes, const Bytes& stored) {
        const auto sum =
            crc32(0, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<uInt>(bytes.size()));
        return {3, stored.size(), bytes.size(), static_cast<std::uint32_t>(sum), true};
    }
    std::string refusal(const Bytes& stored, const ZipEntry& entry) {
        try {
            const ZipMember member(file(stored), {"made.npz", "q"}, entry);
            member.prepare({});
        } catch (const kernels::FormatError& error) {
            return error.parts().cause;
        }
        return "read";
    }
    TemporaryFolder folder_;
};

TEST_F(ZipMemberOfFile, AnyPartReadsAsTheWhole) {
    const Bytes bytes = madeBytes(9'000'001), stored = deflated(bytes);
    const ZipMember member(file(stored), {"made.npz", "q"}, entryOf(bytes, stored));
    EXPECT_EQ(member.leading(5), std::string(reinterpret_cast<const char*>(bytes.data()), 5));
    std::mt19937_64 random(3);
    for (int n = 0; n < 60; ++n) {
        const std::size_t at = random() % bytes.size(),
                          count = random() % std::min<std::size_t>(bytes.size() - at, 3'000'000);
        Bytes part(count);
        ASSERT_TRUE(member.read(at, part));
        EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at)))
            << at << " " << count;
    }
    Bytes last(1), beyond(2);
    EXPECT_TRUE(member.read(bytes.size() - 1, last));
    EXPECT_EQ(last[0], bytes.back());
    EXPECT_FALSE(member.read(bytes.size() - 1, beyond));
    EXPECT_FALSE(member.read(~std::uint64_t{0}, last));
}

TEST_F(ZipMemberOfFile, SmallAndEmptyMembers) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 16, (std::size_t{1} << 16) + 1}) {
        const Bytes bytes = madeBytes(count), stored = deflated(bytes);
        const ZipMember member(file(stored), {"made.npz", "q"}, entryOf(bytes, stored));
        Bytes all(count);
        EXPECT_TRUE(member.read(0, all)) << count;
        EXPECT_EQ(all, bytes) << count;
    }
}

TEST_F(ZipMemberOfFile, WhatTheDirectorySaysIsChecked) {
    const Bytes bytes = madeBytes(300'000), stored = deflated(bytes);
    const ZipEntry entry = entryOf(bytes, stored);
    EXPECT_EQ(refusal(stored, entry), "read");
    ZipEntry other = entry;
    other.checksum ^= 1U;
    EXPECT_NE(refusal(stored, other).find("checksum"), std::string::npos);
    for (const std::uint64_t size : {entry.bytes - 1, entry.bytes + 1}) {
        other = entry;
        other.bytes = size;
        EXPECT_NE(refusal(stored, other).find("does not unpack to"), std::string::npos) << size;
    }
    for (const std::uint64_t size : {stored.size() * 1032 + 2000, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
        other.bytes = size;
        EXPECT_NE(refusal(stored, other).find("implausible"), std::string::npos) << size;
    }
}

TEST_F(ZipMemberOfFile, EveryTruncationIsRefused) {
    const Bytes bytes = madeBytes(5'000), stored = deflated(bytes);
    for (std::size_t kept = 0; kept < stored.size(); kept += 7) {
        ZipEntry entry = entryOf(bytes, stored);
        const Bytes part(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(kept));
        EXPECT_NE(refusal(part, entry), "read") << kept;  // the directory says more
        entry.storedBytes = kept;
        EXPECT_NE(refusal(stored, entry), "read") << kept;
    }
}

TEST_F(ZipMemberOfFile, ABombStopsAtItsDeclaredSize) {
    const Bytes zeros(std::size_t{64} << 20), stored = deflated(zeros);
    ZipEntry entry = entryOf(zeros, stored);
    entry.bytes = 1 << 20;
    EXPECT_NE(refusal(stored, entry).find("does not unpack to"), std::string::npos);
}

TEST_F(ZipMemberOfFile, CheckingCanBeCancelled) {
    const Bytes bytes = madeBytes(3'000'000), stored = deflated(bytes);
    const ZipMember member(file(stored), {"made.npz", "q"}, entryOf(bytes, stored));
    const kernels::RunControl control;
    control.cancel();
    EXPECT_THROW(member.prepare(control), kernels::Cancelled);
    Bytes first(1);
    EXPECT_TRUE(member.read(0, first));  // later, by somebody who waits
}

}  // namespace
}  // namespace dimscope::tests
