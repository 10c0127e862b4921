// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/number_decoding.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
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

/// 8-bit float with `exponentBits`, bias as IEEE 754 has it. E4M3FN has one NaN and no infinity.
float eightBitsToFloat(std::uint8_t code, int exponentBits, bool finiteOnly) {
    const int mantissaBits = 7 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
    const int exponent = (code & 0x7F) >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    const int last = (1 << exponentBits) - 1;
    const float sign = (code & 0x80) != 0 ? -1.0F : 1.0F;
    const float fraction = static_cast<float>(mantissa) / static_cast<float>(1 << mantissaBits);
    if (finiteOnly && (code & 0x7F) == 0x7F) return std::numeric_limits<float>::quiet_NaN();
    if (!finiteOnly && exponent == last)
        return mantissa == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
    return sign * std::ldexp(1.0F + fraction, exponent - bias);
}

std::array<float, 256> eightBitTable(int exponentBits, bool finiteOnly) {
    std::array<float, 256> table{};
    for (std::size_t code = 0; code < table.size(); ++code)
        table[code] = eightBitsToFloat(static_cast<std::uint8_t>(code), exponentBits, finiteOnly);
    return table;
}

std::uint8_t swapped(std::uint8_t x) { return x; }
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

template <class Unsigned, class Out>
void decodeIntegers(NumberFormat format, std::span<const std::byte> raw, std::span<Out> out) {
    using Signed = std::make_signed_t<Unsigned>;
    if (format.isSigned)
        convertOrdered<Unsigned>(format.bigEndian, raw.data(), out, [](Unsigned w) { return static_cast<Signed>(w); });
    else
        convertOrdered<Unsigned>(format.bigEndian, raw.data(), out, [](Unsigned w) { return w; });
}

template <class Out>
void decodeEightBits(const std::array<float, 256>& table, std::span<const std::byte> raw, std::span<Out> out) {
    convertOrdered<std::uint8_t>(false, raw.data(), out, [&table](std::uint8_t w) { return table[w]; });
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
        case NumberEncoding::Float8E4M3: {
            static const std::array<float, 256> table = eightBitTable(4, true);
            return decodeEightBits(table, raw, out);
        }
        case NumberEncoding::Float8E5M2: {
            static const std::array<float, 256> table = eightBitTable(5, false);
            return decodeEightBits(table, raw, out);
        }
        case NumberEncoding::Integer:
            if (format.integerBytes == 1) return decodeIntegers<std::uint8_t>(format, raw, out);
            if (format.integerBytes == 2) return decodeIntegers<std::uint16_t>(format, raw, out);
            if (format.integerBytes == 4) return decodeIntegers<std::uint32_t>(format, raw, out);
            return decodeIntegers<std::uint64_t>(format, raw, out);
        case NumberEncoding::Converted: assert(false); return;  // arrives as double
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
    switch (encoding) {
        case NumberEncoding::Float64:
        case NumberEncoding::Converted: return 8;
        case NumberEncoding::Float32: return 4;
        case NumberEncoding::Float16:
        case NumberEncoding::BFloat16: return 2;
        case NumberEncoding::Integer: return integerBytes;
        case NumberEncoding::Float8E4M3:
        case NumberEncoding::Float8E5M2: break;
    }
    return 1;
}

bool NumberFormat::needsDouble() const {
    return encoding == NumberEncoding::Float64 || encoding == NumberEncoding::Converted ||
           encoding == NumberEncoding::Integer;  // times a scale factor that need not be a float
}

std::string NumberFormat::name() const {
    switch (encoding) {
        case NumberEncoding::Float16: return "float16";
        case NumberEncoding::BFloat16: return "bf16";
        case NumberEncoding::Float32: return "float32";
        case NumberEncoding::Float64: return "float64";
        case NumberEncoding::Float8E4M3: return "fp8_e4m3fn";
        case NumberEncoding::Float8E5M2: return "fp8_e5m2";
        case NumberEncoding::Integer: return (isSigned ? "int" : "uint") + std::to_string(integerBytes * 8);
        case NumberEncoding::Converted: break;
    }
    return "converted";
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
