// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bench/bench.h"
#include "kernels/sequence_operators.h"

namespace dimscope::analysis {

/// What the jobs of one bench run work on.
struct BenchInputs {
    const BenchParams& params;
    const KernelFactory& factory;
    HeadSource& source;
    const LayerInfo& layer;
    kernels::Backend& backend;
    bool skipUnsupported;
    BenchResult& result;  ///< rows and warnings go here

    kernels::HeadShape shape(Index positions) const { return {positions, layer.headDim, layer.valueDim}; }
    /// One specification per query head. Empty: the layer cannot have the kernel, and a warning says so; where it was
    /// named a ShapeError.
    std::vector<kernels::KernelSpec> specsOf(const std::string& kernel) const;
    void warn(const std::string& code, const std::string& kernel, const std::string& text) const;
};

/// The tensors of a layer in one piece per head, in float as operators take them, with room for the outputs.
class BenchTensors {
public:
    /// The first `positions` positions. Throws ArgumentError where some of them are not valid or not causal.
    BenchTensors(const BenchInputs& inputs, Index positions, const RunControl& control);

    /// The first `positions` of them.
    kernels::SequenceTensors sequence(Index positions);
    /// One head of them, as a backend takes it.
    kernels::HeadInputs head(HeadIndex head, Index positions) const;
    const kernels::Matrix<float>& output(HeadIndex head) const { return output_[static_cast<std::size_t>(head.value)]; }

private:
    LayerInfo layer_;
    std::vector<kernels::Matrix<float>> query_, key_, value_, output_;
};

// The jobs; each adds its rows. Operators run on `operators`.
void benchOperators(const BenchInputs& inputs, kernels::SequenceOperators& operators, const RunControl& control);
void benchComparison(const BenchInputs& inputs, const RunControl& control);
void benchProfile(const BenchInputs& inputs, const RunControl& control);
void benchCalibration(const BenchInputs& inputs, const RunControl& control);

}  // namespace dimscope::analysis
