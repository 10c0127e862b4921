// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pgfplots_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/atomic_file.h"
#include "io/axis_ticks.h"
#include "io/latex_text.h"
#include "io/pgfplots_heat_map.h"
#include "io/pgfplots_marks.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using namespace analysis;

// Room around the panels, millimetres.
constexpr double kLeft = 15, kRight = 3, kTop = 4, kBottom = 10, kTitledGap = 12, kSharedGap = 5;
constexpr double kEndLabels = 25, kColourBar = 16;
constexpr double kLeastPanel = 5;
constexpr double kTickMm = 12;  // room for one tick label

template <class T>
const T* firstMark(const Panel& panel) {
    for (const Mark& mark : panel.marks)
        if (const T* found = std::get_if<T>(&mark)) return found;
    return nullptr;
}

bool hasEndLabels(const Figure& figure) {
    for (const Panel& panel : figure.panels)
        for (const Mark& mark : panel.marks)
            if (const auto* line = std::get_if<Line>(&mark); line && !line->endLabel.empty()) return true;
    return false;
}

double rightRoom(const Figure& figure) {
    const bool bar = std::any_of(figure.panels.begin(), figure.panels.end(), [](const Panel& panel) {
        const auto* map = firstMark<HeatMap>(panel);
        return map && !map->barTitle.empty();
    });
    return kRight + (bar ? kColourBar : 0.0) + (hasEndLabels(figure) ? kEndLabels : 0.0);
}

std::string axisOptions(const Axis& axis, char letter, const AxisMap& map, bool labelled, bool belowZero) {
    std::string places, labels;
    const int most = std::max(2, static_cast<int>(std::abs(map.end - map.start) / kTickMm));
    for (const Tick& tick : axisTicks(axis, map, most)) {
        if (!belowZero && tick.value < 0.0) continue;
        places += fmt::format("{}{:.6g}", places.empty() ? "" : ",", tick.value);
        labels += fmt::format("{}{{{}}}", labels.empty() ? "" : ",",
                              labelled && axis.showLabels ? latexText(tick.label) : "");
    }
    std::string out =
        fmt::format("  {0}min={1:.6g}, {0}max={2:.6g}, {0}mode={3}, {0}tick={{{4}}}, {0}ticklabels={{{5}}}", letter,
                    std::min(map.from, map.to), std::max(map.from, map.to), map.log ? "log" : "linear", places, labels);
    if (map.from > map.to) out += fmt::format(", {} dir=reverse", letter);
    if (axis.grid) out += fmt::format(", {}majorgrids", letter);
    if (labelled && !axis.title.empty()) out += fmt::format(", {}label={{{}}}", letter, latexText(axis.title));
    return out + ",\n";
}

/// Row 0 of a heat map is at the top.
Axis verticalAxis(const Panel& panel) {
    Axis axis = panel.y;
    if (firstMark<HeatMap>(panel) && axis.from < axis.to) std::swap(axis.from, axis.to);
    return axis;
}

struct Frame {
    double bottom, width, height;  // millimetres
};

std::string panelText(const Panel& panel, const Frame& frame, bool labelledX, PgfplotsColours& colours) {
    const Axis vertical = verticalAxis(panel);
    const PgfplotsPanel place{axisMap(panel.x, 0.0, frame.width), axisMap(vertical, 0.0, frame.height)};
    std::string out =
        fmt::format("\\begin{{axis}}[at={{(0mm,{:.2f}mm)}}, anchor=south west, width={:.2f}mm, height={:.2f}mm,\n",
                    frame.bottom, frame.width, frame.height);
    out += axisOptions(panel.x, 'x', place.x, labelledX, true);
    out += axisOptions(vertical, 'y', place.y, true, firstMark<Arc>(panel) == nullptr);
    if (const auto* map = firstMark<HeatMap>(panel)) out += "  axis on top, " + pgfplotsColourBar(*map) + ",\n";
    out += "]\n" + pgfplotsMarks(panel, place, colours);
    if (!panel.note.empty())
        out += fmt::format("\\node[anchor=south east, inner sep=1pt] at (rel axis cs:1,1) {{{}}};\n",
                           latexText(panel.note));
    return out + "\\end{axis}\n";
}

/// All panels, from top to bottom by their weights.
std::string panelsText(const Figure& figure, PgfplotsColours& colours) {
    double weights = 0.0, gaps = 0.0;
    for (const Panel& panel : figure.panels) weights += panel.weight;
    const double gap = figure.sharedX ? kSharedGap : kTitledGap;
    if (!figure.panels.empty()) gaps = gap * static_cast<double>(figure.panels.size() - 1);
    const double room = figure.heightMm - kTop - kBottom - gaps;
    Frame frame{figure.heightMm - kTop + gap, std::max(figure.widthMm - kLeft - rightRoom(figure), kLeastPanel), 0.0};
    std::string out;
    for (const Panel& panel : figure.panels) {
        frame.height = std::max(weights > 0.0 ? room * panel.weight / weights : room, kLeastPanel);
        frame.bottom -= gap + frame.height;
        out += panelText(panel, frame, !figure.sharedX || &panel == &figure.panels.back(), colours);
    }
    return out;
}

constexpr const char* kPreamble = R"(\documentclass[tikz, border=1mm]{standalone}
\usepackage{pgfplots}
\usepgfplotslibrary{patchplots}
\usetikzlibrary{patterns}
\pgfplotsset{compat=1.16}
\begin{document}
)";

constexpr const char* kStyle = R"(\begin{tikzpicture}[font=\footnotesize]
\pgfplotsset{every axis/.append style={scale only axis, clip mode=individual, axis line style={black!50}, tick style={black!50},
  tick align=outside, tick pos=left, major grid style={black!8}, unbounded coords=jump, scaled ticks=false}}
)";

}  // namespace

std::string pgfplotsText(const Figure& figure) {
    std::string comments = latexComment(figure.title + (figure.caption.empty() ? "" : ": " + figure.caption));
    comments += latexComment(provenanceLine(figure.provenance));
    for (const Warning& warning : figure.warnings)
        comments += latexComment(fmt::format("Warning: {}: {}", warning.place, warning.text));
    PgfplotsColours colours;
    const std::string panels = panelsText(figure, colours);
    return comments + kPreamble + colours.definitions() + kStyle + panels + "\\end{tikzpicture}\n\\end{document}\n";
}

void writePgfplots(const Figure& figure, const std::filesystem::path& path) {
    if (path.extension() != ".tikz")
        throw kernels::ArgumentError("'" + path.string() + "': pgfplots source is written as .tikz, not '" +
                                     path.extension().string() + "'");
    writeFileAtomically(path, pgfplotsText(figure));
}

}  // namespace dimscope::io
