// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/calibration/linear_kernel.h"
#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using kernels::Index;
using kernels::packedIndex;

/// Products of two entries of (1, s_1, .., s_G), packed as L is; the first is the constant 1.
class GroupProducts : public PairFeatures {
public:
    GroupProducts(const std::vector<int>& label, int groups, const PromptTensors& prompt)
        : label_(label), groups_(groups), prompt_(prompt) {}

    void fill(Index i, Index first, Index count, Eigen::MatrixXd& phi) const override {
        Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(prompt_.key.cols(), groups_);
        for (Index r = 0; r < weights.rows(); ++r)
            weights(r, label_[static_cast<std::size_t>(r)]) = prompt_.scale * prompt_.query(i, r);
        const Eigen::MatrixXd sums = prompt_.key.middleRows(first, count) * weights;
        phi.resize(count, kernels::packedLength(groups_ + 1));
        phi.col(0).setOnes();
        for (int r = 1; r <= groups_; ++r) {
            phi.col(packedIndex(r, 0)) = sums.col(r - 1);
            for (int c = 1; c <= r; ++c) phi.col(packedIndex(r, c)) = sums.col(r - 1).cwiseProduct(sums.col(c - 1));
        }
    }

private:
    const std::vector<int>& label_;
    int groups_;
    const PromptTensors& prompt_;
};

class QuadraticKernel : public LinearKernel {
public:
    QuadraticKernel(std::vector<int> label, double epsilon)
        : label_(std::move(label)), groups_(*std::max_element(label_.begin(), label_.end()) + 1), epsilon_(epsilon) {}

    Index moments() const override { return kernels::packedLength(groups_ + 1); }
    Index parameters() const override { return moments(); }
    std::unique_ptr<PairFeatures> features(const PromptTensors& prompt) const override {
        return std::make_unique<GroupProducts>(label_, groups_, prompt);
    }

    /// Entries of M = L L^T, those off the diagonal twice.
    Eigen::VectorXd coefficients(const Eigen::VectorXd& theta) const override {
        const Eigen::MatrixXd factor = unpacked(theta);
        const Eigen::MatrixXd m = factor * factor.transpose();
        Eigen::VectorXd c(moments());
        for (int r = 0; r <= groups_; ++r)
            for (int q = 0; q <= r; ++q) c[packedIndex(r, q)] = (r == q ? 1.0 : 2.0) * m(r, q);
        c[0] += epsilon_;
        return c;
    }

    /// M_rq = sum_b L_rb L_qb, so dM_rq / dL_ab = [r = a] L_qb + [q = a] L_rb.
    Eigen::MatrixXd derivative(const Eigen::VectorXd& theta) const override {
        const Eigen::MatrixXd factor = unpacked(theta);
        Eigen::MatrixXd dc = Eigen::MatrixXd::Zero(moments(), moments());
        for (int r = 0; r <= groups_; ++r)
            for (int q = 0; q <= r; ++q) {
                const double twice = r == q ? 1.0 : 2.0;
                for (int b = 0; b <= r; ++b) dc(packedIndex(r, q), packedIndex(r, b)) += twice * factor(q, b);
                for (int b = 0; b <= q; ++b) dc(packedIndex(r, q), packedIndex(q, b)) += twice * factor(r, b);
            }
        return dc;
    }

    /// sum w_rq M_rq is a quadratic form in every column of L, the same one for all.
    Eigen::MatrixXd curvature(const Eigen::VectorXd&, const Eigen::VectorXd& weights) const override {
        Eigen::MatrixXd second = Eigen::MatrixXd::Zero(moments(), moments());
        for (int a = 0; a <= groups_; ++a)
            for (int b = 0; b <= groups_; ++b)
                for (int column = 0; column <= std::min(a, b); ++column)
                    second(packedIndex(a, column), packedIndex(b, column)) =
                        2.0 * weights[packedIndex(std::max(a, b), std::min(a, b))];
        return second;
    }

private:
    Eigen::MatrixXd unpacked(const Eigen::VectorXd& theta) const {
        Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(groups_ + 1, groups_ + 1);
        for (int r = 0; r <= groups_; ++r)
            for (int c = 0; c <= r; ++c) factor(r, c) = theta[packedIndex(r, c)];
        return factor;
    }
    std::vector<int> label_;
    int groups_;
    double epsilon_;
};

}  // namespace

std::unique_ptr<LinearKernel> quadraticKernel(std::vector<int> label, double epsilon) {
    return std::make_unique<QuadraticKernel>(std::move(label), epsilon);
}

}  // namespace dimscope::analysis
