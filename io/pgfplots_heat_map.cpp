// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pgfplots_heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/axis_ticks.h"
#include "io/latex_text.h"
#include "io/pgfplots_style.h"

namespace dimscope::io {
namespace {

using analysis::ColourScale;
using analysis::HeatMap;
using kernels::Index;
using Cells = kernels::Matrix<float>;

constexpr Index kMostCells = 128;  // a side; TeX takes a few seconds for so many

double scaled(ColourScale scale, double value) {
    switch (scale) {
        case ColourScale::Log: return std::log10(value);
        case ColourScale::SquareRoot: return std::copysign(std::sqrt(std::abs(value)), value);
        case ColourScale::Linear: break;
    }
    return value;
}

double lowest(const HeatMap& map) {
    return map.scale == ColourScale::Log && !(map.from > 0.0) ? map.to * 1e-3 : map.from;
}

/// Place of a value in the colour map, 0 to 1.
double position(const HeatMap& map, double value) {
    const double from = lowest(map), a = scaled(map.scale, from), b = scaled(map.scale, map.to);
    return b > a ? (scaled(map.scale, std::clamp(value, from, map.to)) - a) / (b - a) : 0.5;
}

/// At most kMostCells a side: each cell keeps its value of largest magnitude, NaN only where all are.
Cells pooled(const Cells& values) {
    const Index rows = std::min(values.rows(), kMostCells), cols = std::min(values.cols(), kMostCells);
    Cells out(rows, cols);
    std::fill(out.values().begin(), out.values().end(), std::numeric_limits<float>::quiet_NaN());
    for (Index r = 0; r < values.rows(); ++r)
        for (Index c = 0; c < values.cols(); ++c) {
            float& cell = out(r * rows / values.rows(), c * cols / values.cols());
            if (const float value = values(r, c); !std::isnan(value) && !(std::abs(cell) >= std::abs(value)))
                cell = value;
        }
    return out;
}

/// Runs of NaN in each row, hatched.
std::string hatching(const Cells& cells, double width, double height) {
    std::string out;
    for (Index r = 0; r < cells.rows(); ++r)
        for (Index c = 0; c < cells.cols(); ++c) {
            const Index from = c;
            while (c < cells.cols() && std::isnan(cells(r, c))) ++c;
            if (c == from) continue;
            const auto corner = [&](Index col, Index row) {
                return fmt::format("(axis cs:{:.6g},{:.6g})", static_cast<double>(col) * width,
                                   static_cast<double>(row) * height);
            };
            const std::string area = corner(from, r) + " rectangle " + corner(c, r + 1);
            out += fmt::format("\\fill[white] {};\n\\fill[pattern=north east lines, pattern color=black!20] {};\n",
                               area, area);
        }
    return out;
}

}  // namespace

std::string pgfplotsHeatMap(const HeatMap& map) {
    if (!map.values || map.values->empty()) return "";
    const Cells cells = pooled(*map.values);
    const double width = static_cast<double>(map.values->cols()) / static_cast<double>(cells.cols());
    const double height = static_cast<double>(map.values->rows()) / static_cast<double>(cells.rows());
    std::string out;
    if (width > 1.0 || height > 1.0)
        out += fmt::format("% Pooled: each cell shows the value of largest magnitude of {:.3g} x {:.3g} cells.\n",
                           height, width);
    // A matrix plot wants two cells a side; a single one is drawn as two halves.
    const Index splitX = cells.cols() == 1 ? 2 : 1, splitY = cells.rows() == 1 ? 2 : 1;
    out += fmt::format("\\addplot[matrix plot*, mesh/cols={}, point meta=explicit] table[meta index=2] {{\n",
                       cells.cols() * splitX);
    for (Index r = 0; r < cells.rows() * splitY; ++r)
        for (Index c = 0; c < cells.cols() * splitX; ++c) {
            const float value = cells(r / splitY, c / splitX);
            const double x = (static_cast<double>(c) + 0.5) * width / static_cast<double>(splitX);
            const double y = (static_cast<double>(r) + 0.5) * height / static_cast<double>(splitY);
            out += fmt::format("{:.6g} {:.6g} {:.4f}\n", x, y,
                               std::isnan(value) ? 0.0 : position(map, static_cast<double>(value)));
        }
    return out + "};\n" + hatching(cells, width, height);
}

std::string pgfplotsColourBar(const HeatMap& map) {
    std::string out = colourMapOptions(map.map) + ", point meta min=0, point meta max=1";
    if (map.barTitle.empty()) return out;
    const AxisMap axis{lowest(map), map.to, 0.0, 1.0, map.scale == ColourScale::Log, 0.0};
    std::string places, labels;
    const std::vector<double> ticks = map.to > axis.from ? chooseTicks(axis, 5) : std::vector<double>{map.to};
    const std::vector<std::string> texts = numberTexts(ticks);
    for (std::size_t n = 0; n < ticks.size(); ++n) {
        places += fmt::format("{}{:.4f}", n == 0 ? "" : ",", position(map, ticks[n]));
        labels += fmt::format("{}{{{}}}", n == 0 ? "" : ",", latexText(texts[n]));
    }
    return out +
           fmt::format(",\n  colorbar, colorbar style={{width=2.5mm, ytick={{{}}}, yticklabels={{{}}}, ylabel={{{}}}}}",
                       places, labels, latexText(map.barTitle));
}

}  // namespace dimscope::io
