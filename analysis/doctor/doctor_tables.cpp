// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "analysis/doctor/doctor.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

Table doctorTable(const char* name, const std::string& caption, const DoctorResult& result) {
    return {.name = name,
            .caption = fmt::format("{}, {} {}", caption, result.prompts, result.prompts == 1 ? "prompt" : "prompts"),
            .columns = {},
            .warnings = result.warnings,
            .provenance = result.provenance};
}

}  // namespace

Table checksTable(const DoctorResult& result) {
    Table table = doctorTable("checks", "What the dump's own numbers say about how it is read", result);
    table.columns = {plainColumn("name", "Check"), plainColumn("layer", "Layer"), plainColumn("status", "Status"),
                     plainColumn("residual", "Residual"), plainColumn("detail", "What was found")};
    for (const DoctorCheck& check : result.checks)
        appendRow(table, {check.name, check.layer ? Cell(std::int64_t{check.layer->value}) : Cell(),
                          std::string(statusName(check.status)),
                          std::isnan(check.residual) ? Cell() : Cell(check.residual), check.detail});
    return table;
}

Table readingsTable(const DoctorResult& result) {
    Table table = doctorTable("readings", "RMS distance of recomputed attention to the stored o over RMS of o", result);
    table.columns = {plainColumn("layer", "Layer"), plainColumn("reading", "Reading"),
                     plainColumn("stated", "As stated"), plainColumn("residual", "Residual")};
    for (const OutputReading& reading : result.readings)
        appendRow(table, {std::int64_t{reading.layer.value}, readingText(reading),
                          std::string(reading.stated ? "yes" : "no"), reading.residual});
    return table;
}

Table sinksTable(const DoctorResult& result) {
    Table table =
        doctorTable("sinks", "Keys that draw attention from afar, or whose norm is far above the median", result);
    table.columns = {plainColumn("layer", "Layer"),   plainColumn("head", "Head"),
                     plainColumn("prompt", "Prompt"), plainColumn("position", "Position"),
                     percentColumn("mass", "Mass"),   plainColumn("key_norm", "Norm / median")};
    for (const AttentionSink& sink : result.sinks)
        appendRow(table, {std::int64_t{sink.layer.value}, std::int64_t{sink.head.value},
                          std::int64_t{sink.prompt.value}, sink.position, sink.mass, sink.keyNorm});
    return table;
}

}  // namespace dimscope::analysis
