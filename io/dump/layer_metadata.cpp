// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/layer_metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/dump/axis_question.h"
#include "io/dump/layer_attributes.h"
#include "io/dump/reading_question.h"
#include "io/dump/tensor_reading.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Warnings = std::vector<analysis::Warning>;

constexpr Index kMostHeads = 65536;
constexpr Index kMostPrompts = Index{1} << 20;

FilePlace placeOf(const FilePlace& file, const StoredTensor& tensor) { return {file.file, tensor.path}; }

void checkQueryAndKey(const FilePlace& place, const StoredTensor& q, const StoredTensor& k) {
    const auto refuse = [&](const char* what, std::size_t axis) {
        placeOf(place, k).refuse(fmt::format("has {} {}, q has {}: shapes disagree (k {}, q {})", k.shape[axis], what,
                                             q.shape[axis], shapeText(k.shape), shapeText(q.shape)),
                                 "write q and k of the same run, axes prompt head pos dim");
    };
    if (k.shape[0] != q.shape[0]) refuse("prompts", 0);
    if (k.shape[3] != q.shape[3]) refuse("head dimensions", 3);
    if (q.shape[1] > kMostHeads || q.shape[0] > kMostPrompts)
        placeOf(place, q).refuse(fmt::format("has shape {}: too many prompts or heads to be real", shapeText(q.shape)),
                                 "write the axes as prompt head pos dim");
    if (k.shape[1] > q.shape[1] || q.shape[1] % k.shape[1] != 0)
        placeOf(place, k).refuse(
            fmt::format("has {} heads, which do not divide the {} query heads", k.shape[1], q.shape[1]),
            "each key/value head must serve the same number of query heads");
}

[[noreturn]] void askAlignment(Index queries, Index keys, const std::string& shapes, const FilePlace& place) {
    ReadingQuestion question{
        "queries",
        fmt::format("There are {} queries for {} keys. Which positions are they of?", queries, keys),
        {attributeCandidate("align", "end", "end", "the last positions: their keys before them come from a KV cache"),
         attributeCandidate("align", "start", "start", "the first positions")}};
    askReading(place, shapes, "say which positions the queries are of: --align end (the last) or start",
               std::move(question));
}

/// Fewer queries than keys are those of the last or the first positions, as `align` says.
void alignQueries(const FilePlace& place, const AttributeScope& scope, LayerContents& layer, Warnings& warnings) {
    StoredTensor& q = layer.query;
    const StoredTensor& k = layer.key;
    const Index queries = q.shape[2], keys = k.shape[2];
    if (queries == keys) return;
    const std::string align = scope.text("align").value_or("");
    const std::string shapes = fmt::format("has {} positions, q has {}: shapes disagree (k {}, q {})", keys, queries,
                                           shapeText(k.shape), shapeText(q.shape));
    if (queries > keys) placeOf(place, k).refuse(shapes, "write q and k of the same run, axes prompt head pos dim");
    if (align.empty()) askAlignment(queries, keys, shapes, placeOf(place, k));
    if (align != "end" && align != "start")
        place.refuse(fmt::format("has align=\"{}\", expected \"end\" or \"start\"", printable(align)),
                     "correct the attribute, or give --align");
    const auto everyPart = [](const StoredTensor& tensor, Index positions) {
        return std::all_of(tensor.parts.begin(), tensor.parts.end(),
                           [positions](const TensorPart& part) { return part.positions == positions; });
    };
    if (!everyPart(q, queries) || !everyPart(k, keys))
        placeOf(place, q).refuse(
            fmt::format("has fewer positions than k ({} and {}), and prompts differ in length", queries, keys),
            "open prompts of one length each");
    const Index first = align == "end" ? keys - queries : 0;
    layer.info.queries = {first, first + queries};
    for (StoredTensor* tensor : {&q, layer.output ? &*layer.output : nullptr}) {
        if (tensor == nullptr || tensor->shape[2] != queries) continue;
        tensor->shape[2] = keys;
        for (TensorPart& part : tensor->parts) part.firstRow = first;
    }
    warnings.push_back({"fewer_queries", q.path,
                        fmt::format("{} queries for {} keys: they are those of positions {}..{} (align {}); the other "
                                    "positions are keys alone",
                                    queries, keys, first, first + queries - 1, align)});
}

void checkValue(const FilePlace& place, const StoredTensor& v, const StoredTensor& k) {
    for (const auto& [axis, what] : {std::pair<std::size_t, const char*>{0, "prompts"}, {1, "heads"}, {2, "positions"}})
        if (v.shape[axis] != k.shape[axis])
            placeOf(place, v).refuse(fmt::format("has {} {}, k has {}: shapes disagree (v {}, k {})", v.shape[axis],
                                                 what, k.shape[axis], shapeText(v.shape), shapeText(k.shape)),
                                     "write k and v of the same run, axes prompt head pos dim");
}

/// Sizes that attributes state must be those of the tensors: else the axes are probably in another order.
void checkStatedSizes(const FilePlace& place, const AttributeScope& scope, const LayerContents& layer,
                      Warnings& warnings) {
    const auto check = [&](const char* name, const StoredTensor& tensor, Index stored) {
        const std::optional<Index> stated = scope.integer(name);
        if (stated && *stated != stored)
            placeOf(place, tensor)
                .refuse(fmt::format("attribute {} says {}, the tensor has {}", name, *stated, stored),
                        "correct the attribute, or say the order of the axes (--axes)");
    };
    check("n_heads", layer.query, layer.query.shape[1]);
    check("head_dim", layer.query, layer.query.shape[3]);
    const std::optional<Index> stated = scope.integer("n_kv_heads");
    const Index stored = layer.key.shape[1];
    if (stated && *stated > 0 && *stated < stored && stored == layer.query.shape[1] && stored % *stated == 0)
        warnings.push_back(
            {"heads_repeated", place.object,
             fmt::format("n_kv_heads says {} but k holds {} heads: repeat_kv seems to have been applied; "
                         "the tensors are used as stored",
                         *stated, stored)});
    else
        check("n_kv_heads", layer.key, stored);
}

/// The arrays of one layer on their way to its contents.
class LayerReader {
public:
    LayerReader(const LayerContext& context, const LayerArrays& arrays, Warnings& warnings)
        : context_(context), arrays_(arrays), warnings_(warnings) {}

    std::vector<LayerContents> read(std::vector<analysis::ReadingNote>& readings) {
        std::vector<LayerContents> layers;
        if (!arrays_.has(TensorRole::Query) && arrays_.has(TensorRole::Fused)) {
            layers.push_back(readFused(readings));
        } else {
            query_ = opened(TensorRole::Query);
            key_ = opened(TensorRole::Key);
            value_ = opened(TensorRole::Value);
            output_ = openedOptional(TensorRole::Output);
            axes_ = readLayerAxes(context_, query_, key_, value_, output_);
            note(readings);
            const Index count = sizesOf(shapeOf(*query_.front().stored), axes_.query, axes_.headDim, 0).layers;
            for (Index n = 0; n < count; ++n) layers.push_back(readSeparate(n));
        }
        for (std::size_t n = 0; n < layers.size(); ++n) finish(layers[n], static_cast<Index>(n));
        return layers;
    }

private:
    const std::vector<NamedArray>& named(TensorRole role) const {
        static const std::vector<NamedArray> none;
        const auto found = arrays_.arrays.find(role);
        return found == arrays_.arrays.end() ? none : found->second;
    }
    std::vector<OpenArray> opened(TensorRole role) const { return openArrays(context_, named(role)); }

    /// Nothing where it is absent or cannot be read, the latter with a warning.
    std::vector<OpenArray> openedOptional(TensorRole role) {
        std::vector<OpenArray> open;
        attempt(role, [&] { open = opened(role); });
        return open;
    }

    template <class Read>
    void attempt(TensorRole role, Read read) {
        try {
            read();
        } catch (const kernels::FormatError& error) {
            warnings_.push_back({"tensor_ignored", error.parts().object,
                                 fmt::format("{} {}; it is ignored", roleText(role), error.parts().cause)});
        }
    }

    /// How the layer was read where it is not as the format writes it.
    void note(std::vector<analysis::ReadingNote>& readings) {
        if (axes_.evidence.empty()) return;
        const std::string place = query_.front().stored->place().object;
        const std::string text = fmt::format("axes of q are \"{}\"", axesText(axes_.query));
        readings.push_back({place, text, axes_.evidence});
        if (axes_.assumed)
            warnings_.push_back(
                {"axes_assumed", place, fmt::format("{}: {}; --axes says it otherwise", text, axes_.evidence)});
    }

    LayerContents readFused(std::vector<analysis::ReadingNote>& readings) {
        const std::vector<OpenArray> arrays = opened(TensorRole::Fused);
        FusedTensors fused = splitFused(context_, arrays, warnings_);
        readings.push_back({fused.query.path, "q, k and v are parts of one array",
                            "the order of the tensors is that of its name's family"});
        LayerContents layer;
        layer.query = std::move(fused.query);
        layer.key = std::move(fused.key);
        layer.value = std::move(fused.value);
        output_ = openedOptional(TensorRole::Output);
        const Axes own{AxisRole::Prompt, AxisRole::Head, AxisRole::Position, AxisRole::Dim};
        if (!output_.empty())
            attempt(TensorRole::Output,
                    [&] { layer.output = tensorOf(context_, output_, own, 0, layer.query.shape[1], 0, warnings_); });
        return layer;
    }

    LayerContents readSeparate(Index index) {
        LayerContents layer;
        layer.query = tensorOf(context_, query_, axes_.query, axes_.headDim, axes_.nHeads, index, warnings_);
        layer.key = tensorOf(context_, key_, axes_.key, axes_.headDim, axes_.nKvHeads, index, warnings_);
        if (!value_.empty()) layer.value = tensorOf(context_, value_, axes_.value, 0, axes_.nKvHeads, index, warnings_);
        if (!output_.empty())
            attempt(TensorRole::Output, [&] {
                layer.output = tensorOf(context_, output_, axes_.output, 0, axes_.nHeads, index, warnings_);
            });
        return layer;
    }

    void finish(LayerContents& layer, Index index) {
        const AttributeScope scope = context_.scopeOf(arrays_.first());
        const std::string path = arrays_.first().path;
        const FilePlace place{context_.file.place().file, path.rfind('/') == std::string::npos || path.rfind('/') == 0
                                                              ? printable(path)
                                                              : printable(path.substr(0, path.rfind('/')))};
        checkQueryAndKey(place, layer.query, layer.key);
        alignQueries(place, scope, layer, warnings_);
        checkStatedSizes(place, scope, layer, warnings_);
        if (layer.value) checkValue(place, *layer.value, layer.key);
        presentHeads(place, scope, layer);
        readOthers(layer);
        describe(scope, place, index, layer);
        findMissing(layer);
    }

    /// Every query head finds its key and value at h / (Hq / Hkv): another order is presented as one head each.
    void presentHeads(const FilePlace& place, const AttributeScope& scope, LayerContents& layer) {
        const std::string gqa = scope.text("gqa").value_or("contiguous");
        const Index heads = layer.query.shape[1], stored = layer.key.shape[1];
        layer.info.storedKvHeads = static_cast<int>(stored);
        if (gqa == "contiguous") return;
        if (gqa != "strided") askHeadOrder(gqa, place);
        for (StoredTensor* tensor : {&layer.key, layer.value ? &*layer.value : nullptr}) {
            if (tensor == nullptr) continue;
            tensor->headModulus = stored;
            tensor->shape[1] = heads;
        }
    }

    void readOthers(LayerContents& layer) {
        const Sizes& q = layer.query.shape;
        const Index valueDim = layer.value ? layer.value->shape[3] : 0;
        if (layer.output)
            attempt(TensorRole::Output, [&] {
                const Sizes expected{q[0], q[1], q[2], valueDim};
                if (layer.output->shape == expected) return;
                const Sizes found = layer.output->shape;
                const std::string at = layer.output->path;
                layer.output.reset();
                FilePlace{context_.file.place().file, at}.refuse(
                    fmt::format("has shape {}, expected {}", shapeText(found), shapeText(expected)), "");
            });
        using enum AxisRole;
        readPlain(TensorRole::Projection, {Hidden, HeadDim}, {0, q[1] * valueDim}, layer.projection);
        readPlain(TensorRole::Hidden, {Prompt, Position, Hidden}, {q[0], q[2], 0}, layer.hidden);
        readPlain(TensorRole::HiddenMeanAbs, {Prompt, Hidden}, {q[0], 0}, layer.hiddenMeanAbs);
        readPlain(TensorRole::HiddenMaxAbs, {Prompt, Hidden}, {q[0], 0}, layer.hiddenMaxAbs);
        if (arrays_.has(TensorRole::Sink)) readSink(layer);
    }

    /// `expected`: sizes that must be; 0: any.
    void readPlain(TensorRole role, const Axes& axes, const Sizes& expected, std::optional<StoredTensor>& result) {
        if (named(role).size() != 1) return;
        attempt(role, [&] {
            StoredTensor tensor = plainTensor(context_, named(role).front(), axes, warnings_);
            for (std::size_t axis = 0; axis < expected.size(); ++axis)
                if (expected[axis] != 0 && tensor.shape[axis] != expected[axis])
                    placeOf(context_.file.place(), tensor)
                        .refuse(fmt::format("has shape {}, expected {} on axis {}", shapeText(tensor.shape),
                                            expected[axis], axis),
                                "");
            result = std::move(tensor);
        });
    }

    void readSink(LayerContents& layer) {
        layer.sink = plainTensor(context_, named(TensorRole::Sink).front(), {AxisRole::Head}, warnings_);
        if (layer.sink->shape[0] != layer.query.shape[1])
            placeOf(context_.file.place(), *layer.sink)
                .refuse(fmt::format("has {} logits, expected one for each of the {} query heads", layer.sink->shape[0],
                                    layer.query.shape[1]),
                        "write one sink logit per query head");
        layer.info.hasSink = true;
    }

    void describe(const AttributeScope& scope, const FilePlace& place, Index index, LayerContents& layer) {
        analysis::LayerInfo& info = layer.info;
        const std::vector<double> numbers = scope.numbers("layers");
        const Index listed = index < static_cast<Index>(numbers.size())
                                 ? static_cast<Index>(numbers[static_cast<std::size_t>(index)])
                                 : index;
        info.layer = kernels::LayerIndex{static_cast<int>(arrays_.layer.value_or(listed))};
        info.prompts = static_cast<int>(layer.query.shape[0]);
        info.nHeads = static_cast<int>(layer.query.shape[1]);
        info.nKvHeads = static_cast<int>(layer.key.shape[1]);
        info.positions = layer.query.shape[2];
        info.headDim = layer.query.shape[3];
        info.valueDim = layer.value ? layer.value->shape[3] : 0;
        info.encoding = layer.query.format.name();
        info.hasValue = layer.value.has_value();
        info.hasOutput = layer.output.has_value();
        info.hasOutputProjection = layer.projection.has_value();
        const NamedRope rope = arrays_.has(TensorRole::Query) ? arrays_.rope : NamedRope::Before;
        readLayerAttributes(place, scope, rope, context_.decisions.rotate, info, warnings_);
        const std::optional<Index> stated = scope.integer("layer");
        if (arrays_.layer && stated && *stated != *arrays_.layer)
            warnings_.push_back(
                {"layer_number", place.object, fmt::format("the attribute layer says {}; the name counts", *stated)});
    }

    void findMissing(LayerContents& layer) {
        for (int p = 0; p < layer.info.prompts; ++p)
            if (!layer.query.hasPrompt(p) || !layer.key.hasPrompt(p)) layer.info.missingPrompts.push_back(p);
        if (!layer.info.missingPrompts.empty())
            warnings_.push_back({"prompt_missing", fmt::format("layer {}", layer.info.layer.value),
                                 fmt::format("layer {} lacks {} of {} prompts, the first: {}; its means are over the "
                                             "others",
                                             layer.info.layer.value, layer.info.missingPrompts.size(),
                                             layer.info.prompts, layer.info.missingPrompts.front())});
        for (int p = layer.info.prompts - 1;
             p >= 0 && !(isWritten(layer.query, p, query_) && isWritten(layer.key, p, key_)); --p)
            layer.unwrittenPrompts.push_back(p);
    }

    /// Whether the first number of a prompt is there, where one array holds all prompts.
    static bool isWritten(const StoredTensor& tensor, int prompt, const std::vector<OpenArray>& arrays) {
        if (arrays.size() != 1 || tensor.parts.front().prompt >= 0) return true;
        const std::vector<ArrayAxis>& axes = tensor.parts.front().axes;
        ArrayBox box{std::vector<std::uint64_t>(axes.size(), 0), std::vector<std::uint64_t>(axes.size(), 1)};
        for (std::size_t a = 0; a < axes.size(); ++a)
            box.offset[a] = axes[a].role == AxisRole::Prompt ? static_cast<std::uint64_t>(prompt)
                                                             : static_cast<std::uint64_t>(axes[a].offset);
        return arrays.front().stored->wasWritten(box);
    }

    const LayerContext& context_;
    const LayerArrays& arrays_;
    Warnings& warnings_;
    std::vector<OpenArray> query_, key_, value_, output_;
    LayerAxes axes_;
};

}  // namespace

Index LayerContents::positionsOf(int prompt) const {
    for (const TensorPart& part : key.parts)
        if (part.prompt < 0 || part.prompt == prompt) return part.positions;
    return 0;
}

AttributeScope LayerContext::scopeOf(const ArrayRef& array) const {
    return AttributeScope(file.attributes(array), &decided);
}

std::vector<LayerContents> readLayers(const LayerContext& context, const LayerArrays& arrays, Warnings& warnings,
                                      std::vector<analysis::ReadingNote>& readings) {
    const bool query = arrays.has(TensorRole::Query), key = arrays.has(TensorRole::Key);
    if (!arrays.has(TensorRole::Fused) && !(query && key)) {
        const std::string path = arrays.first().path;
        FilePlace{context.file.place().file, printable(path.substr(0, std::max<std::size_t>(1, path.rfind('/'))))}
            .refuse(fmt::format("holds no {}", query ? "k" : (key ? "q" : "q and no k")),
                    "q and k are needed, as datasets [prompt, head, position, dim]");
    }
    return LayerReader(context, arrays, warnings).read(readings);
}

}  // namespace dimscope::io
