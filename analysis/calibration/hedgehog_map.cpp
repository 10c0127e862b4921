// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/feature_map.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Hedgehog;
using kernels::Index;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kFloor = 1e-12;  // of a feature, in the form of LoLCATs

MatrixXd softmaxRows(MatrixXd z) {
    z.colwise() -= z.rowwise().maxCoeff().eval();
    z = z.array().exp();
    return z.array().colwise() / z.rowwise().sum().array();
}

/// Derivative with respect to the logits of p = softmax, from that with respect to p.
MatrixXd throughSoftmax(const MatrixXd& p, const MatrixXd& ofP) {
    return p.array() * (ofP.colwise() - p.cwiseProduct(ofP).rowwise().sum()).array();
}

class HedgehogMap : public FeatureMap {
public:
    HedgehogMap(Hedgehog::Variant variant, Index dim) : fla_(variant == Hedgehog::Variant::Fla), dim_(dim) {}

    Index parameters() const override { return 2 * dim_ * dim_; }

    Maps maps(const VectorXd& theta) const override {
        return {Eigen::Map<const RowMajor>(theta.data(), dim_, dim_),
                Eigen::Map<const RowMajor>(theta.data() + dim_ * dim_, dim_, dim_)};
    }

    VectorXd slopes(const VectorXd&, const Maps& ofMaps) const override {
        VectorXd out(parameters());
        Eigen::Map<RowMajor>(out.data(), dim_, dim_) = ofMaps.query;
        Eigen::Map<RowMajor>(out.data() + dim_ * dim_, dim_, dim_) = ofMaps.key;
        return out;
    }

    VectorXd sharpness(const PromptTensors&) const override { return {}; }

    MatrixXd features(const MatrixXd& z, const VectorXd&) const override {
        MatrixXd out(z.rows(), 2 * dim_);
        if (fla_) {
            out << 2.0 * z, -2.0 * z;
            return softmaxRows(std::move(out));
        }
        out << softmaxRows(z), softmaxRows(-z);
        return out.cwiseMax(kFloor);
    }

    MatrixXd slopesOfInputs(const MatrixXd&, const VectorXd&, const MatrixXd& features,
                            const MatrixXd& ofFeatures) const override {
        if (fla_) {
            const MatrixXd both = 2.0 * throughSoftmax(features, ofFeatures);
            return both.leftCols(dim_) - both.rightCols(dim_);
        }
        const MatrixXd free = (features.array() > kFloor).select(ofFeatures, 0.0);  // a floored feature stays
        return throughSoftmax(features.leftCols(dim_), free.leftCols(dim_)) -
               throughSoftmax(features.rightCols(dim_), free.rightCols(dim_));
    }

private:
    bool fla_;
    Index dim_;
};

std::shared_ptr<const kernels::Matrix<double>> mapPart(const VectorXd& theta, Index offset, Index dim) {
    const VectorXd part = theta.segment(offset, dim * dim);
    return std::make_shared<const kernels::Matrix<double>>(dim, dim, std::vector<double>(part.begin(), part.end()));
}

}  // namespace

std::unique_ptr<FeatureMap> hedgehogMap(const Hedgehog& spec, Index headDim) {
    return std::make_unique<HedgehogMap>(spec.variant, headDim);
}

VectorXd hedgehogParameters(const Hedgehog& spec, Index headDim) {
    const MatrixXd identity = MatrixXd::Identity(headDim, headDim);
    VectorXd theta(2 * headDim * headDim);
    Index offset = 0;
    for (const auto* map : {spec.query.get(), spec.key.get()}) {
        // The identity is its own transpose, so the order of its entries does not matter.
        theta.segment(offset, headDim * headDim) =
            Eigen::Map<const VectorXd>(map ? map->data() : identity.data(), headDim * headDim);
        offset += headDim * headDim;
    }
    return theta;
}

Hedgehog withParameters(Hedgehog spec, const VectorXd& theta, Index headDim) {
    spec.query = mapPart(theta, 0, headDim);
    spec.key = mapPart(theta, headDim * headDim, headDim);
    return spec;
}

}  // namespace dimscope::analysis
