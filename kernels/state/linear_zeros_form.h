// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

#include "kernels/state/feature_form.h"

namespace dimscope::kernels::state {

/// What linear_zeros (section 8) carries beside its sums.
struct RadialState {
    Eigen::RowVectorXd keySum;  ///< (head_dim) e^tau mu and the valid keys so far; empty: nothing seen
    double keyCount = 0.0;      ///< e^tau and their number
    // Of the radial logits s of the keys absorbed:
    double count = 0.0, sum = 0.0;
    double exponentials = 0.0;      ///< sum of exp(s - largest)
    std::optional<double> largest;  ///< of all keys seen
};

/// Logits s_j = -scale k_j.ubar_j of the tokens; carries the running mean of the keys on.
template <class T>
std::vector<double> radialLogits(const LinearZeros& spec, const Tokens<T>& tokens, double scale, RadialState& state);

/// Weights of the zero-sum kernel as a sum over 3 d features: khat, s khat, exp(s - m) khat, whose factors in a row
/// follow from count, sum and sum of exponentials of the keys that the row sees. m is the largest logit seen so far, so
/// rows whose own logits all lie 700 below it are lost.
template <class T>
class LinearZerosForm : public FeatureForm<T> {
public:
    /// `usable`: (tokens) 1 where a key counts; row i sees the keys up to i - delay. `absorbed`: tokens before this one
    /// are in `state` already. Carries `state` on to what the last row sees.
    LinearZerosForm(const LinearZeros& spec, const Tokens<T>& tokens, std::span<const std::uint8_t> usable, Index delay,
                    Index absorbed, Index firstQuery, RadialState& state);

    Index features() const override { return 3 * dim_; }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override;
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override;
    bool normalised() const override { return false; }
    /// Factor of what the sums of exp(s - m) khat hold from before, whose m was smaller.
    double rescale() const { return rescale_; }

private:
    struct Factors {
        double constant = 0.0, linear = 0.0, exponential = 0.0;
    };
    Index dim_;
    double largest_ = 0.0, rescale_ = 1.0;
    std::vector<Factors> factors_;  // (tokens)
};

}  // namespace dimscope::kernels::state
