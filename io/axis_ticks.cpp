// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace dimscope::io {
namespace {

std::vector<double> linearTicks(double low, double high, int most) {
    const double span = high - low;
    double step = std::pow(10.0, std::floor(std::log10(span / most)));
    for (double factor : {1.0, 2.0, 5.0, 10.0, 20.0}) {
        const double first = std::ceil(low / (step * factor) - 1e-9), last = std::floor(high / (step * factor) + 1e-9);
        if (last - first + 1 > most) continue;
        step *= factor;
        break;
    }
    std::vector<double> ticks;
    const double last = std::floor(high / step + 1e-9);
    for (double i = std::ceil(low / step - 1e-9); i <= last; ++i) ticks.push_back(i * step + 0.0);  // no -0
    return ticks;
}

// All products of a mantissa and a power of ten (every `stride`-th) inside the range.
std::vector<double> decadeTicks(double low, double high, std::initializer_list<double> mantissas, int stride) {
    std::vector<double> ticks;
    const double first = std::floor(std::log10(low) / stride) * stride;
    for (double power = first; power <= std::log10(high) + 1e-9; power += stride)
        for (double mantissa : mantissas) {
            const double value = mantissa * std::pow(10.0, power);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
        }
    return ticks;
}

std::vector<double> logTicks(double low, double high, int most) {
    const auto fits = [most](const std::vector<double>& ticks) {
        return ticks.size() >= 3 && ticks.size() <= static_cast<std::size_t>(most);
    };
    if (auto ticks = decadeTicks(low, high, {1, 1.5, 2, 3, 5, 7}, 1); high < 10 * low && fits(ticks)) return ticks;
    if (auto ticks = decadeTicks(low, high, {1, 2, 5}, 1); fits(ticks)) return ticks;
    if (auto ticks = decadeTicks(low, high, {1, 3}, 1); fits(ticks)) return ticks;
    for (int stride = 1; stride <= 64; ++stride)
        if (auto ticks = decadeTicks(low, high, {1}, stride); ticks.size() <= static_cast<std::size_t>(most)) {
            if (ticks.size() >= 2) return ticks;
            break;
        }
    return linearTicks(low, high, most);
}

std::string superscript(int number) {
    static constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = number < 0 ? "⁻" : "";
    for (char c : std::to_string(std::abs(number))) text += kDigits[static_cast<std::size_t>(c - '0')];
    return text;
}

std::string withMinus(std::string text) { return text.starts_with('-') ? "−" + text.substr(1) : text; }

// The value that the label of a tick speaks of.
double labelled(const analysis::Axis& axis, double value) {
    if (axis.absoluteLabels) value = std::abs(value);
    return axis.format == analysis::TickFormat::Percent ? 100.0 * value : value;
}

std::optional<int> exponentOf(double value) {
    if (!(value > 0.0)) return std::nullopt;
    const double exponent = std::log10(value);
    return std::abs(exponent - std::round(exponent)) < 1e-9 ? std::optional(static_cast<int>(std::lround(exponent)))
                                                            : std::nullopt;
}

}  // namespace

std::string shortNumber(double value) {
    if (std::isnan(value)) return "undefined";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    const double magnitude = std::abs(value);
    if (magnitude == 0.0) return "0";
    if (magnitude >= 9.995e-4 && magnitude < 99950.0) {
        const std::string text = magnitude >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
        return withMinus(text);
    }
    int exponent = static_cast<int>(std::floor(std::log10(magnitude) + 1e-12));
    std::string mantissa = fmt::format("{:.3g}", value / std::pow(10.0, exponent));
    if (mantissa == "10" || mantissa == "-10") {
        mantissa = mantissa.front() == '-' ? "-1" : "1";
        ++exponent;
    }
    const std::string power = "10" + superscript(exponent);
    if (mantissa == "1") return power;
    if (mantissa == "-1") return "−" + power;
    return withMinus(mantissa) + " × " + power;
}

std::vector<double> chooseTicks(const AxisMap& map, int most) {
    const double low = std::min(map.from, map.to), high = std::max(map.from, map.to);
    return map.log ? logTicks(low, high, std::max(most, 2)) : linearTicks(low, high, std::max(most, 2));
}

std::vector<std::string> numberTexts(const std::vector<double>& values) {
    const bool powers = std::all_of(values.begin(), values.end(), [](double v) { return exponentOf(v).has_value(); });
    const bool extreme = std::any_of(values.begin(), values.end(), [](double v) { return v < 9e-4 || v > 1.1e4; });
    std::vector<std::string> texts;
    for (double value : values)
        texts.push_back(powers && extreme ? "10" + superscript(*exponentOf(value)) : shortNumber(value));
    return texts;
}

std::vector<Tick> axisTicks(const analysis::Axis& axis, const AxisMap& map, int most) {
    const std::vector<double> values = axis.ticks.empty() ? chooseTicks(map, most) : axis.ticks;
    std::vector<double> shown;
    for (double value : values) shown.push_back(labelled(axis, value));
    const std::vector<std::string> texts = numberTexts(shown);
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!map.holds(values[i])) continue;
        const bool named = !axis.ticks.empty() && i < axis.tickLabels.size();
        ticks.push_back({values[i], named ? axis.tickLabels[i] : texts[i]});
    }
    if (axis.format == analysis::TickFormat::Percent && axis.tickLabels.empty() && !ticks.empty())
        std::max_element(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) {
            return a.value < b.value;
        })->label += " %";
    return ticks;
}

}  // namespace dimscope::io
