// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/attention_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "io/dump/array_file.h"
#include "io/dump/content_padding.h"
#include "io/dump/dump_identity.h"
#include "io/dump/dump_source.h"
#include "io/dump/layer_metadata.h"
#include "io/dump/prompt_metadata.h"
#include "io/hdf5_read.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

constexpr const char* kFormatName = "attn-dump";
constexpr const char* kWhatADumpHas = "a dump has /layers/LL/q and /layers/LL/k (resources/docs/formats.md)";

/// Whether the file says that it is a dump. Throws FormatError where it says something else.
bool checkFormat(const FilePlace& root, const AttributeScope& scope) {
    const std::string format = scope.text("format").value_or("");
    if (!format.empty() && format != kFormatName)
        root.refuse(fmt::format("has format \"{}\", expected \"{}\"", printable(format), kFormatName), kWhatADumpHas);
    const kernels::Index version = scope.integer("format_version").value_or(1);
    if (version > 1)
        root.refuse(fmt::format("has format_version {}: written by a newer program, this one reads version 1", version),
                    "update this program");
    if (version < 1) root.refuse(fmt::format("has format_version {}, expected 1", version), "correct the attribute");
    return !format.empty();
}

/// Opens layer after layer; one that cannot be read becomes a warning, as long as another one can.
class AllLayers {
public:
    AllLayers(const LayerContext& context, analysis::DumpInfo& info) : context_(context), info_(info) {}

    std::vector<LayerContents> read(const std::vector<LayerArrays>& arrays) {
        for (const LayerArrays& layer : arrays) readOne(layer);
        if (found_.empty()) std::rethrow_exception(firstFailure_);
        std::sort(found_.begin(), found_.end(),
                  [](const auto& a, const auto& b) { return a.info.layer < b.info.layer; });
        return std::move(found_);
    }

private:
    void readOne(const LayerArrays& arrays) {
        try {
            std::vector<analysis::Warning> warnings;
            std::vector<analysis::ReadingNote> readings;
            for (LayerContents& layer : readLayers(context_, arrays, warnings, readings)) {
                checkAgreement(layer);
                found_.push_back(std::move(layer));
            }
            info_.warnings.insert(info_.warnings.end(), warnings.begin(), warnings.end());
            info_.readings.insert(info_.readings.end(), readings.begin(), readings.end());
        } catch (const kernels::FormatError& error) {
            if (!firstFailure_) firstFailure_ = std::current_exception();  // a question stays one
            info_.warnings.push_back({"layer_unreadable", error.parts().object,
                                      fmt::format("layer {} is left out: {} {}", arrays.layer.value_or(0),
                                                  error.parts().object, error.parts().cause)});
        }
    }

    /// All layers have seen the same prompts; the first layer that can be read sets the measure.
    void checkAgreement(const LayerContents& layer) const {
        const FilePlace place{context_.file.place().file, layer.query.path};
        for (const LayerContents& other : found_)
            if (other.info.layer == layer.info.layer)
                place.refuse(fmt::format("is a second layer {}", layer.info.layer.value), "remove one of them");
        if (found_.empty()) return;
        const analysis::LayerInfo& first = found_.front().info;
        if (!(first.queries == layer.info.queries))
            place.refuse(fmt::format("has queries at other positions than layer {}", first.layer.value),
                         "write all layers from the same prompts");
        if (first.prompts != layer.info.prompts || first.positions != layer.info.positions)
            place.refuse(fmt::format("has {} prompts of {} positions, layer {} has {} of {}", layer.info.prompts,
                                     layer.info.positions, first.layer.value, first.prompts, first.positions),
                         "write all layers from the same prompts");
    }

    const LayerContext& context_;
    analysis::DumpInfo& info_;
    std::vector<LayerContents> found_;
    std::exception_ptr firstFailure_;
};

void describeOrigin(const AttributeScope& scope, analysis::DumpInfo& info) {
    const auto text = [&scope](const char* name) -> std::string {
        const std::optional<AttributeValue> value = scope.find(name);
        const std::string* found = value ? std::get_if<std::string>(&*value) : nullptr;
        return found != nullptr ? printable(*found) : "";
    };
    info.model = text("model");
    info.revision = text("revision");
    info.tokenizer = text("tokenizer");
    info.createdBy = text("created_by");
    info.createdAt = text("created_at");
    info.promptSource = text("prompt_source");
}

/// Sizes that /prompts tells before the tensors are looked at: they help to find the axes.
void readPromptSizes(const ArrayFile& file, LayerContext& context) {
    const Hdf5Group* root = file.hdf5Root();
    if (root == nullptr || root->kind("prompts") != Hdf5Kind::Group) return;
    const Hdf5Group group = root->group("prompts");
    for (const char* name : {"length", "mask", "ids"}) {
        if (group.kind(name) != Hdf5Kind::Dataset) continue;
        try {
            const std::vector<std::uint64_t> shape = group.dataset(name).layout().shape;
            if (!shape.empty()) context.promptCount = static_cast<kernels::Index>(shape.front());
            if (shape.size() == 2) context.positions = static_cast<kernels::Index>(shape.back());
        } catch (const kernels::FormatError&) {
            continue;  // named where it is read
        }
    }
}

/// The positions that the file has for each prompt: fewer than N where prompts are stored on their own.
std::vector<kernels::Index> storedPositions(const LayerContents& layer) {
    std::vector<kernels::Index> positions;
    for (int p = 0; p < layer.info.prompts; ++p) positions.push_back(layer.positionsOf(p));
    return positions;
}

/// Prompts at the end that a writer has made room for and not written yet.
void leaveOutUnwritten(const std::vector<LayerContents>& layers, analysis::DumpInfo& info) {
    std::set<int> unwritten;
    for (const LayerContents& layer : layers)
        unwritten.insert(layer.unwrittenPrompts.begin(), layer.unwrittenPrompts.end());
    if (unwritten.empty()) return;
    for (const int prompt : unwritten) info.prompts[static_cast<std::size_t>(prompt)].leftOut = true;
    info.warnings.push_back(
        {"prompt_unwritten", "/prompts",
         fmt::format("{} prompt(s) from prompt {} on were never written: their data are missing, and "
                     "they are left out (is the file still being written?)",
                     unwritten.size(), *unwritten.begin())});
}

/// Prompts that end before the first query.
void leaveOutWithoutQuery(const PromptMetadata& prompts, analysis::DumpInfo& info) {
    std::size_t count = 0;
    for (std::size_t p = 0; p < info.prompts.size(); ++p) {
        const auto valid = prompts.validity(kernels::PromptIndex{static_cast<int>(p)});
        if (info.prompts[p].leftOut || !valid || info.hasQuery(*valid)) continue;
        info.prompts[p].leftOut = true;
        if (count++ == 0)
            info.warnings.push_back({"prompt_without_query", "/prompts",
                                     fmt::format("prompts without a query at a valid position are left out, the first: "
                                                 "prompt {}",
                                                 p)});
    }
}

/// Padding that nothing but its content marks: left out where a person decided that, else offered.
void handlePadding(const ArrayFile& file, const std::vector<LayerContents>& layers, bool leftOut,
                   PromptMetadata& prompts, analysis::DumpInfo& info) {
    const std::vector<PaddingRun> runs = findPadding(file, layers, prompts, leftOut);
    if (!leftOut) {
        if (!runs.empty())
            info.warnings.push_back(
                {"padding_unmarked", "/prompts",
                 fmt::format("keys at the ends of prompts are identical or all zero and count as tokens ({}); --valid "
                             "content leaves them out",
                             paddingText(runs))});
        return;
    }
    std::vector<std::string> places;
    for (const PaddingRun& run : runs) {
        prompts.leaveOut(run.prompt, run.leading, run.trailing);
        places.push_back(fmt::format("{}:{}+{}", run.prompt, run.leading, run.trailing));
    }
    info.exclusions.emplace_back("excluded_padding", places);
    info.warnings.push_back({"padding_excluded", "/prompts",
                             runs.empty() ? std::string("no prompt ends in identical or all-zero keys, so that no "
                                                        "padding is excluded")
                                          : fmt::format("identical or all-zero keys at the ends of prompts are "
                                                        "excluded as keys and queries ({})",
                                                        paddingText(runs))});
}

std::vector<ArrayRef> usedArrays(const std::vector<LayerContents>& layers) {
    std::vector<ArrayRef> used;
    const auto add = [&used](const StoredTensor& tensor) {
        for (const TensorPart& part : tensor.parts) used.push_back(part.array);
    };
    for (const LayerContents& layer : layers) {
        add(layer.query);
        add(layer.key);
        for (const auto* tensor : {&layer.value, &layer.output, &layer.projection, &layer.sink, &layer.hidden,
                                   &layer.hiddenMeanAbs, &layer.hiddenMaxAbs})
            if (*tensor) add(**tensor);
    }
    return used;
}

}  // namespace

std::shared_ptr<analysis::HeadSource> openDump(const std::filesystem::path& path, const ReadingDecisions& decisions) {
    OpenPolicy policy;
    policy.outside = decisions.outside;
    std::unique_ptr<ArrayFile> file = openArrayFile(path, policy);
    analysis::DumpInfo info;
    info.path = path.string();
    const AttributeScope scope({&file->rootAttributes()});
    const DecidedAttributes decided(file->place(), decisions.attributes);
    const bool formatStated = checkFormat(file->place(), scope);
    describeOrigin(scope, info);
    info.format = formatStated ? "attn-dump 1" : "read as attn-dump";
    const DumpArrays arrays = arrangeArrays(*file, decisions);
    info.warnings = file->oddities();
    LayerContext context{*file, decisions, decided, arrays.prompts, 0, 0, formatStated};
    readPromptSizes(*file, context);
    std::vector<LayerContents> layers = AllLayers(context, info).read(arrays.layers);
    for (const LayerContents& layer : layers) info.layers.push_back(layer.info);
    PromptMetadata prompts(file->hdf5Root(), storedPositions(layers.front()), info.layers.front().positions,
                           decisions.valid, info.warnings);
    handlePadding(*file, layers, decisions.valid == "content", prompts, info);
    info.prompts = prompts.prompts();
    leaveOutUnwritten(layers, info);
    leaveOutWithoutQuery(prompts, info);
    info.identity = identifyDump(path, *file, usedArrays(layers), prompts.usedPaths());
    return std::make_shared<DumpSource>(std::move(file), std::move(info), std::move(layers), std::move(prompts));
}

}  // namespace dimscope::io
