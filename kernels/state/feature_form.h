// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "kernels/kernel_spec.h"
#include "kernels/state/tokens.h"

namespace dimscope::kernels::state {

/// A kernel as a sum over features: kappa_ij = sum_f phi_f(q_i) psi_f(k_j). T: float or double.
template <class T>
class FeatureForm {
public:
    virtual ~FeatureForm() = default;
    virtual Index features() const = 0;
    /// (count, features) of the tokens [from, from + count): psi of their keys, phi of their queries.
    virtual RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const = 0;
    virtual RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const = 0;

    /// Both are logarithms of positive features, of any size.
    virtual bool logarithmic() const { return false; }
    /// The weight of a key falls by this factor with every position.
    virtual double decay() const { return 1.0; }
    /// False: the sums are the output.
    virtual bool normalised() const { return true; }
    /// What a row is divided by, from the sum of its kappa.
    virtual T denominator(T sum) const { return sum; }
};

template <class T>
using FormPointer = std::unique_ptr<FeatureForm<T>>;

/// `sequence`: all tokens, for the kernels that need one constant of them; scale of the logit.
/// Null: the kernel has no linear-time form. linear_zeros has its own (linear_zeros_form.h).
template <class T>
FormPointer<T> makeFeatureForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale);

// Parts of makeFeatureForm, one file each; null: not one of theirs.
template <class T>
FormPointer<T> makePlainForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale);
template <class T>
FormPointer<T> makeSecondOrderForm(const KernelSpec& spec, Index headDim, double scale);
template <class T>
FormPointer<T> makeLogForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale);

/// Mean of |u_q + u_k|^2 over all pairs of valid tokens, u = sqrt(scale) x (section 2.1).
template <class T>
double sequencePhi(const Tokens<T>& sequence, double scale);

}  // namespace dimscope::kernels::state
