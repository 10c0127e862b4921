// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/attention_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "io/dump/dump_identity.h"
#include "io/dump/dump_source.h"
#include "io/dump/layer_metadata.h"
#include "io/dump/prompt_metadata.h"
#include "io/layer_name.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

constexpr const char* kFormatName = "attn-dump";
constexpr const char* kWhatADumpHas = "a dump has /layers/LL/q and /layers/LL/k (resources/docs/formats.md)";

void checkFormat(const Hdf5Group& root, const AttributeScope& scope, std::vector<analysis::Warning>& warnings) {
    const std::string format = scope.text("format").value_or("");
    if (format.empty())
        warnings.push_back({"format_missing", "/", "the file does not say format=\"attn-dump\"; it is read as one"});
    else if (format != kFormatName)
        root.place().refuse(fmt::format("has format \"{}\", expected \"{}\"", printable(format), kFormatName),
                            kWhatADumpHas);
    const kernels::Index version = scope.integer("format_version").value_or(1);
    if (version > 1)
        root.place().refuse(
            fmt::format("has format_version {}: written by a newer program, this one reads version 1", version),
            "update this program");
    if (version < 1)
        root.place().refuse(fmt::format("has format_version {}, expected 1", version), "correct the attribute");
}

/// Opens layer after layer; one that cannot be read becomes a warning, as long as another one can.
class LayerReader {
public:
    LayerReader(const Hdf5Group& layers, const AttributeScope& outer, std::vector<analysis::Warning>& warnings)
        : layers_(layers), outer_(outer), warnings_(warnings) {}

    std::vector<LayerContents> readAll() {
        for (const std::string& name : layers_.names())
            if (const auto number = layerNumber(name)) readOne(name, *number);
        if (found_.empty() && firstFailure_) throw *firstFailure_;
        if (found_.empty()) layers_.place().refuse("holds no layer, so no q and k", kWhatADumpHas);
        std::sort(found_.begin(), found_.end(),
                  [](const auto& a, const auto& b) { return a.info.layer < b.info.layer; });
        return std::move(found_);
    }

private:
    void readOne(const std::string& name, kernels::LayerIndex number) {
        try {
            std::vector<analysis::Warning> warnings;
            LayerContents layer =
                readLayerMetadata(layers_.group(name), number, AttributeScope(layers_, outer_), warnings);
            checkAgreement(layer, name);
            found_.push_back(std::move(layer));
            warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
        } catch (const kernels::FormatError& error) {
            if (!firstFailure_) firstFailure_ = error;
            warnings_.push_back(
                {"layer_unreadable", error.parts().object,
                 fmt::format("layer {} is left out: {} {}", number.value, error.parts().object, error.parts().cause)});
        }
    }

    /// All layers have seen the same prompts; the first layer that can be read sets the measure.
    void checkAgreement(const LayerContents& layer, const std::string& name) const {
        const Hdf5Place place = layers_.place().child(name);
        for (const LayerContents& other : found_)
            if (other.info.layer == layer.info.layer)
                place.refuse(fmt::format("is a second layer {}", layer.info.layer.value), "remove one of them");
        if (found_.empty()) return;
        const analysis::LayerInfo& first = found_.front().info;
        if (first.prompts != layer.info.prompts || first.positions != layer.info.positions)
            place.refuse(fmt::format("has {} prompts of {} positions, layer {} has {} of {}", layer.info.prompts,
                                     layer.info.positions, first.layer.value, first.prompts, first.positions),
                         "write all layers from the same prompts");
    }

    const Hdf5Group& layers_;
    const AttributeScope& outer_;
    std::vector<analysis::Warning>& warnings_;
    std::vector<LayerContents> found_;
    std::optional<kernels::FormatError> firstFailure_;
};

[[noreturn]] void refuseWithoutLayers(const Hdf5Group& root) {
    std::vector<std::string> names;
    for (const std::string& name : root.names()) {
        if (names.size() == 5) break;
        names.push_back(printable(name, 40));
    }
    root.place().refuse(
        names.empty() ? std::string("holds no q and k: the file has no content")
                      : fmt::format("holds no q and k: there is no group /layers (found: {})", fmt::join(names, ", ")),
        kWhatADumpHas);
}

void describeOrigin(const AttributeScope& scope, analysis::DumpInfo& info) {
    const auto text = [&scope](const char* name) -> std::string {
        const std::optional<AttributeValue> value = scope.find(name);
        const std::string* found = value ? std::get_if<std::string>(&*value) : nullptr;
        return found != nullptr ? printable(*found) : "";
    };
    info.format = "attn-dump 1";
    info.model = text("model");
    info.revision = text("revision");
    info.tokenizer = text("tokenizer");
    info.createdBy = text("created_by");
    info.createdAt = text("created_at");
    info.promptSource = text("prompt_source");
}

std::vector<std::string> usedPaths(const std::vector<LayerContents>& layers, const PromptMetadata& prompts) {
    std::vector<std::string> paths = prompts.usedPaths();
    for (const LayerContents& layer : layers) {
        paths.push_back(layer.query.path);
        paths.push_back(layer.key.path);
        for (const auto* tensor : {&layer.value, &layer.output, &layer.projection, &layer.sink, &layer.hidden,
                                   &layer.hiddenMeanAbs, &layer.hiddenMaxAbs})
            if (*tensor) paths.push_back((*tensor)->path);
    }
    return paths;
}

}  // namespace

std::shared_ptr<analysis::HeadSource> openDump(const std::filesystem::path& path) {
    Hdf5Group root = Hdf5Group::openFile(path);
    analysis::DumpInfo info;
    info.path = path.string();
    const AttributeScope scope(root, {});
    checkFormat(root, scope, info.warnings);
    describeOrigin(scope, info);
    if (root.kind("layers") == Hdf5Kind::Missing) refuseWithoutLayers(root);
    const Hdf5Group layersGroup = root.group("layers");
    std::vector<LayerContents> layers = LayerReader(layersGroup, scope, info.warnings).readAll();
    for (const LayerContents& layer : layers) info.layers.push_back(layer.info);
    PromptMetadata prompts(root, info.layers.front().prompts, info.layers.front().positions, info.warnings);
    info.prompts = prompts.prompts();
    info.identity = identifyDump(path, root, usedPaths(layers, prompts));
    return std::make_shared<DumpSource>(std::move(root), std::move(info), std::move(layers), std::move(prompts));
}

}  // namespace dimscope::io
