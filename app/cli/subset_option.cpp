// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/subset_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/cli/lists.h"

namespace dimscope::app {
namespace {

[[noreturn]] void refuseSubset(const std::string& text) {
    throw UsageError(
        fmt::format("--subset '{}': expected top:N, share:X (0 to 1) or a list such as 15.0:3+5,15.4:60", text));
}

template <class Number>
Number numberIn(std::string_view part, const std::string& whole) {
    Number value{};
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < Number{}) refuseSubset(whole);
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

void addListed(std::string_view entry, const std::string& whole, analysis::HeadSubsets& listed) {
    const std::size_t dot = entry.find('.'), colon = entry.find(':');
    if (dot == std::string_view::npos || colon == std::string_view::npos || dot > colon) refuseSubset(whole);
    const kernels::LayerIndex layer{numberIn<int>(entry.substr(0, dot), whole)};
    const kernels::HeadIndex head{numberIn<int>(entry.substr(dot + 1, colon - dot - 1), whole)};
    std::vector<int>& dimensions = listed[{layer, head}];
    for (const std::string_view part : split(entry.substr(colon + 1), '+'))
        dimensions.push_back(numberIn<int>(part, whole));
    std::sort(dimensions.begin(), dimensions.end());
    if (std::adjacent_find(dimensions.begin(), dimensions.end()) != dimensions.end()) refuseSubset(whole);
}

}  // namespace

analysis::SubsetChoice parseSubset(const std::string& text) {
    using Kind = analysis::SubsetChoice::Kind;
    analysis::SubsetChoice choice;
    if (text.empty()) return choice;
    if (text.starts_with("top:")) {
        choice.kind = Kind::Top;
        choice.top = numberIn<int>(std::string_view(text).substr(4), text);
    } else if (text.starts_with("share:")) {
        choice.kind = Kind::Share;
        choice.share = numberIn<double>(std::string_view(text).substr(6), text);
        if (choice.share > 1.0) refuseSubset(text);
    } else {
        choice.kind = Kind::Listed;
        for (const std::string_view entry : split(text, ',')) addListed(entry, text, choice.listed);
    }
    return choice;
}

}  // namespace dimscope::app
