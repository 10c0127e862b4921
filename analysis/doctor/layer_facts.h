// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/doctor/doctor.h"
#include "analysis/doctor/tensor_facts.h"

namespace dimscope::analysis {

struct PromptRuns {
    PromptIndex prompt;
    EdgeRuns runs;  ///< that all KV heads have which are not all zero
};

/// How the keys' fastest pair of dimensions lies, median over KV heads and prompts (rotary.h: fastPairDrift).
struct RotationEvidence {
    double stored = kNaN;      ///< as stored
    double turnedBack = kNaN;  ///< after turning back by the layer's form, the larger of both layouts
};

struct OutputFacts {
    std::vector<OutputReading> readings;  ///< nearest first
    double residual = kNaN;               ///< of the stated reading, at all rows
    Index rows = 0;                       ///< (prompt, head, row)
};

/// All that the checks of one layer are made from.
struct LayerFacts {
    LayerInfo layer;
    std::vector<std::string> unreadable;  ///< what could not be read, and why
    std::vector<TensorFacts> tensors;     ///< every head of q, k, v and o
    std::vector<PromptRuns> runs;
    double logitSpread = kNaN;  ///< median over heads of the RMS over rows of the logits' standard deviation in a row
    RotationEvidence rotation;
    std::vector<AttentionSink> sinks;
    std::vector<HeadSinkMass> masses;
    OutputFacts output;

    /// Largest over the heads of a kind; 0 without one.
    int mantissaBits(TensorKind kind) const;
};

LayerFacts factsOf(const DoctorParams& params, const std::vector<PromptIndex>& prompts, const LayerInfo& layer,
                   HeadSource& source, kernels::Backend& backend, const RunControl& control);

}  // namespace dimscope::analysis
