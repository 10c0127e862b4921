// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analysis/calibration/prompt_tensors.h"

namespace dimscope::analysis {

/// phi(q_i, k_j) of one prompt; the tensors outlive it.
class PairFeatures {
public:
    virtual ~PairFeatures() = default;
    /// (count, moments): query i against keys first .. first + count - 1.
    virtual void fill(kernels::Index i, kernels::Index first, kernels::Index count, Eigen::MatrixXd& phi) const = 0;
    /// Where phi_m(q, k) = a_m(q) b_m(k): a and b of every position, (positions, moments) each. Null: not so.
    struct Factors {
        Eigen::MatrixXd query, key;
    };
    virtual const Factors* factors() const { return nullptr; }
};

/// A kernel that is linear in coefficients: kappa_ij = sum_m c_m(theta) phi_m(q_i, k_j). All of section 5, TaylorShift
/// (section 4) and DiJiang (section 3) are, so a row's outputs for every theta follow from sums over its keys that are
/// taken once.
class LinearKernel {
public:
    virtual ~LinearKernel() = default;
    virtual kernels::Index moments() const = 0;
    virtual kernels::Index parameters() const = 0;
    virtual std::unique_ptr<PairFeatures> features(const PromptTensors& prompt) const = 0;
    virtual Eigen::VectorXd coefficients(const Eigen::VectorXd& theta) const = 0;
    virtual Eigen::MatrixXd derivative(const Eigen::VectorXd& theta) const = 0;  ///< (moments, parameters)
    /// sum_m weights_m d^2 c_m / dtheta^2, (parameters, parameters): what bends the error beside the residuals' slopes.
    virtual Eigen::MatrixXd curvature(const Eigen::VectorXd& theta, const Eigen::VectorXd& weights) const = 0;
    /// The same kernel with parameters of ordinary size, where a change of theta is without effect on the output.
    virtual Eigen::VectorXd gauged(const Eigen::VectorXd& theta) const { return theta; }
};

/// epsilon + |L^T (1, s_1, .., s_G)|^2 with theta = L, packed (section 5.1). Positive semi-definite for every theta.
/// `label`: (head_dim), group of each dimension; all 0: the global quadratic.
std::unique_ptr<LinearKernel> quadraticKernel(std::vector<int> label, double epsilon);
/// theta = tau.
std::unique_ptr<LinearKernel> taylorShiftKernel();
/// theta = log weights of the features of the draw `t`; `inverse`: C^T x, else C x.
std::unique_ptr<LinearKernel> diJiangKernel(std::vector<double> t, bool inverse);

}  // namespace dimscope::analysis
