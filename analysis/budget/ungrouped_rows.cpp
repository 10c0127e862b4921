// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/budget/ungrouped_rows.h"

#include <algorithm>

#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::packedIndex;

constexpr Index kChunkRows = 16;  // rows of one task, whatever the number of threads

/// Products of two entries of (1, x), packed: rows of x are points.
MatrixXd packedProducts(const MatrixXd& x) {
    const auto dim = static_cast<int>(x.cols());
    MatrixXd products(x.rows(), kernels::packedLength(dim + 1));
    products.col(0).setOnes();
    for (int r = 1; r <= dim; ++r) {
        products.col(packedIndex(r, 0)) = x.col(r - 1);
        for (int c = 1; c <= r; ++c) products.col(packedIndex(r, c)) = x.col(r - 1).cwiseProduct(x.col(c - 1));
    }
    return products;
}

/// sum_j products(k_j) (v_j, 1) over the keys that a query sees; causal heads without a window visit each key once.
class ProductSums {
public:
    explicit ProductSums(const PromptTensors& prompt) : prompt_(prompt), grows_(prompt.causal && prompt.window == 0) {}

    const MatrixXd& of(Index i, const PromptTensors::Visible& keys) {
        if (!grows_) {
            sums_ = between(keys.first, keys.count, keys.mask);
            return sums_;
        }
        if (sums_.size() == 0) sums_ = between(0, 0, VectorXd());
        while (summed_ <= i) {
            const Index more = std::min<Index>(kChunkRows, i + 1 - summed_);
            VectorXd mask(more);
            for (Index j = 0; j < more; ++j)
                mask[j] =
                    prompt_.valid.empty() || prompt_.valid[static_cast<std::size_t>(summed_ + j)] != 0 ? 1.0 : 0.0;
            sums_ += between(summed_, more, mask);
            summed_ += more;
        }
        return sums_;
    }

private:
    MatrixXd between(Index first, Index count, const VectorXd& mask) const {
        MatrixXd products = packedProducts(prompt_.key.middleRows(first, count));
        if (count > 0) products.array().colwise() *= mask.array();
        return products.transpose() * prompt_.valueAndOne.middleRows(first, count);
    }
    const PromptTensors& prompt_;
    bool grows_;
    MatrixXd sums_;  // (moments, value_dim + 1)
    Index summed_ = 0;
};

}  // namespace

std::size_t UngroupedRows::bytesPerRow(Index headDim, Index valueDim) {
    return static_cast<std::size_t>(kernels::packedLength(static_cast<int>(headDim) + 1)) *
           static_cast<std::size_t>(valueDim + 1) * sizeof(float);
}

void UngroupedRows::add(const PromptTensors& prompt, const std::vector<Index>& rows, const RunControl& control) {
    ProductSums sums(prompt);
    for (std::size_t n = 0; n < rows.size(); ++n) {  // ascending
        control.throwIfCancelled();
        const Index i = rows[n];
        const PromptTensors::Visible keys = prompt.visible(i);
        const double seen = keys.mask.sum();
        if (!(seen > 0.0)) continue;
        const VectorXd exact = prompt.exactRow(i, keys);
        const VectorXd query = packedProducts(prompt.scale * prompt.query.row(i)).row(0).transpose() / seen;
        const MatrixXd row = query.asDiagonal() * sums.of(i, keys);
        const VectorXd mass = row.col(prompt.valueDim());
        const MatrixXd error = row.leftCols(prompt.valueDim()) - mass * exact.transpose();
        if (!error.allFinite()) continue;
        errors_.push_back(error.transpose().cast<float>());
        masses_.push_back(mass.cast<float>());
        control.report(static_cast<float>(n + 1) / static_cast<float>(rows.size()));
    }
}

double UngroupedRows::mse(const VectorXd& c, VectorXd* gradient, kernels::cpu::WorkerPool& pool) const {
    const Index chunks = (count() + kChunkRows - 1) / kChunkRows;
    const Eigen::VectorXf coefficients = c.cast<float>();
    std::vector<double> sums(static_cast<std::size_t>(chunks), 0.0);
    std::vector<VectorXd> slopes(gradient != nullptr ? sums.size() : 0);
    pool.run(chunks, RunControl(), [&](Index chunk) {
        const auto n = static_cast<std::size_t>(chunk);
        if (gradient != nullptr) slopes[n] = VectorXd::Zero(c.size());
        for (Index r = chunk * kChunkRows; r < std::min(count(), (chunk + 1) * kChunkRows); ++r) {
            const Eigen::MatrixXf& error = errors_[static_cast<std::size_t>(r)];
            const Eigen::VectorXf& mass = masses_[static_cast<std::size_t>(r)];
            const double denominator = mass.cast<double>().dot(c);
            const VectorXd residual = (error * coefficients).cast<double>() / denominator;
            sums[n] += residual.squaredNorm();
            if (gradient == nullptr) continue;
            const Eigen::VectorXf weights = (residual * (2.0 / denominator)).cast<float>();
            slopes[n] += (error.transpose() * weights).cast<double>() -
                         (2.0 * residual.squaredNorm() / denominator) * mass.cast<double>();
        }
    });
    const double values = static_cast<double>(count()) * static_cast<double>(errors_.front().rows());
    double sum = 0.0;
    for (const double part : sums) sum += part;
    if (gradient != nullptr) {
        gradient->setZero(c.size());
        for (const VectorXd& slope : slopes) *gradient += slope / values;
    }
    return sum / values;
}

}  // namespace dimscope::analysis
