// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/experiments/experiment.h"

namespace dimscope::analysis {

// The entries of the catalogue, one file each.
Experiment interventionExperiment();
Experiment fidelityExperiment();
Experiment budgetExperiment();
Experiment concentrationExperiment();
Experiment stabilityExperiment();
Experiment layersExperiment();
Experiment ordersExperiment();
Experiment doctorExperiment();

// Fields that several have.
ExperimentField rowsField(int start);  ///< "rows": query rows per prompt, 0 = all

// What a dump may lack, as clauses.
std::string always(const DumpInfo& info);        ///< empty: the experiment needs only q and k
std::string withoutValue(const DumpInfo& info);  ///< empty where some layer has v

}  // namespace dimscope::analysis
