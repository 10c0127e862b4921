// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/tensor_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/dump/axis_question.h"
#include "io/dump/number_format.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Warnings = std::vector<analysis::Warning>;

std::vector<double> scaleFactorsOf(const StoredArray& array, const AttributeScope& scope, Index heads) {
    std::vector<double> factors = scope.numbers("scale_factor");
    if (factors.size() > 1 && static_cast<Index>(factors.size()) != heads)
        array.place().refuse(fmt::format("has {} scale factors, expected one, or one per head", factors.size()),
                             "correct the attribute scale_factor");
    if (!std::all_of(factors.begin(), factors.end(), [](double f) { return std::isfinite(f); }))
        array.place().refuse("has a scale_factor that is not finite", "correct the attribute scale_factor");
    return factors;
}

void checkRank(const StoredArray& array, const Axes& axes) {
    const Sizes shape = shapeOf(array);
    if (shape.size() == axes.size()) return;
    array.place().refuse(fmt::format("has rank {} (shape {}){}, expected rank {}: {}", shape.size(), shapeText(shape),
                                     shape.empty() ? ", a single number" : "", axes.size(), axesText(axes)),
                         "write it with the axes in this order, or say how with --axes");
}

bool sameFormat(const NumberFormat& a, const NumberFormat& b) {
    return a.encoding == b.encoding && a.bigEndian == b.bigEndian && a.integerBytes == b.integerBytes &&
           a.isSigned == b.isSigned;
}

/// `stride` and `offset` of the axis that holds heads and dimensions together; unused elsewhere.
std::vector<ArrayAxis> walkedAxes(const Axes& axes, Index headStride, Index headOffset, Index layer, Index fused) {
    std::vector<ArrayAxis> walked;
    for (const AxisRole role : axes) {
        ArrayAxis axis{role, 0, 1};
        if (role == AxisRole::HeadDim) axis = {role, headOffset, headStride};
        if (role == AxisRole::Layer) axis.offset = layer;
        if (role == AxisRole::Fused) axis.offset = fused;
        walked.push_back(axis);
    }
    return walked;
}

int promptIndex(const LayerContext& context, const NamedArray& named) {
    if (!named.name.prompt) return -1;
    const auto found = std::find(context.prompts.begin(), context.prompts.end(), *named.name.prompt);
    return static_cast<int>(found - context.prompts.begin());
}

/// Adds one array to the tensor; the first sets head dimension and format.
void addPart(const LayerContext& context, const OpenArray& array, TensorPart part, const TensorSizes& sizes,
             StoredTensor& tensor, Warnings& warnings) {
    const AttributeScope scope = context.scopeOf(array.named.ref);
    const StoredArray& stored = *array.stored;
    part.array = array.named.ref;
    part.prompt = promptIndex(context, array.named);
    part.head = array.named.name.head ? static_cast<int>(*array.named.name.head) : -1;
    part.positions = sizes.positions;
    const Index prompts = part.prompt >= 0 ? static_cast<Index>(context.prompts.size()) : sizes.prompts;
    const Index heads = part.head >= 0 ? part.head + 1 : sizes.heads;
    Warnings ofFormat;
    const NumberFormat format = numberFormatOf(stored, scope, ofFormat);
    if (tensor.parts.empty()) {
        tensor.path = stored.place().object;
        tensor.shape = {prompts, heads, sizes.positions, sizes.dim};
        tensor.format = format;
        tensor.scaleFactors = scaleFactorsOf(stored, scope, part.head >= 0 ? 1 : heads);
        warnings.insert(warnings.end(), ofFormat.begin(), ofFormat.end());
    }
    if (tensor.shape[3] != sizes.dim || tensor.shape[0] != prompts || !sameFormat(format, tensor.format))
        stored.place().refuse(fmt::format("has {} dimensions in {}, {} has {} in {}: shapes disagree", sizes.dim,
                                          format.name(), tensor.path, tensor.shape[3], tensor.format.name()),
                              "write all prompts and heads of a layer alike");
    tensor.shape[1] = std::max(tensor.shape[1], heads);
    tensor.shape[2] = std::max(tensor.shape[2], sizes.positions);
    planReading(stored.layout(), sizes.dim, part);
    tensor.parts.push_back(std::move(part));
}

/// Stated sizes that split a fused axis.
struct FusedSizes {
    Index nHeads = 0, nKvHeads = 0, headDim = 0;
};

FusedSizes fusedSizes(const StoredArray& array, const AttributeScope& scope, Index width, FusedOrder order) {
    FusedSizes sizes{scope.integer("n_heads").value_or(0), scope.integer("n_kv_heads").value_or(0),
                     scope.integer("head_dim").value_or(0)};
    if (sizes.nKvHeads <= 0 || order == FusedOrder::PerHead) sizes.nKvHeads = sizes.nHeads;
    if (sizes.nHeads <= 0 && sizes.headDim > 0) sizes.nHeads = sizes.nKvHeads = width / (3 * sizes.headDim);
    const Index all = sizes.nHeads + 2 * sizes.nKvHeads;
    if (sizes.headDim <= 0 && all > 0) sizes.headDim = width / all;
    if (sizes.nHeads <= 0 || sizes.headDim <= 0) askFusedHeads(width, order != FusedOrder::PerHead, array.place());
    if (all * sizes.headDim != width)
        array.place().refuse(
            fmt::format("has q, k and v in one axis of {}, but n_heads {}, n_kv_heads {} and head_dim {} "
                        "make {}",
                        width, sizes.nHeads, sizes.nKvHeads, sizes.headDim, all * sizes.headDim),
            "correct n_heads, n_kv_heads or head_dim");
    return sizes;
}

Axes fusedAxes(const StoredArray& array, bool promptNamed) {
    using enum AxisRole;
    const Sizes shape = shapeOf(array);
    const std::size_t leading = promptNamed ? 0 : 1;
    Axes axes;
    if (!promptNamed) axes.push_back(Prompt);
    axes.push_back(Position);
    if (shape.size() == leading + 2) {
        axes.push_back(HeadDim);
    } else if (shape.size() == leading + 4 && shape[leading + 1] == 3) {
        axes.insert(axes.end(), {Fused, Head, Dim});
    } else if (shape.size() == leading + 3 && shape[leading + 1] == 3) {
        axes.insert(axes.end(), {Fused, HeadDim});
    } else {
        array.place().refuse(
            fmt::format("has shape {}, expected q, k and v in one axis: [prompt, pos, 3 * heads * dim] "
                        "or [prompt, pos, 3, head, dim]",
                        shapeText(shape)),
            "write q, k and v as three arrays");
    }
    return axes;
}

}  // namespace

std::vector<OpenArray> openArrays(const LayerContext& context, const std::vector<NamedArray>& named) {
    std::vector<OpenArray> open;
    for (const NamedArray& array : named) {
        open.push_back({array, context.file.open(array.ref, 0)});
        checkArray(*open.back().stored);
    }
    return open;
}

StoredTensor tensorOf(const LayerContext& context, const std::vector<OpenArray>& arrays, const Axes& axes,
                      Index headDim, Index heads, Index layer, Warnings& warnings) {
    StoredTensor tensor;
    for (const OpenArray& array : arrays) {
        checkRank(*array.stored, axes);
        const TensorSizes sizes = sizesOf(shapeOf(*array.stored), axes, headDim, heads);
        TensorPart part;
        part.axes = walkedAxes(axes, sizes.dim, 0, layer, 0);
        addPart(context, array, std::move(part), sizes, tensor, warnings);
    }
    return tensor;
}

FusedTensors splitFused(const LayerContext& context, const std::vector<OpenArray>& arrays, Warnings& warnings) {
    FusedTensors fused;
    for (const OpenArray& array : arrays) {
        const StoredArray& stored = *array.stored;
        const FusedOrder order = array.named.name.order;
        const Axes axes = fusedAxes(stored, array.named.name.prompt.has_value());
        const Sizes shape = shapeOf(stored);
        const bool stacked = std::find(axes.begin(), axes.end(), AxisRole::Fused) != axes.end();
        const bool flat = axes.back() == AxisRole::HeadDim;
        TensorSizes sizes = sizesOf(shape, axes, 0, 1);
        FusedSizes parts{sizes.heads, sizes.heads, sizes.dim};
        if (flat) parts = fusedSizes(stored, context.scopeOf(array.named.ref), shape.back() * (stacked ? 3 : 1), order);
        const Index d = parts.headDim, perHead = order == FusedOrder::PerHead ? 3 * d : d;
        // Where each begins: [q|k|v], [k|q|v], or [q k v] of one head after another.
        Index q = 0, k = parts.nHeads * d, v = (parts.nHeads + parts.nKvHeads) * d;
        if (order == FusedOrder::Kqv) k = 0, q = parts.nKvHeads * d;
        if (order == FusedOrder::PerHead) k = d, v = 2 * d;
        if (stacked) q = k = v = 0;
        const Index place[3] = {order == FusedOrder::Kqv ? 1 : 0, order == FusedOrder::Kqv ? 0 : 1, 2};
        StoredTensor* const tensors[3] = {&fused.query, &fused.key, &fused.value};
        const Index offsets[3] = {q, k, v};
        for (std::size_t n = 0; n < 3; ++n) {
            sizes.heads = n == 0 ? parts.nHeads : parts.nKvHeads;
            sizes.dim = d;
            TensorPart part;
            part.axes = walkedAxes(axes, perHead, offsets[n], 0, place[n]);
            addPart(context, array, std::move(part), sizes, *tensors[n], warnings);
        }
    }
    return fused;
}

StoredTensor plainTensor(const LayerContext& context, const NamedArray& named, const Axes& axes, Warnings& warnings) {
    const std::shared_ptr<const StoredArray> stored = context.file.open(named.ref, 0);
    checkArray(*stored);
    checkRank(*stored, axes);
    const AttributeScope scope(context.file.attributes(named.ref));  // decisions are about q, k, v and o
    StoredTensor tensor;
    tensor.path = stored->place().object;
    tensor.shape = shapeOf(*stored);
    tensor.format = numberFormatOf(*stored, scope, warnings);
    tensor.scaleFactors = scaleFactorsOf(*stored, scope, 1);
    if (const std::optional<std::string> stated = scope.isOwn("axes") ? scope.text("axes") : std::nullopt)
        if (axesFromText(*stated, axes.size(), stored->place()) != axes && axes.size() > 1)
            stored->place().refuse(fmt::format("has axes=\"{}\", expected \"{}\"", printable(*stated), axesText(axes)),
                                   "transpose the tensor, or correct the attribute");
    TensorPart part;
    part.array = named.ref;
    using enum AxisRole;  // rows and columns of the matrix that it holds, whatever they count
    part.axes = axes.size() == 1 ? std::vector<ArrayAxis>{{Head}} : std::vector<ArrayAxis>{{Position}, {Dim}};
    if (axes.size() == 3) part.axes.insert(part.axes.begin(), {Prompt});
    part.positions = axes.size() > 1 ? tensor.shape[tensor.shape.size() - 2] : 1;
    planReading(stored->layout(), tensor.shape.back(), part);
    tensor.parts.push_back(std::move(part));
    return tensor;
}

}  // namespace dimscope::io
