// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/evaluation_params.h"
#include "kernels/evaluation.h"
#include "kernels/parameter_set.h"

namespace dimscope::analysis {

/// How the kernels of one layer are evaluated: what a person asked for, completed by a parameter file. The exact part
/// that a person names wins over the file's; the file's gate belongs to the file's exact part.
class LayerEvaluations {
public:
    /// `parameters` may be null. Throws ShapeError (gate or key_mean of another shape), FormatError, Cancelled.
    LayerEvaluations(const EvaluationParams& params, std::shared_ptr<const kernels::ParameterSet> parameters,
                     HeadSource& source, const LayerInfo& layer, Index length, std::vector<Warning>& warnings,
                     const RunControl& control);

    /// With the gate of the file where there is one, else 1.
    kernels::Evaluation of(const std::string& kernel, HeadIndex head) const;
    /// The exact part of a kernel has no gate yet.
    bool needsGate(const std::string& kernel) const;
    /// Prompts that gates are fitted on.
    const std::vector<PromptIndex>& train() const { return train_; }

private:
    struct FilePart {
        Index first = 0, window = 0;
        std::vector<double> gates;  // (n_heads); empty: none
    };
    void readFile(const kernels::ParameterSet& parameters, std::vector<Warning>& warnings);
    void readKeyMeans(const kernels::ParameterSet& parameters);
    void computeKeyMeans(HeadSource& source, Index length, const RunControl& control);
    void warnAboutRotation(std::vector<Warning>& warnings) const;

    EvaluationParams params_;
    LayerInfo layer_;
    std::vector<PromptIndex> train_;
    std::map<std::string, FilePart> file_;                                   // by kernel
    std::vector<std::shared_ptr<const std::vector<double>>> keyMeans_ = {};  // (KV heads); empty: keys stay
};

}  // namespace dimscope::analysis
