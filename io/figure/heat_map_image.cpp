// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/heat_map_image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dimscope::io {
namespace {

using analysis::ColourMap;
using analysis::ColourScale;
using analysis::HeatMap;
using kernels::Index;

// Cividis (Nuñez, Anderton, Renslow 2018, PLOS ONE 13(7)) at 33 even steps.
constexpr std::array<QRgb, 33> kCividis{
    0x00224E, 0x00285B, 0x002E6A, 0x053371, 0x1A386F, 0x273E6E, 0x32436D, 0x3B496C, 0x434E6C, 0x4B546C, 0x535A6D,
    0x5A5F6E, 0x61656F, 0x686A71, 0x6F7073, 0x767676, 0x7D7C78, 0x838179, 0x8B8778, 0x928D78, 0x9A9376, 0xA29975,
    0xAAA073, 0xB3A670, 0xBBAD6D, 0xC3B369, 0xCCBA64, 0xD4C15F, 0xDDC858, 0xE6D051, 0xEFD748, 0xF8DF3C, 0xFEE838};
constexpr std::array<QRgb, 3> kBlueWhiteVermilion{0x0072B2, 0xFFFFFF, 0xD55E00};
constexpr int kColourSteps = 1024;

template <std::size_t count>
QRgb interpolated(const std::array<QRgb, count>& stops, double position) {
    const double place = std::clamp(position, 0.0, 1.0) * static_cast<double>(count - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(place), count - 2);
    const double part = place - static_cast<double>(i);
    const auto mixed = [part](int a, int b) { return static_cast<int>(std::lround(a + part * (b - a))); };
    return qRgb(mixed(qRed(stops[i]), qRed(stops[i + 1])), mixed(qGreen(stops[i]), qGreen(stops[i + 1])),
                mixed(qBlue(stops[i]), qBlue(stops[i + 1])));
}

double scaledValue(ColourScale scale, double value) {
    switch (scale) {
        case ColourScale::Log: return std::log10(value);
        case ColourScale::SquareRoot: return std::copysign(std::sqrt(std::abs(value)), value);
        case ColourScale::Linear: break;
    }
    return value;
}

// Cells that pixel i of n shows: one where cells are wider than pixels, several otherwise.
std::pair<Index, Index> cellsOf(int i, int n, Index cells) {
    const Index from = static_cast<Index>(i) * cells / n;
    return {from, std::max(from + 1, (static_cast<Index>(i) + 1) * cells / n)};
}

float largestMagnitude(const kernels::Matrix<float>& values, std::pair<Index, Index> rows,
                       std::pair<Index, Index> columns) {
    float most = std::numeric_limits<float>::quiet_NaN();
    for (Index r = rows.first; r < rows.second; ++r)
        for (Index c = columns.first; c < columns.second; ++c)
            if (const float value = values(r, c); !std::isnan(value) && !(std::abs(most) >= std::abs(value)))
                most = value;
    return most;
}

std::vector<double> tickValues(const HeatMap& map) {
    if (map.scale == ColourScale::SquareRoot && map.from < 0.0) return {map.from, 0.0, map.to};
    AxisMap axis{map.from, map.to, 0.0, 1.0, map.scale == ColourScale::Log, 0.0};
    if (axis.log && !(map.from > 0.0)) axis.from = map.to * 1e-3;
    std::vector<double> ticks{map.from};
    for (double tick : chooseTicks(axis, 5)) ticks.push_back(tick);
    ticks.push_back(map.to);
    std::vector<double> apart;  // the borders always, inner ones where they have room
    for (double tick : ticks) {
        const double place = colourPosition(map, tick);
        const bool border = tick == map.from || tick == map.to;
        if (border && (apart.empty() || tick != apart.back())) {
            while (apart.size() > 1 && place - colourPosition(map, apart.back()) < 0.15) apart.pop_back();
            apart.push_back(tick);
        } else if (!border && place - colourPosition(map, apart.back()) >= 0.15) {
            apart.push_back(tick);
        }
    }
    return apart;
}

/// Values to places 0..1 on the colour bar; the borders are scaled once for all values of a map.
class ColourPlaces {
public:
    explicit ColourPlaces(const HeatMap& map) : scale_(map.scale), from_(map.from) {
        if (map.scale == ColourScale::Log && !(from_ > 0.0)) from_ = map.to * 1e-3;
        to_ = std::max(from_, map.to);
        scaledFrom_ = scaledValue(scale_, from_);
        scaledRange_ = scaledValue(scale_, map.to) - scaledFrom_;
    }

    double operator()(double value) const {
        if (std::isnan(value)) return value;
        const double scaled = scaledValue(scale_, std::clamp(value, from_, to_));
        return scaledRange_ > 0.0 ? (scaled - scaledFrom_) / scaledRange_ : 0.5;
    }

private:
    ColourScale scale_;
    double from_ = 0.0, to_ = 0.0, scaledFrom_ = 0.0, scaledRange_ = 0.0;
};

}  // namespace

double colourPosition(const HeatMap& map, double value) { return ColourPlaces(map)(value); }

QRgb mapColour(ColourMap map, double position) {
    return map == ColourMap::Cividis ? interpolated(kCividis, position) : interpolated(kBlueWhiteVermilion, position);
}

std::vector<Tick> colourTicks(const HeatMap& map) {
    bool below = false, above = false;
    if (map.values)
        for (float value : map.values->values()) {
            below = below || static_cast<double>(value) < map.from * (map.from > 0.0 ? 1 - 1e-6 : 1 + 1e-6);
            above = above || static_cast<double>(value) > map.to * (map.to > 0.0 ? 1 + 1e-6 : 1 - 1e-6);
        }
    std::vector<Tick> ticks;
    const std::vector<double> tickPlaces = tickValues(map);
    const std::vector<std::string> texts = numberTexts(tickPlaces);
    for (std::size_t i = 0; i < texts.size(); ++i) ticks.push_back({tickPlaces[i], texts[i]});
    if (below && !ticks.empty()) ticks.front().label = "≤ " + ticks.front().label;
    if (above && !ticks.empty()) ticks.back().label = "≥ " + ticks.back().label;
    return ticks;
}

QImage heatMapImage(const HeatMap& map, Index first, Index last, QSize size) {
    if (!map.values || map.values->empty() || last <= first || size.isEmpty()) return {};
    std::array<QRgb, kColourSteps + 1> colours{};
    for (int i = 0; i <= kColourSteps; ++i)
        colours[static_cast<std::size_t>(i)] = mapColour(map.map, static_cast<double>(i) / kColourSteps);

    const ColourPlaces placeOf(map);
    QImage image(size, QImage::Format_ARGB32);
    for (int y = 0; y < size.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const auto rows = cellsOf(y, size.height(), map.values->rows());
        if (y > 0 && rows == cellsOf(y - 1, size.height(), map.values->rows())) {
            std::copy_n(reinterpret_cast<const QRgb*>(image.constScanLine(y - 1)), size.width(), line);
            continue;
        }
        for (int x = 0; x < size.width(); ++x) {
            const auto [from, to] = cellsOf(x, size.width(), last - first);
            const double place =
                placeOf(static_cast<double>(largestMagnitude(*map.values, rows, {first + from, first + to})));
            line[x] = std::isnan(place) ? qRgba(0, 0, 0, 0)
                                        : colours[static_cast<std::size_t>(std::lround(place * kColourSteps))];
        }
    }
    return image;
}

}  // namespace dimscope::io
