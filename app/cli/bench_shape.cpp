// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_shape.h"

#include <fmt/format.h>

#include "app/cli/lists.h"

namespace dimscope::app {
namespace {

constexpr std::int64_t kMostHeads = 1024, kMostDim = 4096;

[[noreturn]] void refuseShape(std::string_view option, std::string_view text, std::string_view expected) {
    throw UsageError(fmt::format("{} '{}': expected {}", option, text, expected));
}

}  // namespace

analysis::BenchShape benchShapeFrom(std::string_view option, std::string_view text) {
    constexpr std::string_view kExpected = "heads/KV heads x dimensions such as 9/3x64";
    const std::size_t cross = text.find('x'), slash = text.find('/');
    if (cross == std::string_view::npos) refuseShape(option, text, kExpected);
    const auto number = [&](std::size_t from, std::size_t to) {
        const std::string_view part = from <= to ? text.substr(from, to - from) : std::string_view();
        const bool digits = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
        if (!digits || part.size() > 6) refuseShape(option, text, kExpected);
        return parseInteger(option, part, 1);
    };
    const bool grouped = slash != std::string_view::npos;
    const std::int64_t heads = number(0, grouped ? slash : cross);
    const std::int64_t kvHeads = grouped ? number(slash + 1, cross) : heads;
    const std::int64_t dim = number(cross + 1, text.size());
    if (heads > kMostHeads || dim > kMostDim)
        refuseShape(option, text, fmt::format("at most {} heads and {} dimensions", kMostHeads, kMostDim));
    if (heads % kvHeads != 0) refuseShape(option, text, "query heads that divide among the key/value heads");
    return {static_cast<int>(heads), static_cast<int>(kvHeads), dim};
}

}  // namespace dimscope::app
