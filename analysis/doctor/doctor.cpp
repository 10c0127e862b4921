// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/doctor.h"

#include <algorithm>
#include <tuple>

#include "analysis/doctor/checks.h"
#include "analysis/run_record.h"

namespace dimscope::analysis {
namespace {

/// All that are named, else at most `most`, evenly spread.
std::vector<PromptIndex> examinedPrompts(const DoctorParams& params, const DumpInfo& info) {
    const std::vector<PromptIndex> usable = selectedPrompts(params.selection, info);
    const auto most = static_cast<std::size_t>(std::max(0, params.prompts));
    if (!params.selection.prompts.empty() || most == 0 || usable.size() <= most) return usable;
    std::vector<PromptIndex> spread;
    for (std::size_t n = 0; n < most; ++n) spread.push_back(usable[n * usable.size() / most]);
    return spread;
}

void addChecks(const DumpInfo& info, const std::vector<LayerFacts>& layers, std::vector<DoctorCheck>& checks) {
    const auto append = [&](std::vector<DoctorCheck> more) {
        for (DoctorCheck& check : more) checks.push_back(std::move(check));
    };
    append({fileCheck(info)});
    append(unreadableChecks(layers));
    append(outputChecks(layers));
    append({rotationCheck(layers), scaleCheck(layers), repeatedKvCheck(layers), nonFiniteCheck(layers),
            saturationCheck(layers), deadHeadsCheck(layers), duplicatedHeadsCheck(layers), paddingCheck(layers),
            sinkCheck(layers)});
}

}  // namespace

std::string_view statusName(CheckStatus status) {
    switch (status) {
        case CheckStatus::Pass: return "pass";
        case CheckStatus::Warn: return "warn";
        case CheckStatus::Fail: return "fail";
        case CheckStatus::Skipped: return "skipped";
    }
    return "";
}

bool DoctorResult::failed() const {
    return std::any_of(checks.begin(), checks.end(),
                       [](const DoctorCheck& check) { return check.status == CheckStatus::Fail; });
}

DoctorResult examineDump(const DoctorParams& params, HeadSource& source, kernels::Backend& backend,
                         const RunControl& control) {
    RunRecord record("doctor", &backend, params.seed);
    DoctorResult result;
    const DumpInfo& info = source.info();
    const std::vector<PromptIndex> prompts = examinedPrompts(params, info);
    Selection examined = params.selection;
    examined.prompts = prompts;
    describe(examined, info, record.provenance());
    record.provenance().parameters = {{"rows", std::int64_t{params.rows}},
                                      {"sink_mass", params.sinks.mass},
                                      {"sink_distance", std::int64_t{params.sinks.distance}},
                                      {"sink_norm_ratio", params.sinks.normRatio}};
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, info);
    std::vector<LayerFacts> facts;
    for (std::size_t n = 0; n < layers.size(); ++n) {
        facts.push_back(factsOf(params, prompts, layers[n], source, backend, control.part(n, layers.size())));
        const auto append = [](const auto& more, auto& all) { all.insert(all.end(), more.begin(), more.end()); };
        append(facts.back().output.readings, result.readings);
        append(facts.back().sinks, result.sinks);
        append(facts.back().masses, result.headMasses);
    }
    addChecks(info, facts, result.checks);
    std::stable_sort(result.sinks.begin(), result.sinks.end(), [](const AttentionSink& a, const AttentionSink& b) {
        return std::tie(a.layer, a.head, a.prompt, a.position) < std::tie(b.layer, b.head, b.prompt, b.position);
    });
    result.prompts = prompts.size();
    result.warnings = info.warnings;
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
