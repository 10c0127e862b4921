// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace dimscope {
namespace {

using namespace analysis;

constexpr int kDims = 64;
constexpr std::array kOutliers{22, 26, 54, 58};

bool isOutlier(int r) { return std::find(kOutliers.begin(), kOutliers.end(), r) != kOutliers.end(); }
Ink inkOf(Role role) { return {role, {}}; }
Ink kernel(const std::string& name) { return {Role::Kernel, name}; }

struct Dims {
    std::array<double, kDims> q{}, k{}, share{};
};

Dims dims() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> bulk(0.4, 1.5);
    Dims d;
    for (std::size_t r = 0; r < kDims; ++r) d.q[r] = bulk(random), d.k[r] = bulk(random);
    d.k[22] = 8.3, d.k[26] = 10.6, d.q[54] = 5.8, d.q[58] = 9.5, d.q[62] = 2.2, d.k[52] = 3.5;
    double total = 0.0;
    for (std::size_t r = 0; r < kDims; ++r) total += d.share[r] = d.q[r] * d.k[r];
    for (double& share : d.share) share /= total;
    return d;
}

Axis dimensionAxis() {
    Axis axis;
    axis.title = "head dimension <i>r</i>";
    axis.from = -0.5;
    axis.to = kDims - 0.5;
    axis.grid = false;
    axis.ticks = {0, 8, 16, 24, 32, 40, 48, 56, 63};
    return axis;
}

Bars::Bar bar(int r, double top, Ink ink) {
    Bars::Bar bar;
    bar.x = r;
    bar.top = top;
    bar.ink = ink;
    bar.whiskerFrom = 0.93 * top;
    bar.whiskerTo = 1.06 * top;
    bar.hover = {r, "dim " + std::to_string(r)};
    return bar;
}

Rule rule(Rule::Direction direction, double at, Role role, bool dashed, const std::string& label = {},
          bool before = false) {
    return {direction, at, inkOf(role), dashed, label, before};
}

}  // namespace

Figure magnitudeSample() {
    const Dims d = dims();
    Panel panel;
    panel.x = dimensionAxis();
    panel.y.title = "← mean |<i>k</i>| · mean |<i>q</i>| →";
    panel.y.from = -13.0;
    panel.y.to = 12.0;
    panel.y.absoluteLabels = true;
    for (int r : {26, 58}) panel.marks.push_back(Band{Rule::Direction::Vertical, r - 0.5, r + 0.5, inkOf(Role::Band)});
    panel.marks.push_back(
        rule(Rule::Direction::Vertical, 31.5, Role::Secondary, false, "RoPE partners, <i>r</i> + 32"));
    panel.marks.push_back(rule(Rule::Direction::Vertical, 31.5, Role::Secondary, false, "first half, <i>r</i>", true));
    Bars up, down;
    for (int r = 0; r < kDims; ++r) {
        const auto i = static_cast<std::size_t>(r);
        up.bars.push_back(bar(r, d.q[i], inkOf(isOutlier(r) ? Role::OutlierQuery : Role::BulkQuery)));
        down.bars.push_back(bar(r, -d.k[i], inkOf(isOutlier(r) ? Role::OutlierKey : Role::BulkKey)));
        if (r == 54 || r == 58 || r == 62) up.bars.back().label = std::to_string(r);
        if (r == 22 || r == 26) down.bars.back().label = std::to_string(r);
    }
    panel.marks.push_back(up);
    panel.marks.push_back(down);
    panel.marks.push_back(rule(Rule::Direction::Horizontal, 0.0, Role::Text, false));
    Figure figure;
    figure.name = "magnitude";
    figure.title = "Magnitude per dimension";
    figure.caption = "mean |q| upwards, mean |k| downwards";
    figure.panels.push_back(panel);
    return figure;
}

Figure contributionSample() {
    const Dims d = dims();
    Panel panel;
    panel.x = dimensionAxis();
    panel.y.title = "share of <i>χ</i>";
    panel.y.format = TickFormat::Percent;
    panel.y.from = -0.07;
    panel.y.to = 0.17;
    for (int r : {26, 58}) panel.marks.push_back(Band{Rule::Direction::Vertical, r - 0.5, r + 0.5, inkOf(Role::Band)});
    panel.marks.push_back(rule(Rule::Direction::Vertical, 31.5, Role::Secondary, false));
    panel.marks.push_back(rule(Rule::Direction::Horizontal, 1.0 / kDims, Role::Secondary, true, "uniform, 1/64"));
    Bars bars;
    for (int r = 0; r < kDims; ++r) {
        bars.bars.push_back(
            bar(r, d.share[static_cast<std::size_t>(r)], inkOf(isOutlier(r) ? Role::OutlierQuery : Role::BulkQuery)));
        if (isOutlier(r) || r == 62) bars.bars.back().label = std::to_string(r);
    }
    panel.marks.push_back(bars);
    panel.marks.push_back(rule(Rule::Direction::Horizontal, 0.0, Role::Text, false));
    panel.marks.push_back(Arc{22, 54, 0.4, inkOf(Role::Partner), "22–54  13.1 %"});
    panel.marks.push_back(Arc{26, 58, 0.8, inkOf(Role::Partner), "26–58  26.2 %"});
    Figure figure;
    figure.name = "contribution";
    figure.title = "Contribution share";
    figure.heightMm = 68.0;
    figure.panels.push_back(panel);
    return figure;
}

Figure sortedSample() {
    const Dims d = dims();
    std::array<std::size_t, kDims> order{};
    for (std::size_t i = 0; i < kDims; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return d.share[a] < d.share[b]; });
    Panel panel;
    panel.x.title = "rank of dimension by <i>χ</i>";
    panel.x.from = 0.0;
    panel.x.to = 66.0;
    panel.x.ticks = {1, 16, 32, 48, 64};
    panel.x.grid = false;
    panel.y.title = "share of <i>χ</i>";
    panel.y.scale = AxisScale::Log;
    panel.y.format = TickFormat::Percent;
    panel.y.from = 0.0025;
    panel.y.to = 0.2;
    panel.marks.push_back(Band{Rule::Direction::Vertical, 48.5, 65.0, inkOf(Role::Band)});
    panel.marks.push_back(rule(Rule::Direction::Horizontal, 1.0 / kDims, Role::Secondary, true, "uniform, 1/64"));
    panel.marks.push_back(rule(Rule::Direction::Vertical, 60.5, Role::Text, false));
    panel.marks.push_back(Text{59.8, 0.17, "cut <i>ρ</i> = 1.51", Text::Anchor::Right, inkOf(Role::Text), true});
    panel.marks.push_back(
        Text{59.8, 0.125, "support 50 % of 1000 draws", Text::Anchor::Right, inkOf(Role::Secondary), false});
    Points points;
    for (std::size_t i = 0; i < kDims; ++i) {
        const int r = static_cast<int>(order[i]);
        points.points.push_back({static_cast<double>(i) + 1.0,
                                 d.share[order[i]],
                                 inkOf(isOutlier(r) ? Role::OutlierQuery : Role::BulkQuery),
                                 4.5,
                                 isOutlier(r) ? std::to_string(r) : "",
                                 {r, "dim " + std::to_string(r)}});
    }
    panel.marks.push_back(points);
    Panel support;
    support.x = panel.x;
    support.y.title = "support";
    support.y.format = TickFormat::Percent;
    support.y.ticks = {0.0, 1.0};
    support.weight = 0.22;
    support.marks.push_back(Band{Rule::Direction::Vertical, 48.5, 65.0, inkOf(Role::Band)});
    Bars bars;
    for (int c = 49; c < 64; ++c) {
        Bars::Bar b = bar(c, c == 60 ? 0.5 : 0.1, inkOf(c == 60 ? Role::OutlierQuery : Role::BulkQuery));
        b.x = c + 0.5;
        b.whiskerFrom = b.whiskerTo = std::nullopt;
        bars.bars.push_back(b);
    }
    support.marks.push_back(bars);
    Figure figure;
    figure.name = "sorted";
    figure.title = "Sorted profile";
    figure.widthMm = 85.0;
    figure.heightMm = 68.0;
    figure.sharedX = true;
    figure.panels = {panel, support};
    return figure;
}

Figure dotRowsSample() {
    struct Row {
        const char* name;
        const char* title;
        double value;
        double spread;
    };
    const std::vector<Row> rows{{"performer", "Performer", 0.594, 0.1},
                                {"spectraformer", "SpectraFormer", 0.615, 0.2},
                                {"linear_zeros", "Linear ZeroS", 0.647, 0},
                                {"lolcats", "LoLCATs", 0.673, 0},
                                {"hedgehog", "Hedgehog", 0.706, 0},
                                {"taylorshift", "TaylorShift", 0.717, 0},
                                {"oal", "OAL", 0.857, 0},
                                {"global", "Global", 0.857, 0},
                                {"dijiang", "DiJiang", 0.908, 0.04},
                                {"rfa", "RFA", 0.916, 0.02},
                                {"cosformer", "cosFormer", 0.921, 0},
                                {"elu", "ELU", 0.937, 0},
                                {"based", "Based", 1.08, 0},
                                {"taylor", "Taylor", 1.08, 0},
                                {"polysketch", "PolySketch", 1.29, 0.07},
                                {"retnet", "RetNet", 1.77e6, 0}};
    Panel panel;
    panel.x.title = "RelMSE";
    panel.x.scale = AxisScale::Log;
    panel.x.from = 0.4;
    panel.x.to = 1.6;
    panel.y.from = -0.5;
    panel.y.to = static_cast<double>(rows.size()) + 0.5;
    panel.y.grid = false;
    panel.marks.push_back(rule(Rule::Direction::Vertical, 0.606, Role::Secondary, true, "first value", true));
    panel.marks.push_back(rule(Rule::Direction::Vertical, 0.95, Role::Secondary, true, "uniform", true));
    panel.marks.push_back(rule(Rule::Direction::Vertical, 1.0, Role::Secondary, true, "zero"));
    const double top = static_cast<double>(rows.size());
    panel.y.ticks.push_back(top);
    panel.y.tickLabels.push_back("Softmax");
    panel.marks.push_back(Text{0.4, top, "exact: 0", Text::Anchor::Left, inkOf(Role::Secondary), false});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double y = top - 1.0 - static_cast<double>(i);
        const Hover hover{static_cast<int>(i), rows[i].title};
        panel.y.ticks.push_back(y);
        panel.y.tickLabels.push_back(rows[i].title);
        if (rows[i].spread > 0.0) {
            Line line;
            line.points = {{rows[i].value - rows[i].spread, y}, {rows[i].value + rows[i].spread, y}};
            line.ink = kernel(rows[i].name);
            line.hover = hover;
            panel.marks.push_back(line);
            Points seeds;
            for (double side : {-1.0, 1.0})
                seeds.points.push_back(
                    {rows[i].value + side * rows[i].spread, y, kernel(rows[i].name), 3.0, "", hover});
            panel.marks.push_back(seeds);
        }
        Points mean;
        mean.points.push_back({rows[i].value, y, kernel(rows[i].name), 6.0, "", hover});
        panel.marks.push_back(mean);
    }
    Figure figure;
    figure.name = "kernel-error";
    figure.title = "Error per kernel";
    figure.heightMm = 105.0;
    figure.panels.push_back(panel);
    return figure;
}

Figure linesSample() {
    struct Curve {
        const char* name;
        const char* title;
        std::array<double, 8> values;
    };
    const std::array<Curve, 7> curves{
        {{"oal", "OAL", {0.77, 0.51, 0.75, 0.95, 0.92, 0.77, 0.73, 0.86}},
         {"uniform", "uniform", {1.3, 0.7, 0.97, 1.05, 0.97, 0.79, 0.74, 0.79}},
         {"taylorshift", "TaylorShift", {0.23, 0.33, 0.6, 0.93, 0.87, 0.68, 0.7, 0.77}},
         {"dijiang", "DiJiang", {1.24, 0.68, 0.94, 1.02, 0.94, 0.75, 0.71, 0.76}},
         {"performer", "Performer", {0.46, 0.64, 0.58, 0.56, 0.6, 0.6, 0.72, 0.72}},
         {"spectraformer", "SpectraFormer", {0.46, 0.34, 0.6, 0.75, 0.71, 0.64, 0.63, 0.64}},
         {"linear_zeros", "Linear ZeroS", {0.69, 0.75, 0.64, 0.65, 0.64, 0.62, 0.69, 0.63}}}};
    Panel panel;
    panel.x.title = "query position";
    panel.x.to = 512.0;
    panel.x.grid = false;
    panel.x.ticks = {0, 128, 256, 384, 512};
    panel.y.title = "RelMSE, log scale";
    panel.y.scale = AxisScale::Log;
    panel.y.from = 0.2;
    panel.y.to = 1.6;
    int key = 0;
    for (const Curve& curve : curves) {
        Line line;
        for (std::size_t i = 0; i < curve.values.size(); ++i)
            line.points.emplace_back(32.0 + 64.0 * static_cast<double>(i), curve.values[i]);
        const bool reference = std::string(curve.name) == "uniform";
        line.ink = reference ? inkOf(Role::Secondary) : kernel(curve.name);
        line.dashed = reference;
        line.markers = !reference;
        line.widthPt = std::string(curve.name) == "oal" ? 1.8 : 1.0;
        line.endLabel = curve.title;
        line.hover = {key++, curve.title};
        panel.marks.push_back(line);
    }
    Figure figure;
    figure.name = "error-by-position";
    figure.title = "Error by query position";
    figure.widthMm = 100.0;
    figure.panels.push_back(panel);
    return figure;
}

Figure weightsSample() {
    constexpr kernels::Index kRows = 32, kKeys = 512;
    constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-4.5F, -1.0F), signs(-0.02F, 0.02F);
    const auto map = [&](bool difference) {
        auto values = std::make_shared<kernels::Matrix<float>>(kRows, kKeys);
        for (kernels::Index i = 0; i < kRows; ++i)
            for (kernels::Index j = 0; j < kKeys; ++j) {
                float& cell = (*values)(i, j);
                cell = difference ? signs(random) : std::pow(10.0F, uniform(random));
                if (j == 0) cell = difference ? -0.5F : 0.6F;
                if (j > 11 + 16 * i) cell = kMissing;
            }
        return values;
    };
    Figure figure;
    for (const char* name : {"exact", "OAL", "OAL − exact"}) {
        HeatMap heat;
        const bool difference = figure.panels.size() == 2;
        heat.values = map(difference);
        heat.map = difference ? ColourMap::BlueWhiteVermilion : ColourMap::Cividis;
        heat.scale = difference ? ColourScale::SquareRoot : ColourScale::Log;
        heat.from = difference ? -0.5 : 1e-4;
        heat.to = difference ? 0.5 : 0.1;
        heat.barTitle = difference ? "difference" : "weight";
        heat.firstColumnWidthPx = 10.0;
        Panel panel;
        panel.x.title = "key position; key 0 drawn wide";
        panel.x.to = static_cast<double>(kKeys);
        panel.x.ticks = {0.5, 128.5, 256.5, 384.5, 511.5};
        panel.x.tickLabels = {"0", "128", "256", "384", "511"};
        panel.y.title = "query position";
        panel.y.to = static_cast<double>(kRows);
        panel.y.ticks = {0.5, 31.5};
        panel.y.tickLabels = {"11", "511"};
        panel.x.grid = panel.y.grid = false;
        panel.note = name;
        panel.marks.push_back(heat);
        figure.panels.push_back(panel);
    }
    figure.name = "weights";
    figure.title = "Attention weights";
    figure.heightMm = 90.0;
    figure.sharedX = true;
    return figure;
}

}  // namespace dimscope
