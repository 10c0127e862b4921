// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/cpu/feature_rows.h"
#include "kernels/cpu/sequence_phi.h"
#include "kernels/feature_matrices.h"

namespace dimscope::kernels::cpu {
namespace {

/// Section 2.2: features exp(B (z_f - max z)) + epsilon, with one constant feature z = 1.
class SpectraFormerRows : public FeatureRows {
public:
    SpectraFormerRows(const SpectraFormer& spec, const FloatHead& head)
        : FeatureRows(head, head.key.view().cols() + 1),
          spec_(spec),
          weights_(head.lanes, view(weightsOf(spec, head))),
          sharpness_(sharpness()) {}

private:
    static RowMajor<float> weightsOf(const SpectraFormer& spec, const FloatHead& head) {
        const double upstream = spec.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(head.scale) : 1.0;
        const RowMajor<double> rows = eigen(fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation));
        return (std::sqrt(head.scale) * upstream * rows).cast<float>();
    }
    void queryFeatures(const MatrixView<float>& x, std::span<const Index> rows, MatrixSpan<float> out) const override {
        std::vector<float> rowSharpness;
        for (const Index i : rows) rowSharpness.push_back(sharpness_(i));
        map(x, rowSharpness.data(), out);
    }
    void keyFeatures(const MatrixView<float>& x, Index first, MatrixSpan<float> out) const override {
        map(x, sharpness_.data() + first, out);
    }
    void map(const MatrixView<float>& x, const float* rowSharpness, MatrixSpan<float> out) const {
        const RowLanes& lanes = head().lanes.rows;
        weights_.project(x, out);
        eigen(out).rightCols(1).setOnes();
        Eigen::VectorXf largest(x.rows());
        lanes.maxima(out.data(), out.stride(), out.rows(), out.cols(), largest.data());
        lanes.exponentials({out.data(), out.stride(), out.rows(), out.cols(), largest.data(), rowSharpness,
                            -std::numeric_limits<float>::infinity(), static_cast<float>(spec_.epsilon), nullptr});
    }

    /// B per position: from |u_q + u_k|^2 there, from its mean over the sequence, or from the calibrated constant.
    Eigen::VectorXf sharpness() const {
        const MatrixView<float>&q = head().query.view(), &k = head().key.view();
        const auto d = static_cast<double>(k.cols());
        if (spec_.statistic == SpectraFormer::Statistic::Position) {
            Eigen::VectorXd norms(k.rows());
            head().lanes.rows.squaredNorms(q.data(), k.data(), q.stride(), k.stride(), k.rows(), k.cols(),
                                           norms.data());
            return norms.unaryExpr(
                [&](double norm) { return static_cast<float>(oprfSharpness(head().scale * norm, d)); });
        }
        const double phi = spec_.statistic == SpectraFormer::Statistic::Calibrated ? spec_.phi : sequencePhi(head());
        return Eigen::VectorXf::Constant(k.rows(), static_cast<float>(oprfSharpness(phi, d)));
    }

    SpectraFormer spec_;
    PackedRows weights_;
    Eigen::VectorXf sharpness_;  // (rows)
};

}  // namespace

std::unique_ptr<RowKernel> makeSpectraFormer(const SpectraFormer& spec, const FloatHead& head) {
    return std::make_unique<SpectraFormerRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
