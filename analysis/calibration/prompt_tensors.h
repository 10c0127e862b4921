// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <vector>

#include "kernels/types.h"

namespace dimscope::analysis {

/// One query head of one prompt in double precision, as fits walk over it. Padding is zero in key and value, so that
/// what stands there cannot reach a sum.
struct PromptTensors {
    explicit PromptTensors(const kernels::HeadInputs& inputs);

    Eigen::MatrixXd query, key;   ///< (rows, head_dim)
    Eigen::MatrixXd valueAndOne;  ///< (rows, value_dim + 1), the last column 1: sums of weights come with the outputs
    std::vector<std::uint8_t> valid;
    bool causal = true;
    kernels::Index window = 0;
    double scale = 1.0, softcap = 0.0;
    std::optional<double> sink;

    kernels::Index valueDim() const { return valueAndOne.cols() - 1; }
    /// Keys [first, first + count) hold every key that query i sees; `mask` is 1 for those, 0 for the others among
    /// them.
    struct Visible {
        kernels::Index first = 0, count = 0;
        Eigen::VectorXd mask;  // (count)
    };
    Visible visible(kernels::Index i) const;
    /// Output of exact attention at query i, softcap and sink included; (value_dim).
    Eigen::VectorXd exactRow(kernels::Index i, const Visible& keys) const;
};

}  // namespace dimscope::analysis
