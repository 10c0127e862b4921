// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/number_decoding.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <type_traits>

namespace dimscope::io {
namespace {

// Every loop below is free of branches and calls, so that the compiler turns it into vector code for any processor.

/// IEEE half in the low bits of `h`. Moving exponent and mantissa to their places in a float leaves the exponent
/// 112 too small; the multiplication corrects it and normalises subnormals exactly.
float halfToFloat(std::uint16_t h) {
    const auto wide = static_cast<std::uint32_t>(h);
    const std::uint32_t magnitude = (wide & 0x7FFFU) << 13U;
    const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t special = magnitude | 0x7F800000U;  // NaN and infinity keep their mantissa
    const std::uint32_t isSpecial = 0U - static_cast<std::uint32_t>(magnitude >= 0x0F800000U);
    return std::bit_cast<float>((wide & 0x8000U) << 16U | (special & isSpecial) | (finite & ~isSpecial));
}

float brainToFloat(std::uint16_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16U); }

std::uint16_t swapped(std::uint16_t x) { return __builtin_bswap16(x); }
std::uint32_t swapped(std::uint32_t x) { return __builtin_bswap32(x); }
std::uint64_t swapped(std::uint64_t x) { return __builtin_bswap64(x); }

template <class Word, bool kSwap, class Out, class Convert>
void convertAll(const std::byte* raw, std::span<Out> out, Convert convert) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        Word word;  // memcpy: the bytes need not be aligned
        std::memcpy(&word, raw + i * sizeof(Word), sizeof(Word));
        if constexpr (kSwap) word = swapped(word);
        out[i] = static_cast<Out>(convert(word));
    }
}

template <class Word, class Out, class Convert>
void convertOrdered(bool bigEndian, const std::byte* raw, std::span<Out> out, Convert convert) {
    if (bigEndian == (std::endian::native == std::endian::big))
        convertAll<Word, false>(raw, out, convert);
    else
        convertAll<Word, true>(raw, out, convert);
}

template <class Out>
void decodeTo(NumberFormat format, std::span<const std::byte> raw, std::span<Out> out) {
    assert(raw.size() == out.size() * format.bytes());
    const bool big = format.bigEndian;
    switch (format.encoding) {
        case NumberEncoding::Float16:
            return convertOrdered<std::uint16_t>(big, raw.data(), out, [](std::uint16_t w) { return halfToFloat(w); });
        case NumberEncoding::BFloat16:
            return convertOrdered<std::uint16_t>(big, raw.data(), out, [](std::uint16_t w) { return brainToFloat(w); });
        case NumberEncoding::Float32:
            return convertOrdered<std::uint32_t>(big, raw.data(), out,
                                                 [](std::uint32_t w) { return std::bit_cast<float>(w); });
        case NumberEncoding::Float64:
            return convertOrdered<std::uint64_t>(big, raw.data(), out,
                                                 [](std::uint64_t w) { return std::bit_cast<double>(w); });
    }
}

template <class Word, class T>
kernels::Index countSpecial(std::span<const T> values, Word exponent) {
    kernels::Index count = 0;
    for (const T value : values) count += (std::bit_cast<Word>(value) & exponent) == exponent ? 1 : 0;
    return count;
}

}  // namespace

std::size_t NumberFormat::bytes() const {
    return encoding == NumberEncoding::Float64 ? 8 : (encoding == NumberEncoding::Float32 ? 4 : 2);
}

std::string_view NumberFormat::name() const {
    switch (encoding) {
        case NumberEncoding::Float16: return "float16";
        case NumberEncoding::BFloat16: return "bf16";
        case NumberEncoding::Float32: return "float32";
        case NumberEncoding::Float64: break;
    }
    return "float64";
}

void decodeNumbers(NumberFormat format, std::span<const std::byte> raw, std::span<float> out) {
    decodeTo(format, raw, out);
}
void decodeNumbers(NumberFormat format, std::span<const std::byte> raw, std::span<double> out) {
    decodeTo(format, raw, out);
}

kernels::Index countNonFinite(std::span<const float> values) {
    return countSpecial<std::uint32_t>(values, std::uint32_t{0x7F800000U});
}
kernels::Index countNonFinite(std::span<const double> values) {
    return countSpecial<std::uint64_t>(values, std::uint64_t{0x7FF0000000000000ULL});
}

}  // namespace dimscope::io
