// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

/// kappa = sum_f exp(l_f(q) + l_f(k)), where l = x P + (something per token): products of features exp(l - shift),
/// shift the largest l of the token. Filled with kappa as long as that fits a double, else with its logarithm.
class LogFeatureRows : public RowKernel {
public:
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override;

protected:
    /// weights: (features, head_dim), scale folded in. queryBias: (features), added to the query's logarithms.
    LogFeatureRows(const FloatHead& head, const RowMajor<double>& weights, const Eigen::RowVectorXd& queryBias);
    /// What is added to the natural logarithm of every key, from its shift and the sum of its features.
    virtual double keyOffset(Index key, double shift, double sum) const = 0;
    const FloatHead& head() const { return head_; }

private:
    // Logarithms are to base 2, because its powers cost half of those of e.

    /// Some tokens side by side: their logarithms l and the features 2^(l - shift), panel by panel.
    struct Features {
        std::vector<float> panels;       // (panels, features, lanes)
        std::vector<float> shift, sums;  // (tokens padded)
        double naturalShift(Index token) const;
    };
    Index features() const { return queryWeights_.rows(); }
    /// Queries with a last column of ones, which the biases stand for.
    PackedRows packedQueries(std::span<const Index> rows) const;
    void packKeys(Index first, Index count, PackedRows& keys) const;
    enum class As { Logarithms, Powers };
    /// Panel by panel, so that its logarithms are in the L1 cache when they become powers.
    void project(const PackedRows& tokens, const RowMajor<float>& weights, Features& out, As what) const;
    /// One row per token.
    RowMajor<float> byToken(const Features& tokens, Index count) const;
    /// out(i, j) = features of query i . features of key j, from query `firstRow` on.
    void products(const RowMajor<float>& query, Index firstRow, const Features& keys, MatrixSpan<double> out) const;
    /// Natural logarithm of what the products with each key lack, (keys of the block) less `reference`.
    std::vector<double> offsets(const Features& keys, Index first, Index count, double reference) const;
    bool scale(const std::vector<double>& offset, Index firstRow, MatrixSpan<double> products) const;
    void toLogarithms(MatrixSpan<double> kappa) const;
    void redo(std::span<const Index> rows, Index first, const Features& keys, const Features& query,
              const std::vector<double>& offset, MatrixSpan<double> out) const;

    const FloatHead& head_;
    RowMajor<float> queryWeights_;                  // (features, head_dim + 1)
    std::optional<std::vector<Index>> keyColumns_;  // where few are not 0 throughout
    RowMajor<float> keyWeights_;                    // (features, columns of keys)
};

}  // namespace dimscope::kernels::cpu
