// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {
namespace {

/// Unnormalised Walsh-Hadamard matrix in Sylvester order.
RowMajor<double> hadamard(Eigen::Index size) {
    RowMajor<double> h = RowMajor<double>::Ones(1, 1);
    while (h.rows() < size) {
        RowMajor<double> next(2 * h.rows(), 2 * h.cols());
        next << h, h, h, -h;
        h = std::move(next);
    }
    return h;
}

/// d^-1/2 S H G Pi H B with both input scales as one matrix (head_dim, head_dim): one product costs less than two fast
/// transforms of every row at these sizes.
RowMajor<float> fastFoodMatrix(const SpectraFormer& spec, const FloatHead& head) {
    const Eigen::Index d = head.key.view().cols();
    const auto vectorOf = [](const std::vector<double>& v) {
        return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
    };
    const RowMajor<double> h = hadamard(d);
    const RowMajor<double> first = h * vectorOf(*spec.b).asDiagonal();
    RowMajor<double> permuted(d, d);
    for (Eigen::Index r = 0; r < d; ++r)
        permuted.row(r) =
            (*spec.g)[static_cast<std::size_t>(r)] * first.row((*spec.permutation)[static_cast<std::size_t>(r)]);
    const double upstream = spec.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(head.scale) : 1.0;
    const double factor = std::sqrt(head.scale) * upstream / std::sqrt(static_cast<double>(d));
    return (factor * (vectorOf(*spec.s).asDiagonal() * (h * permuted))).transpose().cast<float>();
}

/// Section 2.2: features exp(B (z_f - max z)) + epsilon, with one constant feature z = 1.
class SpectraFormerRows : public RowKernel {
public:
    SpectraFormerRows(const SpectraFormer& spec, const FloatHead& head)
        : spec_(spec), head_(head), projection_(fastFoodMatrix(spec, head)) {
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
        const double phi = spec_.statistic == SpectraFormer::Statistic::Calibrated ? spec_.phi : sequencePhi();
        return Eigen::VectorXf::Constant(k.rows(), static_cast<float>(oprfSharpness(phi, d)));
    }

    /// Mean over all pairs of valid positions of |u_q + u_k|^2, u = sqrt(scale) x.
    double sequencePhi() const {
        const auto q = eigen(head_.query.view());
        const auto k = eigen(head_.key.view());
        Eigen::RowVectorXd qSum = Eigen::RowVectorXd::Zero(q.cols()), kSum = qSum;
        double squares = 0.0, count = 0.0;
        for (Index i = 0; i < q.rows(); ++i) {
            if (!head_.mask.isValid(i)) continue;
            qSum += q.row(i).cast<double>();
            kSum += k.row(i).cast<double>();
            squares += q.row(i).cast<double>().squaredNorm() + k.row(i).cast<double>().squaredNorm();
            count += 1.0;
        }
        return head_.scale * (squares / count + 2.0 * qSum.dot(kSum) / (count * count));
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
