// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/layer_metadata.h"

#include <fmt/format.h>

#include <cmath>

#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Warnings = std::vector<analysis::Warning>;

constexpr Index kMostHeads = 65536;
constexpr Index kMostPrompts = Index{1} << 20;

const TensorRules kHeadRules{{"prompt head pos dim"}, 4};
const TensorRules kValueRules{{"prompt head pos dim", "prompt head pos value"}, 4};
const TensorRules kProjectionRules{{"hidden head*dim", "hidden head*value"}, 2};
const TensorRules kSinkRules{{"head"}, 1};
const TensorRules kHiddenRules{{"prompt pos hidden"}, 3};
const TensorRules kHiddenSummaryRules{{"prompt hidden"}, 2};

void checkQueryAndKey(const Hdf5Place& place, const StoredTensor& q, const StoredTensor& k) {
    const auto refuse = [&](const char* what, std::size_t axis) {
        place.child("k").refuse(fmt::format("has {} {}, q has {}: shapes disagree (k {}, q {})", k.shape[axis], what,
                                            q.shape[axis], shapeText(k.shape), shapeText(q.shape)),
                                "write q and k of the same run, axes prompt head pos dim");
    };
    if (k.shape[0] != q.shape[0]) refuse("prompts", 0);
    if (k.shape[2] != q.shape[2]) refuse("positions", 2);
    if (k.shape[3] != q.shape[3]) refuse("head dimensions", 3);
    if (q.shape[1] > kMostHeads || q.shape[0] > kMostPrompts)
        place.child("q").refuse(fmt::format("has shape {}: too many prompts or heads to be real", shapeText(q.shape)),
                                "write the axes as prompt head pos dim");
    if (k.shape[1] > q.shape[1] || q.shape[1] % k.shape[1] != 0)
        place.child("k").refuse(
            fmt::format("has {} heads, which do not divide the {} query heads", k.shape[1], q.shape[1]),
            "each key/value head must serve the same number of query heads");
}

void checkValue(const Hdf5Place& place, const StoredTensor& v, const StoredTensor& k) {
    for (const auto& [axis, what] : {std::pair<std::size_t, const char*>{0, "prompts"}, {1, "heads"}, {2, "positions"}})
        if (v.shape[axis] != k.shape[axis])
            place.child("v").refuse(fmt::format("has {} {}, k has {}: shapes disagree (v {}, k {})", v.shape[axis],
                                                what, k.shape[axis], shapeText(v.shape), shapeText(k.shape)),
                                    "write k and v of the same run, axes prompt head pos dim");
}

/// Sizes that attributes state must be those of the tensors: else the axes are probably in another order.
void checkStatedSizes(const Hdf5Place& place, const AttributeScope& scope, const LayerContents& layer,
                      Warnings& warnings) {
    const auto check = [&](const char* name, const char* tensor, Index stored) {
        const std::optional<Index> stated = scope.integer(name);
        if (stated && *stated != stored)
            place.child(tensor).refuse(fmt::format("attribute {} says {}, the tensor has {}", name, *stated, stored),
                                       "correct the attribute, or write the axes as prompt head pos dim");
    };
    check("n_heads", "q", layer.query.shape[1]);
    check("head_dim", "q", layer.query.shape[3]);
    const std::optional<Index> stated = scope.integer("n_kv_heads");
    const Index stored = layer.key.shape[1];
    if (stated && *stated > 0 && *stated < stored && stored == layer.query.shape[1] && stored % *stated == 0)
        warnings.push_back(
            {"heads_repeated", place.object,
             fmt::format("n_kv_heads says {} but k holds {} heads: repeat_kv seems to have been applied; "
                         "the tensors are used as stored",
                         *stated, stored)});
    else
        check("n_kv_heads", "k", stored);
}

void readMask(const Hdf5Place& place, const AttributeScope& scope, analysis::LayerInfo& info) {
    const Index causal = scope.integer("causal").value_or(1);
    if (causal != 0 && causal != 1)
        place.refuse(fmt::format("causal is {}, expected 0 or 1", causal), "correct the attribute");
    info.causal = causal == 1;
    info.window = scope.integer("window").value_or(0);
    if (info.window < 0)
        place.refuse(fmt::format("window is {}, expected 0 or more", info.window), "correct the attribute");
    if (info.window > 0 && !info.causal)
        place.refuse("has a window without a causal mask, which this version cannot compute",
                     "set causal=1, or window=0 if it does not apply");
}

void readLogits(const Hdf5Place& place, const AttributeScope& scope, analysis::LayerInfo& info) {
    info.scale = scope.number("scale").value_or(1.0 / std::sqrt(static_cast<double>(info.headDim)));
    if (!std::isfinite(info.scale) || info.scale <= 0.0)
        place.refuse(fmt::format("scale is {}, expected a finite number above 0", info.scale),
                     "correct the attribute scale");
    info.softcap = scope.number("softcap").value_or(0.0);
    if (!std::isfinite(info.softcap) || info.softcap < 0.0)
        place.refuse(fmt::format("softcap is {}, expected 0 (none) or a finite number above 0", info.softcap),
                     "correct the attribute softcap");
    const std::string gqa = scope.text("gqa").value_or("contiguous");
    if (gqa != "contiguous" && !(gqa == "strided" && info.nHeads == info.nKvHeads))
        place.refuse(fmt::format("has gqa=\"{}\", this version reads only \"contiguous\"", printable(gqa)),
                     "reorder the key/value heads so that query head h reads head h / (Hq / Hkv)");
}

void readRope(const Hdf5Place& place, const AttributeScope& scope, analysis::LayerInfo& info, Warnings& warnings) {
    info.rope = scope.text("rope").value_or("post");
    if (info.rope != "post" && info.rope != "pre" && info.rope != "none") {
        warnings.push_back(
            {"rope_unknown", place.object,
             fmt::format("rope=\"{}\" is not known; the tensors are used as stored", printable(info.rope))});
        info.rope = "post";
    }
    if (info.rope == "pre")
        warnings.push_back({"rope_pre", place.object,
                            "q and k are from before RoPE (rope=\"pre\"); they are used as stored, without rotation"});
    info.ropeLayout = scope.text("rope_layout").value_or("half");
    if (info.ropeLayout != "half" && info.ropeLayout != "interleaved") {
        warnings.push_back(
            {"rope_unknown", place.object,
             fmt::format("rope_layout=\"{}\" is not known; \"half\" is assumed", printable(info.ropeLayout))});
        info.ropeLayout = "half";
    }
    info.ropeTheta = scope.number("rope_theta").value_or(0.0);
    info.rotaryDim = scope.integer("rotary_dim").value_or(0);
    if (info.rotaryDim >= 0 && info.rotaryDim <= info.headDim && info.rotaryDim % 2 == 0) return;
    warnings.push_back({"rope_unknown", place.object,
                        fmt::format("rotary_dim={} does not fit a head dimension of {}; all are taken to rotate",
                                    info.rotaryDim, info.headDim)});
    info.rotaryDim = 0;
}

/// An optional tensor: nothing where it is absent or does not fit, the latter with a warning.
std::optional<StoredTensor> readOptional(const Hdf5Group& group, const std::string& name, const TensorRules& rules,
                                         const AttributeScope& scope, const std::vector<Index>& expected,
                                         Warnings& warnings) {
    if (group.kind(name) == Hdf5Kind::Missing) return std::nullopt;
    try {
        StoredTensor tensor = describeTensor(group.dataset(name), rules, scope);
        for (std::size_t axis = 0; axis < expected.size(); ++axis)
            if (expected[axis] != 0 && tensor.shape[axis] != expected[axis])
                group.place().child(name).refuse(
                    fmt::format("has shape {}, expected {} on axis {}", shapeText(tensor.shape), expected[axis], axis),
                    "");
        return tensor;
    } catch (const kernels::FormatError& error) {
        const auto& parts = error.parts();
        warnings.push_back({"tensor_ignored", parts.object, fmt::format("{} {}; it is ignored", name, parts.cause)});
        return std::nullopt;
    }
}

void readSink(const Hdf5Group& group, const AttributeScope& scope, LayerContents& layer) {
    if (group.kind("sink") == Hdf5Kind::Missing) return;
    layer.sink = describeTensor(group.dataset("sink"), kSinkRules, scope);
    if (layer.sink->shape[0] != layer.query.shape[1])
        group.place().child("sink").refuse(fmt::format("has {} logits, expected one for each of the {} query heads",
                                                       layer.sink->shape[0], layer.query.shape[1]),
                                           "write one sink logit per query head");
    layer.info.hasSink = true;
}

void readTensors(const Hdf5Group& group, const AttributeScope& scope, LayerContents& layer, Warnings& warnings) {
    const bool hasQuery = group.kind("q") != Hdf5Kind::Missing, hasKey = group.kind("k") != Hdf5Kind::Missing;
    if (!hasQuery || !hasKey)
        group.place().refuse(fmt::format("holds no {}", hasQuery ? "k" : (hasKey ? "q" : "q and no k")),
                             "q and k are needed, as datasets [prompt, head, position, dim]");
    layer.query = describeTensor(group.dataset("q"), kHeadRules, scope);
    layer.key = describeTensor(group.dataset("k"), kHeadRules, scope);
    checkQueryAndKey(group.place(), layer.query, layer.key);
    checkStatedSizes(group.place(), scope, layer, warnings);
    if (group.kind("v") != Hdf5Kind::Missing) {
        layer.value = describeTensor(group.dataset("v"), kValueRules, scope);
        checkValue(group.place(), *layer.value, layer.key);
    }
    const std::vector<Index>& q = layer.query.shape;
    const Index valueDim = layer.value ? layer.value->shape[3] : 0;
    layer.output = readOptional(group, "o", kValueRules, scope, {q[0], q[1], q[2], valueDim}, warnings);
    layer.projection = readOptional(group, "w_o", kProjectionRules, scope, {0, q[1] * valueDim}, warnings);
    layer.hidden = readOptional(group, "h", kHiddenRules, scope, {q[0], q[2]}, warnings);
    layer.hiddenMeanAbs = readOptional(group, "h_mean_abs", kHiddenSummaryRules, scope, {q[0]}, warnings);
    layer.hiddenMaxAbs = readOptional(group, "h_max_abs", kHiddenSummaryRules, scope, {q[0]}, warnings);
    readSink(group, scope, layer);
}

}  // namespace

LayerContents readLayerMetadata(const Hdf5Group& group, kernels::LayerIndex number, const AttributeScope& outer,
                                Warnings& warnings) {
    const AttributeScope scope(group, outer);
    LayerContents layer;
    analysis::LayerInfo& info = layer.info;
    info.layer = number;
    readTensors(group, scope, layer, warnings);
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
    readMask(group.place(), scope, info);
    readLogits(group.place(), scope, info);
    readRope(group.place(), scope, info, warnings);
    const std::optional<Index> stated = scope.isOwn("layer") ? scope.integer("layer") : std::nullopt;
    if (stated && *stated != number.value)
        warnings.push_back({"layer_number", group.place().object,
                            fmt::format("the attribute layer says {}; the group's name counts", *stated)});
    return layer;
}

}  // namespace dimscope::io
