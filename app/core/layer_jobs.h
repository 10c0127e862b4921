// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "app/core/backend_slot.h"
#include "app/core/result_store.h"

namespace dimscope::app {

/// What a job needs beside its key; captured by value.
struct JobContext {
    std::shared_ptr<analysis::HeadSource> source;
    std::shared_ptr<ResultStore> store;
    std::shared_ptr<BackendSlot> backend;  ///< of the queue that runs the job
};

// The work of jobs: inputs in, immutable result out, nothing else touched. Each is taken from the store where it was
// made before. Throw what analysis throws.

std::shared_ptr<const analysis::ProfileResult> profileLayer(const JobContext& context, const ProfileKey& key,
                                                            const RunControl& control);
/// Profiles the layer first where that has not happened.
std::shared_ptr<const analysis::GroupingResult> groupLayer(const JobContext& context, const GroupingKey& key,
                                                           const RunControl& control);
/// Groups the layer first where a kernel needs the groups. A kernel that the layer cannot have becomes a warning.
std::shared_ptr<const analysis::ComparisonResult> compareKernelsOf(const JobContext& context, const ComparisonKey& key,
                                                                   const RunControl& control);

/// An experiment of the catalogue. Throws ArgumentError where the dump does not support it.
std::shared_ptr<const analysis::ExperimentOutcome> runExperiment(const JobContext& context, const ExperimentKey& key,
                                                                 const RunControl& control,
                                                                 const analysis::ExperimentLinks& links = {});

/// The key in the words of the analysis.
analysis::ComparisonParams comparisonParams(const ComparisonKey& key);

/// |q| and |k| of one head of one prompt, for the token maps.
struct HeadTensors {
    PromptIndex prompt;
    std::shared_ptr<const analysis::LoadedTensor> query, key;  ///< (positions, head_dim)
};
HeadTensors loadHeadTensors(const JobContext& context, LayerIndex layer, HeadIndex head, PromptIndex prompt,
                            const RunControl& control);

}  // namespace dimscope::app
