// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

/// kappa = sum_f exp(l_f(q) + l_f(k)), where l = x P + (something per token): products of features exp(l - shift),
/// shift the largest l of the token.
class LogFeatureRows : public RowKernel {
public:
    RowForm form() const override { return RowForm::LogKernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override;

protected:
    /// weights: (features, head_dim), scale folded in. queryBias: (features), added to the query's logarithms.
    LogFeatureRows(const FloatHead& head, const RowMajor<double>& weights, const Eigen::RowVectorXd& queryBias);
    /// What is added to the natural logarithm of every key, from its shift and the sum of its features.
    virtual double keyOffset(Index key, double shift, double sum) const = 0;
    const FloatHead& head() const { return head_; }

private:
    // Logarithms are to base 2, because its powers cost half of those of e.

    /// Some tokens: 2^(l - shift), with the sums of the rows.
    struct Features {
        RowMajor<float> values;  // (tokens, features padded)
        Eigen::VectorXf shift, sums;
        double naturalShift(Index token) const;
    };
    RowMajor<float> queryLogs(std::span<const Index> rows) const;
    /// `tokens.values` from l to the features.
    void exponentiate(Features& tokens) const;
    void project(const MatrixView<float>& x, const Eigen::RowVectorXf& bias, RowMajor<float>& logs) const;
    MatrixView<float> unpadded(const RowMajor<float>& x) const {
        return {x.data(), x.rows(), weights_.rows(), x.cols()};
    }
    void redo(std::span<const Index> rows, Index first, const Features& keys, const Features& query,
              MatrixSpan<double> out) const;

    const FloatHead& head_;
    PackedRows weights_;
    Eigen::RowVectorXf queryBias_, keyBias_;  // (features padded), -infinity behind the last feature
};

}  // namespace dimscope::kernels::cpu
