// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "io/dump/tensor_reading.h"

namespace dimscope::io {
namespace {

using kernels::Index;

Sizes shapeOfFirst(const std::vector<OpenArray>& arrays) {
    return arrays.empty() ? Sizes{} : shapeOf(*arrays.front().stored);
}

/// What an attribute or labels say about the axes of the first array; nothing where neither is there.
std::optional<Axes> statedAxes(const LayerContext& context, const std::vector<OpenArray>& arrays) {
    if (arrays.empty()) return std::nullopt;
    const OpenArray& array = arrays.front();
    const AttributeScope scope = context.scopeOf(array.named.ref);
    const std::size_t rank = array.stored->layout().shape.size();
    if (const std::optional<std::string> text = scope.isOwn("axes") ? scope.text("axes") : std::nullopt)
        return axesFromText(*text, rank, array.stored->place());
    const std::optional<Axes> labelled = axesFromLabels(context.file.axisNames(array.named.ref));
    return labelled && labelled->size() == rank ? labelled : std::nullopt;
}

AxisHints hintsFor(const LayerContext& context, const OpenArray& query) {
    const AttributeScope scope = context.scopeOf(query.named.ref);
    AxisHints hints;
    hints.layerNamed = query.named.name.layer.has_value();
    hints.promptNamed = query.named.name.prompt.has_value();
    hints.headNamed = query.named.name.head.has_value();
    hints.positionsFirst = query.named.name.positionsFirst;
    hints.reversed = context.file.hasReversedAxes();
    hints.formatStated = context.formatStated;
    hints.fewerQueries = scope.find("align").has_value();
    hints.nHeads = std::max<Index>(0, scope.integer("n_heads").value_or(0));
    hints.nKvHeads = std::max<Index>(0, scope.integer("n_kv_heads").value_or(0));
    hints.headDim = std::max<Index>(0, scope.integer("head_dim").value_or(0));
    hints.prompts = context.promptCount;
    hints.positions = context.positions;
    return hints;
}

/// v and o share the order of q and k unless they say another.
Axes axesLike(const Axes& query, const LayerContext& context, const std::vector<OpenArray>& arrays) {
    if (arrays.empty()) return {};
    return statedAxes(context, arrays).value_or(query);
}

}  // namespace

LayerAxes readLayerAxes(const LayerContext& context, const std::vector<OpenArray>& query,
                        const std::vector<OpenArray>& key, const std::vector<OpenArray>& value,
                        const std::vector<OpenArray>& output) {
    const AxisHints hints = hintsFor(context, query.front());
    LayerAxes axes;
    if (const std::optional<Axes> stated = statedAxes(context, query)) {
        axes.query = *stated;
        const bool format = axesText(*stated) == "prompt head pos dim";
        axes.evidence = format ? "" : "the file or a person says so";
    } else {
        const AxisDecision decision = decideAxes(shapeOfFirst(query), shapeOfFirst(key), shapeOfFirst(value), hints,
                                                 query.front().stored->place());
        axes.query = decision.axes;
        axes.assumed = decision.assumed;
        axes.evidence = axesText(decision.axes) == "prompt head pos dim" && !decision.assumed ? "" : decision.evidence;
    }
    axes.key = axesLike(axes.query, context, key);
    axes.value = axesLike(axes.query, context, value);
    axes.output = axesLike(axes.query, context, output);
    const TensorSizes q = sizesOf(shapeOfFirst(query), axes.query, hints.headDim, hints.nHeads);
    axes.headDim = q.dim;
    axes.nHeads = q.heads;
    axes.nKvHeads = sizesOf(shapeOfFirst(key), axes.key, q.dim, hints.nKvHeads).heads;
    return axes;
}

}  // namespace dimscope::io
