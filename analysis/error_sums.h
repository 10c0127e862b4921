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

/// Rows of all heads of one layer and prompt side by side, then through W_o. One of these holds the exact outputs for
/// all kernels, one per draw its errors.
class ProjectedRows {
public:
    /// `projection`: (model_dim, heads * value_dim); it outlives this.
    ProjectedRows(const kernels::Matrix<double>& projection, Index rows, Index valueDim);
    void setOutput(Index head, const kernels::RowsOutput& output);
    void setError(Index head, const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate);
    /// Squared norm of every projected row; NaN where the row is bad in any head.
    std::vector<double> squaredNorms() const;
    /// (model_dim) mean of |x| over the rows that are bad in no head; NaN where there is none.
    std::vector<double> meanAbs() const;

private:
    kernels::Matrix<double> values_;  // (rows, heads * value_dim)
    const kernels::Matrix<double>& projection_;
    Index valueDim_;
    std::vector<bool> bad_;  // (rows)
};

/// Sums over the rows that are bad in neither; `width` coordinates each.
ErrorSums summed(const std::vector<double>& error, const std::vector<double>& energy, Index width);

}  // namespace dimscope::analysis
