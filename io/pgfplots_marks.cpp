// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pgfplots_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/latex_text.h"
#include "io/pgfplots_heat_map.h"

namespace dimscope::io {
namespace {

using namespace analysis;

constexpr double kLabelMm = 2.8;     // height of a line of labels
constexpr double kTextLineMm = 3.4;  // of texts with several lines
constexpr double kBeyondSpans = 5;   // lines are followed this many panel heights outside, TeX knows no larger lengths

std::string at(double x, double y) { return fmt::format("(axis cs:{:.6g},{:.6g})", x, y); }

class MarkWriter {
public:
    MarkWriter(const PgfplotsPanel& place, PgfplotsColours& colours) : place_(place), colours_(colours) {}

    std::string take() {
        endLabels();
        return std::move(out_);
    }

    void operator()(const Band& band) {
        const bool vertical = band.direction == Rule::Direction::Vertical;
        const AxisMap& map = vertical ? place_.x : place_.y;
        if (std::isnan(band.from) || std::isnan(band.to)) return;
        const double a = map.clamped(band.from), b = map.clamped(band.to);
        const auto [x0, x1] = vertical ? std::pair(a, b) : std::pair(place_.x.from, place_.x.to);
        const auto [y0, y1] = vertical ? std::pair(place_.y.from, place_.y.to) : std::pair(a, b);
        rectangle(x0, y0, x1, y1, band.ink);
    }

    void operator()(const Ribbon& ribbon) {
        std::string there, back;
        for (const Ribbon::Part& part : ribbon.parts) {
            if (std::isnan(part.x) || std::isnan(part.from) || std::isnan(part.to)) continue;
            const double x = place_.x.clamped(part.x);
            there += at(x, place_.y.clamped(part.to)) + " -- ";
            back = at(x, place_.y.clamped(part.from)) + " -- " + back;
        }
        if (!there.empty())
            out_ += fmt::format("\\fill[{}, fill opacity=0.6] {}{}cycle;\n", colours_.name(ribbon.ink), there, back);
    }

    void operator()(const Span& span) {
        if (!place_.x.holds(span.from) || !place_.x.holds(span.to) || !place_.y.holds(span.y)) return;
        out_ += fmt::format("\\draw[{}, <->, >=stealth] {} -- {};\n", colours_.name(span.ink), at(span.from, span.y),
                            at(span.to, span.y));
        const double middle = (place_.x.position(span.from) + place_.x.position(span.to)) / 2;
        node(place_.x.value(middle), span.y, "fill=white, inner sep=1.5pt", {Role::Text, {}}, span.label);
    }

    void operator()(const HeatMap& map) { out_ += pgfplotsHeatMap(map); }

    void operator()(const Bars& bars) {
        for (const Bars::Bar& bar : bars.bars) {
            if (!place_.x.holds(bar.x) || std::isnan(bar.top) || std::isnan(bar.base)) continue;
            const double half = bars.width / 2;
            const double top = place_.y.clamped(bar.top);
            rectangle(place_.x.clamped(bar.x - half), place_.y.clamped(bar.base), place_.x.clamped(bar.x + half), top,
                      bar.ink);
            if (bar.whiskerFrom && bar.whiskerTo && std::isfinite(*bar.whiskerFrom) && std::isfinite(*bar.whiskerTo))
                out_ += fmt::format("\\draw[inkText] {} -- {};\n", at(bar.x, place_.y.clamped(*bar.whiskerFrom)),
                                    at(bar.x, place_.y.clamped(*bar.whiskerTo)));
            const double end = bar.whiskerTo && std::isfinite(*bar.whiskerTo) ? place_.y.clamped(*bar.whiskerTo) : top;
            node(bar.x, end, bar.top < bar.base ? "anchor=north, inner sep=1.5pt" : "anchor=south, inner sep=1.5pt",
                 {Role::Text, {}}, bar.label);
        }
    }

    void operator()(const Line& line) {
        std::string options = fmt::format("{}, line width={:.3g}pt{}", colours_.name(line.ink), line.widthPt,
                                          line.dashed ? ", dashed" : "");
        const KernelMarker marker = line.ink.role == Role::Kernel ? kernelMarker(line.ink.kernel) : KernelMarker{};
        options += line.markers
                       ? ", mark size=1.5pt, " + markerOptions(marker.shape, marker.filled, colours_.name(line.ink))
                       : ", no markers";
        out_ += fmt::format("\\addplot[{}] table {{\n", options);
        const std::pair<double, double>* last = nullptr;
        for (const auto& point : line.points) {
            const double x = inReach(place_.x, point.first), y = inReach(place_.y, point.second);
            const bool drawn = !std::isnan(x) && !std::isnan(y);
            out_ += drawn ? fmt::format("{:.6g} {:.6g}\n", x, y)
                          : fmt::format("{:.6g} nan\n", std::isnan(x) ? place_.x.from : x);
            if (drawn) last = &point;
        }
        out_ += "};\n";
        if (line.labelNear) return nearLabel(line);
        if (last && !line.endLabel.empty())
            ends_.push_back({place_.x.clamped(last->first), place_.y.clamped(last->second), &line, 0.0});
    }

    void operator()(const Rule& rule) {
        const bool vertical = rule.direction == Rule::Direction::Vertical;
        if (!(vertical ? place_.x : place_.y).holds(rule.at)) return;
        const std::string from = vertical ? at(rule.at, place_.y.from) : at(place_.x.from, rule.at);
        const std::string to = vertical ? at(rule.at, place_.y.to) : at(place_.x.to, rule.at);
        out_ +=
            fmt::format("\\draw[{}{}] {} -- {};\n", colours_.name(rule.ink), rule.dashed ? ", dashed" : "", from, to);
        if (vertical)
            node(rule.at, place_.y.to, rule.labelBefore ? "anchor=north east" : "anchor=north west", rule.ink,
                 rule.label);
        else
            node(place_.x.from, rule.at, "anchor=south west, inner sep=1.5pt", rule.ink, rule.label);
    }

    void operator()(const Arc& arc) {
        if (!place_.x.holds(arc.from) || !place_.x.holds(arc.to)) return;
        const double zero = place_.y.clamped(0.0),
                     foot = zero + std::clamp(arc.depth, 0.0, 1.0) * (place_.y.from - zero);
        const double a = std::min(arc.from, arc.to), b = std::max(arc.from, arc.to), w = b - a,
                     bend = foot - 0.25 * (foot - zero);
        out_ += fmt::format("\\draw[{}] {} .. controls {} and {} .. {} .. controls {} and {} .. {};\n",
                            colours_.name(arc.ink), at(a, zero), at(a + 0.08 * w, bend), at(a + 0.25 * w, foot),
                            at((a + b) / 2, foot), at(b - 0.25 * w, foot), at(b - 0.08 * w, bend), at(b, zero));
        node((a + b) / 2, foot, "fill=white, inner sep=1pt", {Role::Text, {}}, arc.label);
    }

    /// One plot for each ink and size, so that a paper can change them together.
    void operator()(const Points& points) {
        std::vector<const Points::Point*> left;
        for (const Points::Point& point : points.points)
            if (!std::isnan(point.x) && !std::isnan(point.y)) left.push_back(&point);
        while (!left.empty()) {
            const Points::Point first = *left.front();
            const auto alike = [&](const Points::Point* p) { return p->ink == first.ink && p->sizePt == first.sizePt; };
            const auto rest = std::stable_partition(left.begin(), left.end(), alike);
            plotPoints(points, {left.begin(), rest});
            left.erase(left.begin(), rest);
        }
    }

    void operator()(const Text& text) {
        if (std::isnan(text.x) || std::isnan(text.y)) return;
        const char* anchor = text.anchor == Text::Anchor::Left    ? "anchor=west"
                             : text.anchor == Text::Anchor::Right ? "anchor=east"
                                                                  : "anchor=center";
        double down = 0.0;
        for (std::size_t from = 0; from <= text.text.size(); down += kTextLineMm) {
            const std::size_t end = std::min(text.text.find('\n', from), text.text.size());
            std::string options = anchor;
            if (down > 0.0) options += fmt::format(", yshift={:.2f}mm", -down);
            if (text.bold) options += ", font=\\footnotesize\\bfseries";
            node(place_.x.clamped(text.x), place_.y.clamped(text.y), options, text.ink,
                 text.text.substr(from, end - from));
            from = end + 1;
        }
    }

private:
    struct EndLabel {
        double x, y;
        const Line* line;
        double mm;
    };

    void rectangle(double x0, double y0, double x1, double y1, const Ink& ink) {
        out_ += fmt::format("\\fill[{}] {} rectangle {};\n", colours_.name(ink), at(x0, y0), at(x1, y1));
    }

    void node(double x, double y, const std::string& options, const Ink& ink, const std::string& text) {
        if (!text.empty())
            out_ += fmt::format("\\node[{}, text={}] at {} {{{}}};\n", options, colours_.name(ink), at(x, y),
                                latexText(text));
    }

    static double inReach(const AxisMap& map, double value) {
        if (std::isnan(value) || (map.log && !(value > 0.0))) return std::nan("");
        const double reach = kBeyondSpans * std::abs(map.end - map.start), low = std::min(map.start, map.end),
                     high = std::max(map.start, map.end);
        if (const double mm = map.position(value); mm >= low - reach && mm <= high + reach) return value;
        return map.value(map.position(value) < low ? low - reach : high + reach);
    }

    /// At the highest point: lines that end in one point are apart there.
    void nearLabel(const Line& line) {
        const std::pair<double, double>* highest = nullptr;
        for (const auto& point : line.points)
            if (std::isfinite(point.second) && (!highest || point.second > highest->second)) highest = &point;
        if (highest)
            node(place_.x.clamped(highest->first), place_.y.clamped(highest->second),
                 "anchor=south west, inner sep=2pt", {Role::Text, {}}, line.endLabel);
    }

    void plotPoints(const Points& points, const std::vector<const Points::Point*>& alike) {
        const Points::Point& first = *alike.front();
        const std::string& colour = colours_.name(first.ink);
        const KernelMarker marker =
            first.ink.role == Role::Kernel ? kernelMarker(first.ink.kernel) : KernelMarker{points.shape, points.filled};
        const bool filled = points.ownFilling ? points.filled : marker.filled;
        out_ += fmt::format("\\addplot[only marks, {}, mark size={:.3g}pt, {}] table {{\n", colour, first.sizePt / 2,
                            markerOptions(marker.shape, filled, colour));
        for (const Points::Point* p : alike)
            if (place_.x.holds(p->x) && place_.y.holds(p->y)) out_ += fmt::format("{:.6g} {:.6g}\n", p->x, p->y);
        out_ += "};\n";
        for (const Points::Point* p : alike) {
            const double x = place_.x.clamped(p->x), y = place_.y.clamped(p->y);
            if (!place_.x.holds(p->x))
                out_ += fmt::format("\\node[text={}] at {} {{\\ensuremath{{{}}}}};\n", colour, at(x, y),
                                    x == place_.x.to ? "\\rightarrow" : "\\leftarrow");
            else if (!place_.y.holds(p->y))
                out_ += fmt::format("\\node[text={}] at {} {{\\ensuremath{{{}}}}};\n", colour, at(x, y),
                                    y == place_.y.to ? "\\uparrow" : "\\downarrow");
            node(x, y, "anchor=west", {Role::Text, {}}, p->label);
        }
    }

    /// Labels at line ends from bottom to top, pushed apart where they would overlap.
    void endLabels() {
        for (EndLabel& label : ends_) label.mm = place_.y.position(label.y);
        std::sort(ends_.begin(), ends_.end(), [](const EndLabel& a, const EndLabel& b) { return a.mm < b.mm; });
        double floor = -kLabelMm;
        for (EndLabel& label : ends_) floor = label.mm = std::max(label.mm, floor + kLabelMm);
        double ceiling = std::max(place_.y.start, place_.y.end) + kLabelMm;
        for (auto label = ends_.rbegin(); label != ends_.rend(); ++label)
            ceiling = label->mm = std::min(label->mm, ceiling - kLabelMm);
        for (const EndLabel& label : ends_) {
            const std::string shift =
                fmt::format("anchor=west, yshift={:.2f}mm", label.mm - place_.y.position(label.y));
            node(label.x, label.y, shift, label.line->ink, label.line->endLabel);
        }
    }

    const PgfplotsPanel& place_;
    PgfplotsColours& colours_;
    std::string out_;
    std::vector<EndLabel> ends_;
};

}  // namespace

std::string pgfplotsMarks(const Panel& panel, const PgfplotsPanel& place, PgfplotsColours& colours) {
    MarkWriter writer(place, colours);
    colours.name({Role::Text, {}});  // of the whiskers
    const auto write = [&](bool ground) {
        for (const Mark& mark : panel.marks)
            if ((std::holds_alternative<Band>(mark) || std::holds_alternative<Ribbon>(mark)) == ground)
                std::visit(writer, mark);
    };
    write(true);
    write(false);
    return writer.take();
}

}  // namespace dimscope::io
