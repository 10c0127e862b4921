// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_writer.h"

#include <fmt/format.h>

#include "io/atomic_file.h"
#include "io/dump/layer_attributes.h"
#include "io/hdf5_write.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using analysis::HeadSource;
using analysis::LayerInfo;
using analysis::TensorKind;
using kernels::HeadIndex;
using kernels::Index;
using kernels::PromptIndex;

void appendRows(const kernels::TensorView& view, std::vector<double>& values) {
    std::visit(
        [&](const auto& v) {
            for (Index r = 0; r < v.rows(); ++r)
                for (Index c = 0; c < v.cols(); ++c) values.push_back(static_cast<double>(v(r, c)));
        },
        view);
}

void checkWritable(HeadSource& source) {
    for (std::size_t p = 0; p < source.info().prompts.size(); ++p)
        if (source.validity(PromptIndex{static_cast<int>(p)}))
            throw kernels::ArgumentError(
                fmt::format("prompt {} has padding, which is not written; expected valid positions only", p));
    for (const LayerInfo& layer : source.info().layers) {
        if (!layer.hasEveryQuery())
            throw kernels::ArgumentError(
                fmt::format("layer {} has fewer queries than keys, which is not written", layer.layer.value));
        if (layer.hasSink)
            throw kernels::ArgumentError(fmt::format("layer {} has a sink, which is not written", layer.layer.value));
    }
}

void writeTensor(Hdf5Writer& file, const std::string& object, TensorKind kind, const LayerInfo& layer,
                 HeadSource& source, const kernels::RunControl& control) {
    const int heads = kind == TensorKind::Query ? layer.nHeads : layer.nKvHeads;
    std::vector<double> values;
    for (int p = 0; p < layer.prompts; ++p)
        for (int head = 0; head < heads; ++head) {
            control.throwIfCancelled();
            appendRows(kernels::viewOf(source.load(kind, layer.layer, PromptIndex{p}, head, control)->values), values);
        }
    const Index cols = kind == TensorKind::Value ? layer.valueDim : layer.headDim;
    file.writeNumbers(object, {layer.prompts, heads, layer.positions, cols}, values);
}

void writeExtra(Hdf5Writer& file, const std::string& group, const ExtraTensor& extra, const LayerInfo& layer) {
    std::vector<double> values;
    for (int p = 0; p < layer.prompts; ++p)
        for (int head = 0; head < layer.nHeads; ++head)
            appendRows(extra.of(layer.layer, PromptIndex{p}, HeadIndex{head}).view(), values);
    file.writeNumbers(group + "/" + extra.name, {layer.prompts, layer.nHeads, layer.positions, extra.cols}, values);
}

}  // namespace

void writeDump(const std::filesystem::path& path, HeadSource& source, const std::vector<ExtraTensor>& extras,
               const std::string& createdBy, const kernels::RunControl& control) {
    checkWritable(source);
    writeFileAtomically(path, [&](const std::filesystem::path& part) {
        Hdf5Writer file(part, path);
        file.setAttribute("/", "format", std::string("attn-dump"));
        file.setAttribute("/", "format_version", std::int64_t{1});
        file.setAttribute("/", "model", source.info().model);
        file.setAttribute("/", "created_by", createdBy);
        for (const LayerInfo& layer : source.info().layers) {
            const std::string group = fmt::format("/layers/{:02}", layer.layer.value);
            writeTensor(file, group + "/q", TensorKind::Query, layer, source, control);
            writeTensor(file, group + "/k", TensorKind::Key, layer, source, control);
            if (layer.hasValue) writeTensor(file, group + "/v", TensorKind::Value, layer, source, control);
            for (const ExtraTensor& extra : extras) writeExtra(file, group, extra, layer);
            writeLayerAttributes(file, group, layer);
        }
        file.close();
    });
}

}  // namespace dimscope::io
