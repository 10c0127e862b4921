// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/backend.h"

namespace dimscope::analysis {

using kernels::Index;

/// Sums of squared errors and of squared exact outputs over the same rows.
struct ErrorSums {
    double error = 0.0, energy = 0.0;
    double values = 0.0;  ///< coordinates summed over
    double mse() const { return error / values; }
    /// NaN where nothing was summed or the exact output is 0 everywhere.
    double relMse() const;
    ErrorSums& operator+=(const ErrorSums& other);
};

/// Row by row sums of one kernel draw against exact attention: rows that are bad in either are NaN.
struct RowSums {
    std::vector<double> error, energy;
};
RowSums rowSums(const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate);

/// Errors and exact outputs of all heads of one layer and prompt side by side, then through W_o.
class ProjectedError {
public:
    /// `projection`: (model_dim, heads * value_dim).
    ProjectedError(const kernels::Matrix<double>& projection, Index rows, Index valueDim);
    void setHead(Index head, const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate);
    ErrorSums sums() const;

private:
    const kernels::Matrix<double>& projection_;
    Index valueDim_;
    kernels::Matrix<double> error_, exact_;  // (rows, heads * value_dim)
    std::vector<bool> bad_;                  // (rows)
};

}  // namespace dimscope::analysis
