// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/run_record.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "app/core/dump_opening.h"

namespace dimscope::app {
namespace {

using analysis::DumpInfo;
using analysis::LayerInfo;

void addInfoOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json layerJson(const LayerInfo& layer) {
    return {{"layer", layer.layer.value},
            {"n_heads", layer.nHeads},
            {"n_kv_heads", layer.kvHeadsOfFile()},
            {"head_dim", layer.headDim},
            {"value_dim", layer.valueDim},
            {"positions", layer.positions},
            {"prompts", layer.prompts},
            {"scale", numberJson(layer.scale)},
            {"rope", layer.rope},
            {"rope_layout", layer.ropeLayout},
            {"causal", layer.causal},
            {"window", layer.window},
            {"softcap", numberJson(layer.softcap)},
            {"encoding", layer.encoding},
            {"has_v", layer.hasValue},
            {"has_o", layer.hasOutput},
            {"has_w_o", layer.hasOutputProjection},
            {"has_sink", layer.hasSink}};
}

Json promptsJson(const DumpInfo& info) {
    Json prompts = Json::array();
    for (std::size_t p = 0; p < info.prompts.size(); ++p)
        prompts.push_back({{"prompt", p},
                           {"positions", info.prompts[p].validPositions},
                           {"split", info.prompts[p].split},
                           {"left_out", info.prompts[p].leftOut}});
    return prompts;
}

Json documentOf(const DumpInfo& info) {
    Json document{{"file", info.path},
                  {"format", info.format},
                  {"model", info.model},
                  {"revision", info.revision},
                  {"tokenizer", info.tokenizer},
                  {"created_by", info.createdBy},
                  {"created_at", info.createdAt},
                  {"prompt_source", info.promptSource},
                  {"layers", Json::array()},
                  {"prompts", promptsJson(info)},
                  {"readings", Json::array()}};
    for (const LayerInfo& layer : info.layers) document["layers"].push_back(layerJson(layer));
    for (const analysis::ReadingNote& note : info.readings)
        document["readings"].push_back(
            {{"place", note.place}, {"decision", note.decision}, {"evidence", note.evidence}});
    return document;
}

std::string yesNo(bool value) { return value ? "yes" : "no"; }

analysis::Table layersTable(const DumpInfo& info, const analysis::Provenance& provenance) {
    analysis::Table table;
    table.name = "layers";
    table.caption = fmt::format("Layers of {}", info.identity.name);
    table.provenance = provenance;
    table.columns = {column("layer", "layer"),       column("n_heads", "heads"),       column("n_kv_heads", "KV heads"),
                     column("head_dim", "head dim"), column("value_dim", "value dim"), column("positions", "positions"),
                     column("prompts", "prompts"),   column("scale", "scale"),         column("rope", "RoPE"),
                     column("causal", "causal"),     column("encoding", "encoding"),   column("has_o", "o"),
                     column("has_w_o", "W_o")};
    for (const LayerInfo& layer : info.layers)
        addRow(table,
               {std::int64_t{layer.layer.value}, std::int64_t{layer.nHeads}, std::int64_t{layer.kvHeadsOfFile()},
                layer.headDim, layer.valueDim, layer.positions, std::int64_t{layer.prompts}, layer.scale, layer.rope,
                yesNo(layer.causal), layer.encoding, yesNo(layer.hasOutput), yesNo(layer.hasOutputProjection)});
    return table;
}

std::string headingOf(const DumpInfo& info) {
    std::string text = fmt::format("{}: {}\n", info.path, info.format);
    for (const auto& [name, value] : {std::pair{"model", info.model},
                                      {"prompts from", info.promptSource},
                                      {"created by", info.createdBy},
                                      {"created at", info.createdAt}})
        if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
    for (const analysis::ReadingNote& note : info.readings)
        text += fmt::format("{}: {} ({})\n", note.place, note.decision, note.evidence);
    return text + "\n";
}

VerbOutput runInfo(const Options& options, const kernels::RunControl& control) {
    analysis::RunRecord record("info", nullptr, 0);
    const auto source = openDumpSafely(options.file, decisionsFrom(options.reading), control);
    const DumpInfo& info = source->info();
    record.provenance().dump = info.identity;
    const analysis::Provenance provenance = record.finished();

    VerbOutput output;
    output.document = documentOf(info);
    output.table = layersTable(info, provenance);
    output.table.warnings = info.warnings;
    output.text = headingOf(info) + alignedText(output.table);
    output.warnings = info.warnings;
    return output;
}

}  // namespace

Verb infoVerb() {
    return {"info", "What is in a dump, without reading a tensor",
            "  dimscope-cli info dump.h5\n  dimscope-cli info dump.h5 --json", addInfoOptions, runInfo};
}

}  // namespace dimscope::app
