// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "analysis/calibration/linear_kernel.h"
#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using kernels::Index;

/// 1, u and u^2 of the cosine u of query and key, norms floored at 1e-12 (section 4).
class CosinePowers : public PairFeatures {
public:
    explicit CosinePowers(const PromptTensors& prompt) : query_(unitRows(prompt.query)), key_(unitRows(prompt.key)) {}

    void fill(Index i, Index first, Index count, Eigen::MatrixXd& phi) const override {
        phi.resize(count, 3);
        phi.col(0).setOnes();
        phi.col(1) = key_.middleRows(first, count) * query_.row(i).transpose();
        phi.col(2) = phi.col(1).cwiseAbs2();
    }

private:
    static Eigen::MatrixXd unitRows(const Eigen::MatrixXd& x) {
        return x.array().colwise() / x.rowwise().norm().cwiseMax(1e-12).array();
    }
    Eigen::MatrixXd query_, key_;
};

class TaylorShiftFit : public LinearKernel {
public:
    Index moments() const override { return 3; }
    Index parameters() const override { return 1; }
    std::unique_ptr<PairFeatures> features(const PromptTensors& prompt) const override {
        return std::make_unique<CosinePowers>(prompt);
    }
    Eigen::VectorXd coefficients(const Eigen::VectorXd& theta) const override {
        return Eigen::Vector3d(1.0, theta[0], 0.5 * theta[0] * theta[0]);
    }
    Eigen::MatrixXd derivative(const Eigen::VectorXd& theta) const override {
        return Eigen::Vector3d(0.0, 1.0, theta[0]);
    }
    Eigen::MatrixXd curvature(const Eigen::VectorXd&, const Eigen::VectorXd& weights) const override {
        return Eigen::MatrixXd::Constant(1, 1, weights[2]);
    }
};

/// sigma_f(P^T q') sigma_f(P^T k') for every f (section 3).
class SoftmaxProducts : public PairFeatures {
public:
    SoftmaxProducts(const Eigen::MatrixXd& projection, const PromptTensors& prompt)
        : factors_{features(std::sqrt(prompt.scale) * prompt.query * projection),
                   features(std::sqrt(prompt.scale) * prompt.key * projection)} {}

    void fill(Index i, Index first, Index count, Eigen::MatrixXd& phi) const override {
        phi = factors_.key.middleRows(first, count).array().rowwise() * factors_.query.row(i).array();
    }
    const Factors* factors() const override { return &factors_; }

private:
    static Eigen::MatrixXd features(Eigen::MatrixXd z) {
        z.colwise() -= z.rowwise().maxCoeff().eval();
        z = z.array().exp();
        return z.array().colwise() / z.rowwise().sum().array();
    }
    Factors factors_;
};

class DiJiangFit : public LinearKernel {
public:
    DiJiangFit(const std::vector<double>& t, bool inverse)
        : projection_(static_cast<Index>(t.size()), static_cast<Index>(t.size())) {
        const auto d = static_cast<int>(t.size());
        for (int k = 0; k < d; ++k)
            for (int n = 0; n < d; ++n)
                projection_(k, n) = t[static_cast<std::size_t>(n)] *
                                    (inverse ? kernels::dctEntry(k, n, d) : kernels::dctEntry(n, k, d));
    }
    Index moments() const override { return projection_.cols(); }
    Index parameters() const override { return projection_.cols(); }
    std::unique_ptr<PairFeatures> features(const PromptTensors& prompt) const override {
        return std::make_unique<SoftmaxProducts>(projection_, prompt);
    }
    Eigen::VectorXd coefficients(const Eigen::VectorXd& theta) const override {
        return (2.0 * (theta.array() - theta.maxCoeff())).exp();
    }
    /// The constant that the largest entry takes out is a gauge: it cancels in the output, so its derivative is left
    /// out.
    Eigen::MatrixXd derivative(const Eigen::VectorXd& theta) const override {
        return Eigen::MatrixXd((2.0 * coefficients(theta)).asDiagonal());
    }
    Eigen::MatrixXd curvature(const Eigen::VectorXd& theta, const Eigen::VectorXd& weights) const override {
        return Eigen::MatrixXd((4.0 * coefficients(theta).cwiseProduct(weights)).asDiagonal());
    }
    /// Largest weight 1 and none below exp(-40): beyond that a feature adds nothing that double could hold.
    Eigen::VectorXd gauged(const Eigen::VectorXd& theta) const override {
        return (theta.array() - theta.maxCoeff()).max(-20.0);
    }

private:
    Eigen::MatrixXd projection_;  // (head_dim, features)
};

}  // namespace

std::unique_ptr<LinearKernel> taylorShiftKernel() { return std::make_unique<TaylorShiftFit>(); }

std::unique_ptr<LinearKernel> diJiangKernel(std::vector<double> t, bool inverse) {
    return std::make_unique<DiJiangFit>(t, inverse);
}

}  // namespace dimscope::analysis
