// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/layer_attributes.h"

#include <fmt/format.h>

#include <cmath>

#include "io/hdf5_write.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Warnings = std::vector<analysis::Warning>;

void readMask(const FilePlace& place, const AttributeScope& scope, analysis::LayerInfo& info) {
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

void readLogits(const FilePlace& place, const AttributeScope& scope, analysis::LayerInfo& info) {
    info.scale = scope.number("scale").value_or(1.0 / std::sqrt(static_cast<double>(info.headDim)));
    if (!std::isfinite(info.scale) || info.scale <= 0.0)
        place.refuse(fmt::format("scale is {}, expected a finite number above 0", info.scale),
                     "correct the attribute scale");
    info.softcap = scope.number("softcap").value_or(0.0);
    if (!std::isfinite(info.softcap) || info.softcap < 0.0)
        place.refuse(fmt::format("softcap is {}, expected 0 (none) or a finite number above 0", info.softcap),
                     "correct the attribute softcap");
}

/// Never silently: what is rotated, and by what, stands in the warnings.
void applyRotation(const FilePlace& place, analysis::LayerInfo& info, Warnings& warnings) {
    if (info.rope == "post")
        place.refuse("q and k are from after RoPE already: --rotate would rotate them twice",
                     "leave --rotate out, or give --rope pre if the file is wrong about it");
    if (!(info.ropeTheta > 0.0) || !std::isfinite(info.ropeTheta))
        place.refuse("--rotate needs the base of RoPE", "give --rope-theta (10000 for many models)");
    info.rotated = true;
    info.rope = "post";
    warnings.push_back(
        {"rotated", place.object,
         fmt::format("RoPE is applied to q and k on request: theta {}, layout {}, rotary_dim {}", info.ropeTheta,
                     info.ropeLayout, info.rotaryDim > 0 ? info.rotaryDim : info.headDim)});
}

void readRope(const FilePlace& place, const AttributeScope& scope, NamedRope named, bool rotate,
              analysis::LayerInfo& info, Warnings& warnings) {
    const bool namedBefore = named == NamedRope::Before && !scope.find("rope");
    info.rope = namedBefore ? "pre" : scope.text("rope").value_or("post");
    if (info.rope != "post" && info.rope != "pre" && info.rope != "none") {
        warnings.push_back(
            {"rope_unknown", place.object,
             fmt::format("rope=\"{}\" is not known; the tensors are used as stored", printable(info.rope))});
        info.rope = "post";
    }
    info.ropeLayout = scope.text("rope_layout").value_or("half");
    if (info.ropeLayout != "half" && info.ropeLayout != "interleaved") {
        warnings.push_back(
            {"rope_unknown", place.object,
             fmt::format("rope_layout=\"{}\" is not known; \"half\" is assumed", printable(info.ropeLayout))});
        info.ropeLayout = "half";
    }
    info.ropeTheta = scope.number("rope_theta").value_or(0.0);
    info.rotaryDim = scope.integer("rotary_dim").value_or(0);
    if (info.rotaryDim < 0 || info.rotaryDim > info.headDim || info.rotaryDim % 2 != 0) {
        warnings.push_back({"rope_unknown", place.object,
                            fmt::format("rotary_dim={} does not fit a head dimension of {}; all are taken to rotate",
                                        info.rotaryDim, info.headDim)});
        info.rotaryDim = 0;
    }
    if (rotate)
        applyRotation(place, info, warnings);
    else if (info.rope == "pre")
        warnings.push_back(
            {"rope_pre", place.object,
             fmt::format("q and k are from before RoPE ({}); they are used as stored, without rotation (--rotate "
                         "applies it)",
                         namedBefore ? "pre-RoPE by their names" : "rope=\"pre\"")});
}

}  // namespace

void readLayerAttributes(const FilePlace& place, const AttributeScope& scope, NamedRope named, bool rotate,
                         analysis::LayerInfo& info, std::vector<analysis::Warning>& warnings) {
    readMask(place, scope, info);
    readLogits(place, scope, info);
    readRope(place, scope, named, rotate, info, warnings);
}

void writeLayerAttributes(Hdf5Writer& file, const std::string& group, const analysis::LayerInfo& layer) {
    file.setAttribute(group, "layer", std::int64_t{layer.layer.value});
    file.setAttribute(group, "n_heads", std::int64_t{layer.nHeads});
    file.setAttribute(group, "n_kv_heads", std::int64_t{layer.nKvHeads});
    file.setAttribute(group, "head_dim", std::int64_t{layer.headDim});
    const std::pair<const char*, std::variant<double, std::string>> others[] = {
        {"rope", layer.rope}, {"rope_layout", layer.ropeLayout}, {"scale", layer.scale}, {"softcap", layer.softcap}};
    for (const auto& [name, value] : others) file.setAttribute(group, name, value);
    file.setAttribute(group, "window", std::int64_t{layer.window});
    file.setAttribute(group, "causal", std::int64_t{layer.causal ? 1 : 0});
}

}  // namespace dimscope::io
