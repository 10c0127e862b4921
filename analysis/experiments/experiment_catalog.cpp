// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/experiments/experiment_catalog.h"

#include <algorithm>

#include "analysis/experiments/experiment_list.h"

namespace dimscope::analysis {

const std::vector<Experiment>& experimentCatalog() {
    static const std::vector<Experiment> kExperiments{
        interventionExperiment(), fidelityExperiment(), concentrationExperiment(), stabilityExperiment(),
        layersExperiment(),       budgetExperiment(),   ordersExperiment(),        doctorExperiment()};
    return kExperiments;
}

const Experiment* findExperiment(const std::string& name) {
    for (const Experiment& experiment : experimentCatalog())
        if (experiment.name == name) return &experiment;
    return nullptr;
}

ExperimentField rowsField(int start) {
    return {"rows",
            "Query rows",
            "Query rows drawn per prompt, 0 = all, default " + std::to_string(start),
            ExperimentField::Kind::Integer,
            0.0,
            1e6,
            static_cast<double>(start)};
}

std::string always(const DumpInfo& /*info*/) { return ""; }

std::string withoutValue(const DumpInfo& info) {
    const bool any = std::any_of(info.layers.begin(), info.layers.end(), [](const LayerInfo& l) { return l.hasValue; });
    return any ? "" : "the dump has no v";
}

}  // namespace dimscope::analysis
