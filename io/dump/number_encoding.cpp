// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/number_encoding.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr int kDroppedBits = 13;         ///< mantissa bits that a float has and a half has not
constexpr std::uint32_t kBiasGap = 112;  ///< 127 - 15

/// The IEEE half of the same value and, for NaN, the same payload; nullopt where there is none.
std::optional<std::uint16_t> halfOf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U, exponent = (bits >> 23U) & 0xFFU, mantissa = bits & 0x7FFFFFU;
    if (exponent == 0 && mantissa == 0) return static_cast<std::uint16_t>(sign);
    const bool isSpecial = exponent == 0xFFU, isNormal = exponent > kBiasGap && exponent < kBiasGap + 31;
    if (isSpecial || isNormal) {
        if ((mantissa & ((1U << kDroppedBits) - 1U)) != 0) return std::nullopt;
        const std::uint32_t halfExponent = isSpecial ? 31U : exponent - kBiasGap;
        return static_cast<std::uint16_t>(sign | (halfExponent << 10U) | (mantissa >> kDroppedBits));
    }
    if (exponent + 10 <= kBiasGap || exponent > kBiasGap) return std::nullopt;  // below 2^-24, above 65504
    const std::uint32_t shift = kDroppedBits + 1 + (kBiasGap - exponent), whole = mantissa | 0x800000U;
    if ((whole & ((1U << shift) - 1U)) != 0) return std::nullopt;
    return static_cast<std::uint16_t>(sign | (whole >> shift));
}

std::optional<std::uint16_t> brainOf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0xFFFFU) != 0) return std::nullopt;
    return static_cast<std::uint16_t>(bits >> 16U);
}

bool isFloat(double value) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(value))) ==
           std::bit_cast<std::uint64_t>(value);
}

template <class T>
bool isExactNumber(StoredNumber number, T value) {
    if constexpr (std::is_same_v<T, double>) {
        if (number == StoredNumber::Float64) return true;
        if (!isFloat(value)) return false;
    }
    const auto single = static_cast<float>(value);
    if (number == StoredNumber::Float16) return halfOf(single).has_value();
    if (number == StoredNumber::BFloat16) return brainOf(single).has_value();
    return true;
}

template <class Stored, class T, class Convert>
std::vector<std::byte> storedAs(const kernels::MatrixView<T>& values, Convert convert) {
    std::vector<std::byte> raw(static_cast<std::size_t>(values.rows() * values.cols()) * sizeof(Stored));
    std::byte* out = raw.data();
    for (Index r = 0; r < values.rows(); ++r)
        for (Index c = 0; c < values.cols(); ++c, out += sizeof(Stored)) {
            const Stored stored = convert(values(r, c));
            std::memcpy(out, &stored, sizeof(Stored));
        }
    return raw;
}

}  // namespace

bool isExactAs(StoredNumber number, const kernels::TensorView& values) {
    return std::visit(
        [number](const auto& view) {
            for (Index r = 0; r < view.rows(); ++r)
                for (Index c = 0; c < view.cols(); ++c)
                    if (!isExactNumber(number, view(r, c))) return false;
            return true;
        },
        values);
}

std::vector<std::byte> encoded(StoredNumber number, const kernels::TensorView& values) {
    return std::visit(
        [number](const auto& view) {
            const auto single = [](auto value) { return static_cast<float>(value); };
            switch (number) {
                case StoredNumber::Float16:
                    return storedAs<std::uint16_t>(view, [&](auto v) { return halfOf(single(v)).value(); });
                case StoredNumber::BFloat16:
                    return storedAs<std::uint16_t>(view, [&](auto v) { return brainOf(single(v)).value(); });
                case StoredNumber::Float32: return storedAs<float>(view, single);
                case StoredNumber::Float64: break;
            }
            return storedAs<double>(view, [](auto v) { return static_cast<double>(v); });
        },
        values);
}

}  // namespace dimscope::io
