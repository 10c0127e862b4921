// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/provenance.h"
#include "kernels/matrix.h"

namespace dimscope::analysis {

// A figure is data only: panels stacked from top to bottom, in each panel axes and marks in data coordinates. Colours
// are roles; who draws the figure knows the theme. The figure on the screen and the one in a paper are this same value.

/// Meaning of a colour (resources/docs/window.md: light, dark and print values).
enum class Role {
    Text,          ///< axis ink
    Secondary,     ///< grey text, uniform lines
    BulkQuery,     ///< neutral grey
    BulkKey,       ///< lighter grey
    OutlierQuery,  ///< vermilion
    OutlierKey,    ///< lighter vermilion
    OutlierText,
    Partner,  ///< sky blue, RoPE partners
    Band,     ///< pale ground: brushed dimensions, candidate range
    Accent,
    Kernel,  ///< colour and marker of the kernel named in the mark
};

struct Ink {
    Role role = Role::Text;
    std::string kernel;  ///< with Role::Kernel: "performer", ...
    friend bool operator==(const Ink&, const Ink&) = default;
};

enum class AxisScale { Linear, Log };
enum class TickFormat { Number, Percent };

struct Axis {
    std::string title;  ///< with unit; "<i>...</i>" and "<sub>...</sub>" are understood, nothing else
    double from = 0.0, to = 1.0;
    AxisScale scale = AxisScale::Linear;
    TickFormat format = TickFormat::Number;
    std::vector<double> ticks;            ///< empty: chosen by the drawer
    std::vector<std::string> tickLabels;  ///< with ticks: their texts (categories)
    bool showLabels = true;
    bool absoluteLabels = false;  ///< label |value|: mean |k| drawn downwards
    bool grid = true;
};

/// What the pointer finds: which dimension (or other key) and what to say about it.
struct Hover {
    int key = -1;      ///< dimension, row or -1
    std::string text;  ///< "dim 26: share 14.9 %, rank 1, partner 58"
};

struct Bars {
    struct Bar {
        double x = 0.0, base = 0.0, top = 0.0;
        Ink ink;
        std::optional<double> whiskerFrom, whiskerTo;
        std::string label;  ///< number above (below when it points down) the bar; empty: none
        Hover hover;
    };
    std::vector<Bar> bars;
    double width = 0.7;  ///< in x units
};

enum class MarkerShape { Disc, Square, Diamond, TriangleUp, TriangleDown };

struct Points {
    struct Point {
        double x = 0.0, y = 0.0;
        Ink ink;
        double sizePt = 4.0;
        std::string label;  ///< to the right of the mark; empty: none
        Hover hover;
    };
    std::vector<Point> points;
    MarkerShape shape = MarkerShape::Disc;
    bool filled = true;       ///< Role::Kernel overrides shape and filling by the kernel's own
    bool ownFilling = false;  ///< `filled` holds for kernels too: filled and open mean something else
};

struct Line {
    std::vector<std::pair<double, double>> points;  ///< NaN y breaks the line
    Ink ink;
    double widthPt = 1.0;
    bool dashed = false;
    bool markers = false;
    std::string endLabel;    ///< drawn at the line's end, pushed apart from its neighbours
    bool labelNear = false;  ///< it stands beside the line where there is room: lines that end in one point
    Hover hover;
};

/// The area between two lines, behind all others.
struct Ribbon {
    struct Part {
        double x = 0.0, from = 0.0, to = 0.0;
    };
    std::vector<Part> parts;  ///< x ascending
    Ink ink{Role::BulkKey, {}};
};

/// A distance along x: an arrow with two heads and a text in its middle.
struct Span {
    double from = 0.0, to = 0.0, y = 0.0;
    std::string label;
    Ink ink{Role::Secondary, {}};
};

/// A straight line across the whole panel.
struct Rule {
    enum class Direction { Horizontal, Vertical };
    Direction direction = Direction::Horizontal;
    double at = 0.0;
    Ink ink{Role::Secondary, {}};
    bool dashed = true;
    std::string label;         ///< beside the line, at its start (horizontal) or top (vertical)
    bool labelBefore = false;  ///< vertical: label to the left of the line
};

/// A pale band behind everything: [from, to] on the axis across it.
struct Band {
    Rule::Direction direction = Rule::Direction::Vertical;  ///< Vertical: a range of x
    double from = 0.0, to = 0.0;
    Ink ink{Role::Band, {}};
};

/// Joins two positions of the x axis below the zero line, with a text in its middle.
struct Arc {
    double from = 0.0, to = 0.0;
    double depth = 0.5;  ///< 0..1 of the room below the panel's zero line
    Ink ink{Role::Partner, {}};
    std::string label;
};

struct Text {
    enum class Anchor { Left, Centre, Right };
    double x = 0.0, y = 0.0;
    std::string text;  ///< "\n" begins a new line under the first, which stands at y
    Anchor anchor = Anchor::Left;
    Ink ink;
    bool bold = false;
};

enum class ColourMap { Cividis, BlueWhiteVermilion };
enum class ColourScale { Linear, Log, SquareRoot };

/// A matrix as an image; NaN is hatched. Row 0 is at the top; x runs 0..cols, y 0..rows downwards.
struct HeatMap {
    std::shared_ptr<const kernels::Matrix<float>> values;
    ColourMap map = ColourMap::Cividis;
    ColourScale scale = ColourScale::Linear;
    double from = 0.0, to = 1.0;
    std::string barTitle;           ///< colour bar with unit
    double firstColumnWidthPx = 0;  ///< > 0: column 0 drawn this wide (a sink would be invisible otherwise)
    std::vector<std::string> rowNames, columnNames;  ///< for hover; empty: numbers
};

using Mark = std::variant<Band, Ribbon, HeatMap, Bars, Line, Rule, Arc, Span, Points, Text>;

struct Panel {
    Axis x, y;
    std::vector<Mark> marks;  ///< drawn in this order
    double weight = 1.0;      ///< share of the figure's height
    std::string note;         ///< small text in the panel's upper right corner
};

struct Figure {
    std::string name;                         ///< file stem: "contribution-L15-H4"
    std::string title;                        ///< bold part of the caption
    std::string caption;                      ///< what, layer, head, N, prompts
    double widthMm = 160.0, heightMm = 60.0;  ///< default size in a paper
    std::vector<Panel> panels;
    bool sharedX = false;  ///< one x axis for all panels, labelled under the last
    std::vector<Warning> warnings;
    Provenance provenance;
};

}  // namespace dimscope::analysis
