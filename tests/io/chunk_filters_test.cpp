// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/chunk_filters.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace dimscope::tests {
namespace {

using namespace io;
using Bytes = std::vector<std::byte>;

Bytes bytesOf(std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

TEST(ChunkFilters, LzfCopiesLiteralsAndWhatCameBefore) {
    // literal "ab", then 4 bytes from 2 before: "ababab"
    const ChunkFilter lzf{ChunkFilter::Kind::Lzf, 1};
    EXPECT_EQ(decodeChunk(bytesOf({1, 'a', 'b', 0x40, 1}), std::span(&lzf, 1), 0, 6),
              bytesOf({'a', 'b', 'a', 'b', 'a', 'b'}));
    EXPECT_THROW(decodeChunk(bytesOf({0x40, 9}), std::span(&lzf, 1), 0, 4), std::runtime_error);
    EXPECT_THROW(decodeChunk(bytesOf({5, 'a'}), std::span(&lzf, 1), 0, 6), std::runtime_error);
}

TEST(ChunkFilters, ShuffledBytesComeTogether) {
    const ChunkFilter shuffle{ChunkFilter::Kind::Shuffle, 2};
    EXPECT_EQ(decodeChunk(bytesOf({1, 2, 3, 11, 12, 13, 99}), std::span(&shuffle, 1), 0, 7),
              bytesOf({1, 11, 2, 12, 3, 13, 99}));
    EXPECT_EQ(decodeChunk(bytesOf({1, 2, 3, 4}), std::span(&shuffle, 1), 1, 4), bytesOf({1, 2, 3, 4}));  // skipped
}

TEST(ChunkFilters, ASizeThatDoesNotFitIsDamage) {
    EXPECT_THROW(decodeChunk(bytesOf({1, 2, 3}), {}, 0, 4), std::runtime_error);
}

TEST(ChunkFilters, NoiseNeverGivesMoreThanItsSize) {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        Bytes noise(random() % 64);
        for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
        for (const ChunkFilter::Kind kind :
             {ChunkFilter::Kind::Deflate, ChunkFilter::Kind::Lzf, ChunkFilter::Kind::Fletcher32}) {
            const ChunkFilter filter{kind, 1};
            try {
                EXPECT_EQ(decodeChunk(noise, std::span(&filter, 1), 0, 32).size(), 32U);
            } catch (const std::runtime_error&) {
                continue;
            }
        }
    }
}

}  // namespace
}  // namespace dimscope::tests
