// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/error_sums.h"

#include <Eigen/Core>
#include <cmath>

#include "analysis/head_source.h"

namespace dimscope::analysis {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Map = Eigen::Map<const RowMajor>;

Map mapped(const kernels::Matrix<double>& m) { return {m.data(), m.rows(), m.cols()}; }

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

ProjectedRows::ProjectedRows(const kernels::Matrix<double>& projection, Index rows, Index valueDim)
    : values_(rows, projection.cols()),
      projection_(projection),
      valueDim_(valueDim),
      bad_(static_cast<std::size_t>(rows), false) {}

void ProjectedRows::setOutput(Index head, const kernels::RowsOutput& output) {
    for (Index r = 0; r < output.values.rows(); ++r) {
        if (output.bad[static_cast<std::size_t>(r)] != 0) {
            bad_[static_cast<std::size_t>(r)] = true;
            continue;
        }
        for (Index c = 0; c < valueDim_; ++c) values_(r, head * valueDim_ + c) = output.values(r, c);
    }
}

void ProjectedRows::setError(Index head, const kernels::RowsOutput& exact, const kernels::RowsOutput& approximate) {
    for (Index r = 0; r < exact.values.rows(); ++r) {
        const auto n = static_cast<std::size_t>(r);
        if (exact.bad[n] != 0 || approximate.bad[n] != 0) {
            bad_[n] = true;
            continue;
        }
        for (Index c = 0; c < valueDim_; ++c)
            values_(r, head * valueDim_ + c) = approximate.values(r, c) - exact.values(r, c);
    }
}

std::vector<double> ProjectedRows::squaredNorms() const {
    const RowMajor projected = mapped(values_) * mapped(projection_).transpose();
    std::vector<double> norms;
    for (Eigen::Index r = 0; r < projected.rows(); ++r)
        norms.push_back(bad_[static_cast<std::size_t>(r)] ? kNaN : projected.row(r).squaredNorm());
    return norms;
}

std::vector<double> ProjectedRows::meanAbs() const {
    const RowMajor projected = mapped(values_) * mapped(projection_).transpose();
    std::vector<double> mean(static_cast<std::size_t>(projected.cols()), 0.0);
    double rows = 0.0;
    for (Eigen::Index r = 0; r < projected.rows(); ++r) {
        if (bad_[static_cast<std::size_t>(r)]) continue;
        rows += 1.0;
        for (Eigen::Index c = 0; c < projected.cols(); ++c)
            mean[static_cast<std::size_t>(c)] += std::abs(projected(r, c));
    }
    for (double& value : mean) value = rows > 0.0 ? value / rows : kNaN;
    return mean;
}

ErrorSums summed(const std::vector<double>& error, const std::vector<double>& energy, Index width) {
    ErrorSums sums;
    for (std::size_t r = 0; r < error.size(); ++r)
        if (!std::isnan(error[r]) && !std::isnan(energy[r])) sums += {error[r], energy[r], static_cast<double>(width)};
    return sums;
}

}  // namespace dimscope::analysis
