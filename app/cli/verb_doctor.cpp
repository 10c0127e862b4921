// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/doctor.h"
#include "app/cli/inputs.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::AttentionSink;
using analysis::DoctorCheck;
using analysis::DoctorResult;
using analysis::OutputReading;

void addDoctorOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addExtentOptions(verb, options);
    verb.add_option("--rows", options.rows, "Query rows drawn per prompt, or all")->capture_default_str();
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json checkJson(const DoctorCheck& check) {
    return {{"name", check.name},
            {"layer", check.layer ? Json(check.layer->value) : Json(nullptr)},
            {"status", analysis::statusName(check.status)},
            {"detail", check.detail},
            {"residual", numberJson(check.residual)}};
}

Json readingJson(const OutputReading& reading) {
    Json rotation = nullptr;
    if (reading.rope)
        rotation = {{"theta", numberJson(reading.rope->theta)},
                    {"layout", reading.rope->layout},
                    {"rotary_dim", reading.rope->dim}};
    return {{"layer", reading.layer.value},
            {"stated", reading.stated},
            {"scale", numberJson(reading.scale)},
            {"gqa", reading.strided ? "strided" : "contiguous"},
            {"causal", reading.causal},
            {"window", reading.window},
            {"softcap", numberJson(reading.softcap)},
            {"sink", reading.sink},
            {"rotated", rotation},
            {"residual", numberJson(reading.residual)}};
}

Json sinkJson(const AttentionSink& sink) {
    return {{"layer", sink.layer.value}, {"head", sink.head.value},       {"prompt", sink.prompt.value},
            {"position", sink.position}, {"mass", numberJson(sink.mass)}, {"key_norm", numberJson(sink.keyNorm)},
            {"by_mass", sink.byMass},    {"by_norm", sink.byNorm}};
}

Json documentOf(const DoctorResult& result) {
    Json document = {{"checks", Json::array()}, {"readings", Json::array()}, {"sinks", Json::array()}};
    for (const DoctorCheck& check : result.checks) document["checks"].push_back(checkJson(check));
    for (const OutputReading& reading : result.readings) document["readings"].push_back(readingJson(reading));
    for (const AttentionSink& sink : result.sinks) document["sinks"].push_back(sinkJson(sink));
    return document;
}

VerbOutput runDoctor(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::DoctorParams params;
    params.rows = rowCount(options);
    params.seed = options.seed;
    const Inputs inputs = openInputs(options, control);
    params.selection = selectionFrom(options, inputs.source->info(), {});
    const DoctorResult result = analysis::examineDump(params, *inputs.source, *inputs.backend, control);

    VerbOutput output;
    output.document = documentOf(result);
    output.table = analysis::checksTable(result);
    output.text = alignedText(output.table);
    output.warnings = result.warnings;
    output.objection = result.failed();
    return output;
}

}  // namespace

Verb doctorVerb() {
    return {"doctor", "Whether a dump is read as it was written: recomputes its output, and looks for what misleads",
            "  dimscope-cli doctor dump.h5\n"
            "  dimscope-cli doctor dump.h5 --layers 15 --rows all --json --out checks.md",
            addDoctorOptions, runDoctor};
}

}  // namespace dimscope::app
