// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/html_text.h"

#include <array>
#include <cstdint>

namespace dimscope::app {
namespace {

constexpr std::array<std::string_view, 8> kTags{"<i>", "</i>", "<sub>", "</sub>", "<b>", "</b>", "<br>", "<br/>"};

std::string_view tagAt(std::string_view text) {
    for (const std::string_view tag : kTags)
        if (text.starts_with(tag)) return tag;
    return {};
}

void appendEscaped(char c, std::string& html) {
    switch (c) {
        case '&': html += "&amp;"; return;
        case '<': html += "&lt;"; return;
        case '>': html += "&gt;"; return;
        case '"': html += "&quot;"; return;
        case '\'': html += "&#39;"; return;
        default: break;
    }
    const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == '\x7f';
    html += control ? '?' : c;
}

}  // namespace

std::string htmlText(std::string_view text) {
    std::string html;
    for (const char c : text) appendEscaped(c, html);
    return html;
}

std::string htmlMarkup(std::string_view text) {
    std::string html;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view tag = tagAt(text.substr(i));
        if (tag.empty()) {
            appendEscaped(text[i++], html);
            continue;
        }
        html += tag;
        i += tag.size();
    }
    return html;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63U];
    }
    return text;
}

}  // namespace dimscope::app
