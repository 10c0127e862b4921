// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Rungs of the Gaussian ladder: from independent noise to the head's own queries and keys turned or shuffled. Values
/// always stay.
enum class ControlRung {
    Gaussian,    ///< q per query head and k per KV head iid N(0, 1): the paper's control
    LogitScale,  ///< iid, q scaled so that the logits have the head's standard deviation
    Moments,     ///< the head's mean and variance of every dimension
    Covariance,  ///< the head's mean and full covariance
    Rotation,    ///< one random rotation per layer, applied to q and k: all logits stay
    Shuffle,     ///< positions of q per query head and of k per KV head in random order
};

/// All of them, in this order.
const std::vector<ControlRung>& ladder();

/// "gaussian", "logit-scale", "moments", "covariance", "rotation", "shuffle".
std::string_view rungName(ControlRung rung);

/// A dump whose queries and keys are replaced, drawn anew for every prompt and keyed by (seed, layer, prompt, head);
/// the source outlives it. Positions that are not valid keep what they hold.
std::unique_ptr<HeadSource> controlSource(ControlRung rung, HeadSource& source, std::uint64_t seed);

}  // namespace dimscope::analysis
