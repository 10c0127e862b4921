// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_set>

namespace dimscope::app {
namespace {

constexpr std::size_t kMostNumbers = 1'000'000;  // more is a slip of the finger, not a selection

std::vector<std::string_view> splitAtCommas(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

/// Digits only: no sign, no space.
std::optional<std::int64_t> naturalFrom(std::string_view text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < 0 || text.front() == '-') return std::nullopt;
    return value;
}

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view expected) {
    throw UsageError(fmt::format("{} '{}': expected {}", option, text, expected));
}

}  // namespace

std::vector<std::int64_t> parseIntegers(std::string_view option, std::string_view text) {
    constexpr std::string_view kExpected = "numbers and ranges such as 4,12,20 or 0-8";
    std::vector<std::int64_t> numbers;
    for (const std::string_view part : splitAtCommas(text)) {
        const std::size_t dash = part.find('-');
        const auto from = naturalFrom(part.substr(0, dash));
        const auto to = dash == std::string_view::npos ? from : naturalFrom(part.substr(dash + 1));
        if (!from || !to || *to < *from) refuse(option, text, kExpected);
        if (static_cast<std::uint64_t>(*to - *from) >= kMostNumbers - numbers.size())
            refuse(option, text, "at most a million numbers");
        for (std::int64_t n = *from; n <= *to; ++n) numbers.push_back(n);
    }
    std::unordered_set<std::int64_t> seen;
    for (const std::int64_t n : numbers)
        if (!seen.insert(n).second) refuse(option, text, fmt::format("every number once, {} comes twice", n));
    return numbers;
}

std::vector<int> parseSelection(std::string_view option, std::string_view text) {
    std::vector<int> chosen;
    if (text == "all") return chosen;
    for (const std::int64_t n : parseIntegers(option, text)) {
        if (n > std::numeric_limits<int>::max()) refuse(option, text, "smaller numbers");
        chosen.push_back(static_cast<int>(n));
    }
    return chosen;
}

std::optional<std::vector<std::string>> parseNames(std::string_view option, std::string_view text) {
    if (text == "all") return std::nullopt;
    std::vector<std::string> names;
    for (const std::string_view part : splitAtCommas(text)) {
        if (part.empty()) refuse(option, text, "names with commas between them, or all");
        if (std::find(names.begin(), names.end(), part) != names.end())
            refuse(option, text, fmt::format("every name once, {} comes twice", part));
        names.emplace_back(part);
    }
    return names;
}

std::int64_t parseInteger(std::string_view option, std::string_view text, std::int64_t least) {
    const auto value = naturalFrom(text);
    if (!value || *value < least) refuse(option, text, fmt::format("a whole number of at least {}", least));
    return *value;
}

}  // namespace dimscope::app
