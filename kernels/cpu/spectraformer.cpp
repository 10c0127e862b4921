// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/cpu/fast_food.h"
#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {
namespace {

/// Section 2.2: features exp(B (z_f - max z)) + epsilon, with one constant feature z = 1.
class SpectraFormerRows : public RowKernel {
public:
    SpectraFormerRows(const SpectraFormer& spec, const FloatHead& head)
        : spec_(spec), head_(head), projection_(projectionOf(spec, head)) {
        sharpness_ = sharpness();
        keyFeatures_ = features(eigen(head.key.view()) * projection_, sharpness_);
    }
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        Eigen::VectorXf rowSharpness(static_cast<Eigen::Index>(rows.size()));
        for (std::size_t n = 0; n < rows.size(); ++n) rowSharpness(static_cast<Eigen::Index>(n)) = sharpness_(rows[n]);
        const RowMajor<float> query = features(gatherRows(head_.query.view(), rows) * projection_, rowSharpness);
        eigen(out) = (query * keyFeatures_.topRows(keys).transpose()).cast<double>();
    }

private:
    static RowMajor<float> projectionOf(const SpectraFormer& spec, const FloatHead& head) {
        const double upstream = spec.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(head.scale) : 1.0;
        const RowMajor<double> rows = fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation);
        return (std::sqrt(head.scale) * upstream * rows.transpose()).cast<float>();
    }
    RowMajor<float> features(const RowMajor<float>& z, const Eigen::VectorXf& sharpness) const {
        RowMajor<float> out(z.rows(), z.cols() + 1);
        out.leftCols(z.cols()) = z;
        out.rightCols(1).setOnes();
        const Eigen::VectorXf largest = out.rowwise().maxCoeff();
        out =
            ((out.colwise() - largest).array().colwise() * sharpness.array()).exp() + static_cast<float>(spec_.epsilon);
        return out;
    }

    /// B per position: from |u_q + u_k|^2 there, from its mean over the sequence, or from the calibrated constant.
    Eigen::VectorXf sharpness() const {
        const auto q = eigen(head_.query.view());
        const auto k = eigen(head_.key.view());
        const auto d = static_cast<double>(k.cols());
        if (spec_.statistic == SpectraFormer::Statistic::Position)
            return (q + k).cast<double>().rowwise().squaredNorm().unaryExpr(
                [&](double norm) { return static_cast<float>(oprfSharpness(head_.scale * norm, d)); });
        const double phi = spec_.statistic == SpectraFormer::Statistic::Calibrated ? spec_.phi : sequencePhi(head_);
        return Eigen::VectorXf::Constant(k.rows(), static_cast<float>(oprfSharpness(phi, d)));
    }

    SpectraFormer spec_;
    const FloatHead& head_;
    RowMajor<float> projection_;   // (head_dim, head_dim)
    Eigen::VectorXf sharpness_;    // (rows)
    RowMajor<float> keyFeatures_;  // (rows, head_dim + 1)
};

}  // namespace

std::unique_ptr<RowKernel> makeSpectraFormer(const SpectraFormer& spec, const FloatHead& head) {
    return std::make_unique<SpectraFormerRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
