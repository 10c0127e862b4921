// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "analysis/calibration/feature_map.h"
#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Index;
using kernels::SpectraFormer;

/// Sylvester's matrix, entries +-1; `size` is a power of two.
MatrixXd hadamardMatrix(Index size) {
    MatrixXd h = MatrixXd::Ones(1, 1);
    while (h.rows() < size) {
        const Index n = h.rows();
        MatrixXd twice(2 * n, 2 * n);
        twice << h, h, h, -h;
        h = std::move(twice);
    }
    return h;
}

class SpectraFormerMap : public FeatureMap {
public:
    SpectraFormerMap(const SpectraFormer& spec, double scale)
        : spec_(spec), dim_(static_cast<Index>(spec.b->size())), hadamard_(hadamardMatrix(dim_)) {
        const double upstream = spec.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(scale) : 1.0;
        factor_ = std::sqrt(scale) * upstream / std::sqrt(static_cast<double>(dim_));
        permuted_.resize(dim_, dim_);
        for (Index g = 0; g < dim_; ++g)
            permuted_.row(g) = hadamard_.row((*spec.permutation)[static_cast<std::size_t>(g)]);
    }

    Index parameters() const override { return 3 * dim_; }

    /// factor S H G Pi H B.
    Maps maps(const VectorXd& theta) const override {
        const MatrixXd rows = factor_ * theta.tail(dim_).asDiagonal() * unscaled(theta);
        return {rows, rows};
    }

    VectorXd slopes(const VectorXd& theta, const Maps& ofMaps) const override {
        const MatrixXd sum = factor_ * (ofMaps.query + ofMaps.key);
        const auto b = theta.head(dim_), g = theta.segment(dim_, dim_), s = theta.tail(dim_);
        const MatrixXd inner = (hadamard_ * s.asDiagonal() * sum).cwiseProduct(permuted_);  // H is symmetric
        VectorXd out(3 * dim_);
        out.head(dim_) = inner.transpose() * g;
        out.segment(dim_, dim_) = inner * b;
        out.tail(dim_) = sum.cwiseProduct(unscaled(theta)).rowwise().sum();
        return out;
    }

    VectorXd sharpness(const PromptTensors& prompt) const override {
        const auto d = static_cast<double>(dim_);
        if (spec_.statistic == SpectraFormer::Statistic::Position)
            return (prompt.query + prompt.key).rowwise().squaredNorm().unaryExpr([&](double norm) {
                return kernels::oprfSharpness(prompt.scale * norm, d);
            });
        const double phi = spec_.statistic == SpectraFormer::Statistic::Calibrated ? spec_.phi : sequencePhi(prompt);
        return VectorXd::Constant(prompt.key.rows(), kernels::oprfSharpness(phi, d));
    }

    MatrixXd features(const MatrixXd& z, const VectorXd& sharpness) const override {
        MatrixXd out(z.rows(), dim_ + 1);
        out.leftCols(dim_) = z;
        out.rightCols(1).setOnes();
        out.colwise() -= out.rowwise().maxCoeff().eval();
        return (out.array().colwise() * sharpness.array()).exp() + spec_.epsilon;
    }

    /// phi_f = exp(beta (z_f - z_max)) + epsilon; the maximum is part of it, the constant feature has no z.
    MatrixXd slopesOfInputs(const MatrixXd& z, const VectorXd& sharpness, const MatrixXd& features,
                            const MatrixXd& ofFeatures) const override {
        const MatrixXd all = ((features.array() - spec_.epsilon) * ofFeatures.array()).colwise() * sharpness.array();
        MatrixXd out = all.leftCols(dim_);
        for (Index i = 0; i < z.rows(); ++i) {
            Index largest = 0;
            if (z.row(i).maxCoeff(&largest) > 1.0) out(i, largest) -= all.row(i).sum();
        }
        return out;
    }

private:
    /// H G Pi H B.
    MatrixXd unscaled(const VectorXd& theta) const {
        return hadamard_ * theta.segment(dim_, dim_).asDiagonal() * permuted_ * theta.head(dim_).asDiagonal();
    }

    /// Mean of |u_q + u_k|^2 over all pairs of valid positions, u = sqrt(scale) x.
    static double sequencePhi(const PromptTensors& prompt) {
        double positions = 0.0, squares = 0.0;
        VectorXd query = VectorXd::Zero(prompt.query.cols()), key = query;
        for (Index i = 0; i < prompt.query.rows(); ++i) {
            if (!prompt.valid.empty() && prompt.valid[static_cast<std::size_t>(i)] == 0) continue;
            positions += 1.0;
            squares += prompt.query.row(i).squaredNorm() + prompt.key.row(i).squaredNorm();
            query += prompt.query.row(i);
            key += prompt.key.row(i);
        }
        return prompt.scale * (squares / positions + 2.0 * query.dot(key) / (positions * positions));
    }

    SpectraFormer spec_;
    Index dim_;
    MatrixXd hadamard_, permuted_;  // (head_dim, head_dim): H and Pi H
    double factor_ = 1.0;
};

}  // namespace

std::unique_ptr<FeatureMap> spectraFormerMap(const SpectraFormer& spec, double scale) {
    return std::make_unique<SpectraFormerMap>(spec, scale);
}

VectorXd spectraFormerParameters(const SpectraFormer& spec) {
    const auto d = static_cast<Index>(spec.b->size());
    VectorXd theta(3 * d);
    theta << Eigen::Map<const VectorXd>(spec.b->data(), d), Eigen::Map<const VectorXd>(spec.g->data(), d),
        Eigen::Map<const VectorXd>(spec.s->data(), d);
    return theta;
}

SpectraFormer withParameters(SpectraFormer spec, const VectorXd& theta) {
    const Index d = theta.size() / 3;
    const auto part = [&](Index n) {
        const VectorXd values = theta.segment(n * d, d);
        return std::make_shared<const std::vector<double>>(values.begin(), values.end());
    };
    spec.b = part(0);
    spec.g = part(1);
    spec.s = part(2);
    return spec;
}

}  // namespace dimscope::analysis
