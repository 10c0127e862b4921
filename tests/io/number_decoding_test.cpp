// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/number_decoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace dimscope::io {
namespace {

constexpr std::size_t kPatterns = 65536;

std::vector<std::byte> allPatterns(bool bigEndian) {
    std::vector<std::byte> raw;
    for (std::size_t bits = 0; bits < kPatterns; ++bits) {
        const std::byte low{static_cast<unsigned char>(bits & 0xFFU)}, high{static_cast<unsigned char>(bits >> 8U)};
        raw.push_back(bigEndian ? high : low);
        raw.push_back(bigEndian ? low : high);
    }
    return raw;
}

/// sign * 2^(exponent - bias) * 1.mantissa, or 2^(1 - bias) * 0.mantissa for the smallest (IEEE 754, section 3.4).
double plainFormula(unsigned bits, int exponentBits, int mantissaBits) {
    const int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
    const int exponent = static_cast<int>(bits >> static_cast<unsigned>(mantissaBits)) & top;
    const double mantissa =
        static_cast<double>(bits & ((1U << static_cast<unsigned>(mantissaBits)) - 1U)) / (1 << mantissaBits);
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == top) return mantissa == 0.0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    return sign * (exponent == 0 ? std::ldexp(mantissa, 1 - bias) : std::ldexp(1.0 + mantissa, exponent - bias));
}

template <class T>
void expectAllPatterns(NumberEncoding encoding, int exponentBits, int mantissaBits) {
    for (const bool bigEndian : {false, true}) {
        const std::vector<std::byte> raw = allPatterns(bigEndian);
        std::vector<T> got(kPatterns);
        decodeNumbers({encoding, bigEndian}, raw, std::span(got));
        for (unsigned bits = 0; bits < kPatterns; ++bits) {
            const double expected = plainFormula(bits, exponentBits, mantissaBits),
                         value = static_cast<double>(got[bits]);
            if (std::isnan(expected)) {
                ASSERT_TRUE(std::isnan(value)) << bits;
            } else {
                ASSERT_EQ(value, expected) << bits;
                ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
            }
        }
    }
}

TEST(NumberDecoding, EveryFloat16) {
    expectAllPatterns<float>(NumberEncoding::Float16, 5, 10);
    expectAllPatterns<double>(NumberEncoding::Float16, 5, 10);
}

TEST(NumberDecoding, EveryBFloat16) {
    expectAllPatterns<float>(NumberEncoding::BFloat16, 8, 7);
    expectAllPatterns<double>(NumberEncoding::BFloat16, 8, 7);
}

template <class Stored>
void expectCopied(NumberEncoding encoding) {
    const std::vector<Stored> stored{Stored(0.1), Stored(-3.5), std::numeric_limits<Stored>::denorm_min(),
                                     std::numeric_limits<Stored>::max()};
    std::vector<std::byte> raw(stored.size() * sizeof(Stored));
    std::memcpy(raw.data(), stored.data(), raw.size());
    std::vector<Stored> got(stored.size());
    decodeNumbers({encoding, false}, raw, std::span(got));
    EXPECT_EQ(got, stored);
}

TEST(NumberDecoding, WiderNumbersAreCopied) {
    expectCopied<float>(NumberEncoding::Float32);
    expectCopied<double>(NumberEncoding::Float64);
}

TEST(NumberDecoding, CountsNonFinite) {
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(countNonFinite(std::vector<float>{1.0F, std::nanf(""), -inf, inf, 0.0F}), 3);
    EXPECT_EQ(countNonFinite(std::vector<double>{1.0, 1e308, std::nan("")}), 1);
    EXPECT_EQ(countNonFinite(std::span<const float>{}), 0);
}

}  // namespace
}  // namespace dimscope::io
