// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/figure_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/figures/recorded_value.h"
#include "analysis/table.h"

namespace dimscope::analysis {

std::string numberText(double value) { return displayText(Cell{value}); }

std::string percentText(double share) { return displayText(Cell{share}, NumberStyle::Percent); }

std::string roundPercentText(double share) {
    const double percent = 100.0 * share;
    if (!std::isfinite(percent)) return "undefined";
    if (std::abs(percent) >= 9.95 || percent == 0.0) return fmt::format("{:.0f} %", percent);
    // Two significant digits below ten percent, plain notation.
    const int decimals = 1 - static_cast<int>(std::floor(std::log10(std::abs(percent))));
    return fmt::format("{:.{}f} %", percent, std::min(decimals, 6));
}

std::string commaList(const std::vector<int>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

std::string wordList(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    if (words.size() == 1) return words.front();
    return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string wordList(const std::vector<int>& values) {
    std::vector<std::string> words;
    for (int value : values) words.push_back(std::to_string(value));
    return wordList(words);
}

std::string countText(std::size_t count) {
    static constexpr std::array kWords{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
    return count < kWords.size() ? kWords[count] : std::to_string(count);
}

std::string placeText(LayerIndex layer, HeadIndex head) {
    return fmt::format("layer {} · head {}", layer.value, head.value);
}

std::string headStem(const std::string& what, LayerIndex layer, HeadIndex head) {
    return fmt::format("{}-L{:02}-H{}", what, layer.value, head.value);
}

std::string extentText(const Provenance& provenance, std::size_t prompts) {
    std::string text;
    const auto* length = recordedValue<std::int64_t>(provenance.selection, "length");
    if (length && *length > 0) text = fmt::format(" · N {}", *length);
    const auto* list = recordedValue<std::vector<std::int64_t>>(provenance.selection, "prompts");
    if (list && prompts == 0) prompts = list->size();
    if (prompts > 0) text += fmt::format(" · {} {}", prompts, prompts == 1 ? "prompt" : "prompts");
    return text;
}

std::vector<double> niceTicks(double from, double to, int most) {
    const double span = to - from;
    if (!(span > 0.0) || most < 1) return {from};
    double step = std::pow(10.0, std::floor(std::log10(span / most)));
    for (double factor : {1.0, 2.0, 5.0, 10.0, 20.0})
        if (std::floor(to / (step * factor) + 1e-9) - std::ceil(from / (step * factor) - 1e-9) + 1 <= most) {
            step *= factor;
            break;
        }
    std::vector<double> ticks;
    const double first = std::ceil(from / step - 1e-9);
    const double last = std::floor(to / step + 1e-9);
    for (double i = first; i <= last; ++i)
        ticks.push_back(std::clamp(i * step, from, to) + 0.0);  // + 0.0: no negative zero
    return ticks;
}

std::vector<int> countTicks(int count, int most) {
    int step = 1;
    while ((count - 1) / step + 1 > most) step *= 2;
    std::vector<int> ticks;
    for (int i = 0; i < count; i += step) ticks.push_back(i);
    if (count > 1 && 2 * (count - 1 - ticks.back()) > step) ticks.push_back(count - 1);
    return ticks;
}

Panel emptyPanel(const std::string& why) {
    Panel panel;
    panel.x.showLabels = panel.y.showLabels = false;
    panel.x.grid = panel.y.grid = false;
    panel.marks.push_back(Text{0.5, 0.5, why, Text::Anchor::Centre, inkOf(Role::Secondary), false});
    return panel;
}

}  // namespace dimscope::analysis
