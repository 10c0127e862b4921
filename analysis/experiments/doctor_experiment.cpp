// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/doctor/doctor.h"
#include "analysis/experiments/experiment_list.h"
#include "analysis/figures/doctor_figures.h"

namespace dimscope::analysis {
namespace {

ExperimentOutcome runDoctor(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                            const RunControl& control, const ExperimentLinks& /*none*/) {
    DoctorParams params;
    params.selection = request.selection;
    params.rows = static_cast<int>(doctorExperiment().value(request, "rows"));
    params.prompts = static_cast<int>(doctorExperiment().value(request, "prompts"));
    params.seed = request.seed;
    const DoctorResult result = examineDump(params, source, backend, control);
    return {doctorFindings(result),
            {sinkMassFigure(result)},
            {checksTable(result), readingsTable(result), sinksTable(result)},
            result.warnings,
            result.provenance};
}

std::vector<std::string> doctorLimits(const DumpInfo& info) {
    const bool every = std::all_of(info.layers.begin(), info.layers.end(),
                                   [](const LayerInfo& l) { return l.hasValue && l.hasOutput; });
    if (every) return {};
    return {"no o in some layer: nothing proves scale, head order and mask there"};
}

}  // namespace

Experiment doctorExperiment() {
    return {"doctor",
            "Doctor",
            "Is the dump read as it was written, and what in it misleads?",
            "<b>Checks</b> pass, warn, fail or are skipped with the reason. <b>Readings</b>: attention recomputed from "
            "<i>q</i>, <i>k</i>, <i>v</i> for every scale, order of key/value heads, mask and rotation, beside the "
            "dump's own <i>o</i>; the right one differs by rounding alone.<br>"
            "<b>Attention sinks</b> are keys that draw much of the attention from far behind, whatever their norm.",
            {rowsField(32),
             {"prompts", "Prompts", "Prompts looked at, evenly spread, where none are selected; 0 = all, default 4",
              ExperimentField::Kind::Integer, 0.0, 1e6, 4.0}},
            true,
            false,
            always,
            doctorLimits,
            runDoctor};
}

}  // namespace dimscope::analysis
