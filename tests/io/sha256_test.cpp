// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace dimscope::io {
namespace {

std::string digestOf(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

// Vectors of FIPS 180-4 and its examples.
TEST(Sha256, KnownAnswers) {
    EXPECT_EQ(digestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digestOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digestOf(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigest) {
    const std::string text(1000, 'x');
    for (const std::size_t piece : {1U, 55U, 56U, 63U, 64U, 65U, 500U}) {
        Sha256 hash;
        for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
        EXPECT_EQ(hash.hex(), digestOf(text)) << piece;
    }
}

}  // namespace
}  // namespace dimscope::io
