// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/error_sums.h"

#include <Eigen/Core>
#include <limits>

namespace dimscope::analysis {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Map = Eigen::Map<const RowMajor>;

Map mapped(const kernels::Matrix<double>& m) { return {m.data(), m.rows(), m.cols()}; }

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double ErrorSums::relMse() const { return energy > 0.0 ? error / energy : kNaN; }

ErrorSums& ErrorSums::operator+=(const ErrorSums& other) {
    error += other.error;
    energy += other.energy;
    values += other.values;
    return *this;
}

RowSums rowSums(const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate) {
    RowSums sums;
    for (Index r = 0; r < exact.values.rows(); ++r) {
        const auto n = static_cast<std::size_t>(r);
        const bool bad = exact.bad[n] != 0 || approximate.bad[n] != 0;
        const auto y = mapped(exact.values).row(r);
        sums.error.push_back(bad ? kNaN : (mapped(approximate.values).row(r) - y).squaredNorm());
        sums.energy.push_back(bad ? kNaN : y.squaredNorm());
    }
    return sums;
}

ProjectedError::ProjectedError(const kernels::Matrix<double>& projection, Index rows, Index valueDim)
    : projection_(projection),
      valueDim_(valueDim),
      error_(rows, projection.cols()),
      exact_(rows, projection.cols()),
      bad_(static_cast<std::size_t>(rows), false) {}

void ProjectedError::setHead(Index head, const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate) {
    for (Index r = 0; r < exact.values.rows(); ++r) {
        const auto n = static_cast<std::size_t>(r);
        if (exact.bad[n] != 0 || approximate.bad[n] != 0) {
            bad_[n] = true;
            continue;
        }
        for (Index c = 0; c < valueDim_; ++c) {
            exact_(r, head * valueDim_ + c) = exact.values(r, c);
            error_(r, head * valueDim_ + c) = approximate.values(r, c) - exact.values(r, c);
        }
    }
}

ErrorSums ProjectedError::sums() const {
    const RowMajor error = mapped(error_) * mapped(projection_).transpose();
    const RowMajor exact = mapped(exact_) * mapped(projection_).transpose();
    ErrorSums sums;
    for (Eigen::Index r = 0; r < error.rows(); ++r)
        if (!bad_[static_cast<std::size_t>(r)])
            sums += {error.row(r).squaredNorm(), exact.row(r).squaredNorm(), static_cast<double>(error.cols())};
    return sums;
}

}  // namespace dimscope::analysis
