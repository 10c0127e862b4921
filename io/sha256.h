// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dimscope::io {

/// SHA-256 (FIPS 180-4), fed piece by piece.
class Sha256 {
public:
    Sha256();
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
    /// 64 hexadecimal digits; nothing may be added afterwards.
    std::string hex();

private:
    void compress(const std::byte* block);

    std::array<std::uint32_t, 8> state_;
    std::array<std::byte, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t total_ = 0;  ///< bytes so far
};

}  // namespace dimscope::io
