// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/layer_head_map.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

double topEffectiveShare(const HeadProfile& head, std::size_t count) {
    std::vector<double> chi = head.chiEffective;
    const double total = std::accumulate(chi.begin(), chi.end(), 0.0);
    if (!(total > 0.0)) return kNaN;
    std::sort(chi.rbegin(), chi.rend());
    return std::accumulate(chi.begin(), chi.begin() + static_cast<std::ptrdiff_t>(std::min(count, chi.size())), 0.0) /
           total;
}

double largestOf(const std::vector<double>& values) {
    return values.empty() ? kNaN : *std::max_element(values.begin(), values.end());
}

// How much of chi does not cancel in softmax.
double survivingPart(const HeadProfile& head) {
    const double total = std::accumulate(head.chi.begin(), head.chi.end(), 0.0);
    return total > 0.0 ? std::accumulate(head.chiEffective.begin(), head.chiEffective.end(), 0.0) / total : kNaN;
}

struct Quantity {
    std::string name, title;
    bool share;
    std::function<double(const HeadProfile&)> value;
};

const std::vector<Quantity>& quantities() {
    static const std::vector<Quantity> kQuantities{
        {"top5_chi", "Top-5 share of χ", true, [](const HeadProfile& h) { return h.top5; }},
        {"top1_chi", "Largest share of χ", true, [](const HeadProfile& h) { return h.top1; }},
        {"top10_chi", "Top-10 share of χ", true, [](const HeadProfile& h) { return h.top10; }},
        {"top5_effective", "Top-5 share of effective χ", true,
         [](const HeadProfile& h) { return topEffectiveShare(h, 5); }},
        {"effective_dims", "Effective dimensions", false, [](const HeadProfile& h) { return h.effectiveDims; }},
        {"effective_ratio", "Effective χ over χ", false, survivingPart},
        {"max_q", "Largest |q|", false, [](const HeadProfile& h) { return largestOf(h.qMaxAbs); }},
        {"max_k", "Largest |k|", false, [](const HeadProfile& h) { return largestOf(h.kMaxAbs); }},
        {"max_mean_q", "Largest mean |q|", false, [](const HeadProfile& h) { return largestOf(h.qMeanAbs); }},
        {"max_mean_k", "Largest mean |k|", false, [](const HeadProfile& h) { return largestOf(h.kMeanAbs); }},
    };
    return kQuantities;
}

const Quantity& quantityOf(const std::string& name) {
    for (const Quantity& quantity : quantities())
        if (quantity.name == name) return quantity;
    std::vector<std::string> known;
    for (const Quantity& quantity : quantities()) known.push_back(quantity.name);
    throw kernels::ArgumentError(fmt::format("unknown quantity '{}'; expected {}", name, wordList(known)));
}

std::vector<LayerInfo> layersOf(const ProfileResult& result, const DumpInfo& dump) {
    if (!dump.layers.empty()) return dump.layers;
    std::vector<LayerInfo> layers;  // a result without its dump: the layers that it has
    for (const HeadProfile& head : result.heads) {
        if (layers.empty() || layers.back().layer != head.layer) layers.emplace_back().layer = head.layer;
        layers.back().nHeads = std::max(layers.back().nHeads, head.head.value + 1);
    }
    return layers;
}

/// Every head of the layers; NaN where it has no value.
LayerHeadValues valuesOf(const ProfileResult& result, const std::vector<LayerInfo>& layers, const Quantity& quantity) {
    LayerHeadValues values;
    for (const LayerInfo& layer : layers)
        for (int head = 0; head < layer.nHeads; ++head) values[{layer.layer, HeadIndex{head}}] = kNaN;
    for (const HeadProfile& head : result.heads)
        if (const auto found = values.find({head.layer, head.head}); found != values.end())
            found->second = overviewValue(head, quantity.name);
    return values;
}

void setRange(const LayerHeadValues& values, HeatMap& map) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const auto& [place, value] : values)
        if (std::isfinite(value)) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    if (!(most >= least)) return;
    map.from = least;
    map.to = most > least ? most : least + std::max(std::abs(least), 1.0);
}

Panel matrixPanel(const ProfileResult& result, const std::vector<LayerInfo>& layers, const Quantity& quantity) {
    const LayerHeadValues values = valuesOf(result, layers, quantity);
    HeatMap map;
    map.barTitle = quantity.title;
    if (!quantity.share) setRange(values, map);  // shares: 0..1, so that dumps can be compared by eye
    return layerHeadPanel(values, std::move(map));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> overviewQuantities() {
    std::vector<std::pair<std::string, std::string>> names;
    for (const Quantity& quantity : quantities()) names.emplace_back(quantity.name, quantity.title);
    return names;
}

bool overviewIsShare(const std::string& quantity) { return quantityOf(quantity).share; }

double overviewValue(const HeadProfile& head, const std::string& quantity) {
    const Quantity& chosen = quantityOf(quantity);
    const double value = head.usable() ? chosen.value(head) : kNaN;
    return std::isfinite(value) ? value : kNaN;
}

std::string overviewText(const HeadProfile& head, const std::string& quantity) {
    const double value = overviewValue(head, quantity);
    return overviewIsShare(quantity) ? percentText(value) : numberText(value);
}

Figure overviewFigure(const ProfileResult& result, const DumpInfo& dump, const std::string& quantity) {
    const Quantity& chosen = quantityOf(quantity);
    const std::vector<LayerInfo> layers = layersOf(result, dump);
    Figure figure;
    figure.name = "overview-" + chosen.name;
    figure.title = chosen.title;
    figure.caption =
        fmt::format("layers × heads · {} {} profiled{}", result.heads.size(),
                    result.heads.size() == 1 ? "head" : "heads", extentText(result.provenance, result.prompts.size()));
    if (!dump.model.empty()) figure.caption += " · " + dump.model;
    figure.widthMm = 100.0;
    figure.heightMm = std::clamp(30.0 + 3.5 * static_cast<double>(layers.size()), 45.0, 200.0);
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    const bool anyHead = std::any_of(layers.begin(), layers.end(), [](const LayerInfo& l) { return l.nHeads > 0; });
    figure.panels.push_back(anyHead ? matrixPanel(result, layers, chosen) : emptyPanel("no head is profiled"));
    return figure;
}

}  // namespace dimscope::analysis
