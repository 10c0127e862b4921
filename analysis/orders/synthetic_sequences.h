// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// A sequence that weights >= 0 with sum 1 cannot answer and zero-sum weights can: those that the ZeroS paper names
/// (two-token difference, difference from the mean, alternating differences), spelled out here.
struct SyntheticSequence {
    std::string name;    ///< "two-token-difference"
    std::string title;   ///< "Two-token difference"
    std::string target;  ///< "v_2 - v_1"
    Index positions = 0;
    int prompts = 0;
};

/// All of them; their targets, at the t-th of N positions:
/// two-token-difference: v_2 - v_1 at t = 2 (N = 2); difference-from-mean: v_t less the mean of v_1 .. v_t;
/// alternating-differences: v_t - v_(t-1) + v_(t-2) - ..., less the mean of v_1 .. v_t where t is odd, because the
/// signs sum to 1 there. All are 0 at t = 1.
const std::vector<SyntheticSequence>& syntheticSequences();

/// One such sequence as a dump of one head with 8 dimensions, in memory: seeded values, and queries and keys whose
/// logits (scale 1) are t times the weights of the target, so that the first-order part delta / t of softmax (section
/// 8) is the target's weights: zeros_sm with sigma1 = 1 and sigmah = 0 gives the target exactly. Values are multiples
/// of 1/16 in [-2, 2], equal in every program and on every machine; the last coordinate is 1, which every convex
/// combination keeps and every zero-sum one takes away: a target is at least 1 away from the values' hull.
class SyntheticSource : public HeadSource {
public:
    /// Throws ArgumentError for a name that is not among syntheticSequences().
    SyntheticSource(const std::string& name, std::uint64_t seed);

    const SyntheticSequence& sequence() const { return sequence_; }
    /// (positions, value_dim)
    const kernels::Matrix<double>& target(PromptIndex prompt) const {
        return targets_[static_cast<std::size_t>(prompt.value)];
    }

    const DumpInfo& info() const override { return info_; }
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex) override { return nullptr; }
    std::optional<double> sink(LayerIndex, HeadIndex) override { return std::nullopt; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(LayerIndex, const RunControl&) override {
        return nullptr;
    }

private:
    SyntheticSequence sequence_;
    DumpInfo info_;
    std::map<std::pair<TensorKind, int>, std::shared_ptr<const LoadedTensor>> tensors_;  // by kind and prompt
    std::vector<kernels::Matrix<double>> targets_;                                       // by prompt
};

}  // namespace dimscope::analysis
