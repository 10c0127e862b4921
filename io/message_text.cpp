// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/message_text.h"

#include <fmt/format.h>

#include <array>

namespace dimscope::io {
namespace {

/// Bytes of the UTF-8 character at the start of `text`; 0: none starts here.
std::size_t utf8Length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80 ? 1 : (first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : (first >= 0xC2 ? 2 : 0)));
    if (length == 0 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
    return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string result;
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::size_t length = first < 0x20 || first == 0x7F ? 0 : utf8Length(text);
        const std::string piece = length == 0 ? fmt::format("\\x{:02x}", first) : std::string(text.substr(0, length));
        if (result.size() + piece.size() > limit) return result + "...";
        result += piece;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::string lowered(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::string bytesText(double bytes) {
    static constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 4096.0) return fmt::format("{:.0f} bytes", bytes);
    std::size_t unit = 0;
    for (bytes /= 1024.0; bytes >= 1024.0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024.0;
    return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace dimscope::io
