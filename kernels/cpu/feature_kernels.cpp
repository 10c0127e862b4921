// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include "kernels/cpu/feature_rows.h"

// Kernels of explicit feature maps beyond the two papers: section 9 of resources/docs/kernels.md.

namespace dimscope::kernels::cpu {
namespace {

class EluRows : public CommonFeatureRows {
public:
    explicit EluRows(const FloatHead& head) : CommonFeatureRows(head, head.key.view().cols()) {}

private:
    /// elu(x) + 1 = max(x, 0) + exp(min(x, 0)).
    void map(const MatrixView<float>& x, MatrixSpan<float> out) const override {
        const std::vector<float> none(static_cast<std::size_t>(x.rows()), 0.0F);
        eigen(out) = eigen(x).cwiseMin(0.0F);
        head().lanes.rows.exponentials({out.data(), out.stride(), out.rows(), out.cols(), none.data(), nullptr,
                                        -std::numeric_limits<float>::infinity(), 0.0F, nullptr});
        eigen(out) += eigen(x).cwiseMax(0.0F);
    }
};

class CosFormerRows : public CommonFeatureRows {
public:
    CosFormerRows(const CosFormer& spec, const FloatHead& head) : CommonFeatureRows(head, head.key.view().cols()) {
        const Index positions = head.key.view().rows();
        for (Index distance = 0; distance < positions; ++distance)
            cosines_.push_back(std::cos(std::numbers::pi * static_cast<double>(distance) / (2.0 * spec.length)));
    }
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) row[j] *= cosines_[static_cast<std::size_t>(std::abs(rows[n] - j))];
        }
        return RowForm::Kernel;
    }
    double denominator(double sum) const override { return std::max(sum, 1e-6); }

private:
    void map(const MatrixView<float>& x, MatrixSpan<float> out) const override { eigen(out) = eigen(x).cwiseMax(0.0F); }
    std::vector<double> cosines_;  // by distance
};

class ReBasedRows : public CommonFeatureRows {
public:
    ReBasedRows(const ReBased& spec, const FloatHead& head)
        : CommonFeatureRows(head, head.key.view().cols()), gamma_(Row::Ones(features())), beta_(Row::Zero(features())) {
        if (spec.gamma) gamma_ = Eigen::Map<const Row>(spec.gamma->data(), features());
        if (spec.beta) beta_ = Eigen::Map<const Row>(spec.beta->data(), features());
    }
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        eigen(out) = eigen(out).cwiseAbs2() / static_cast<double>(features());
        return RowForm::Kernel;
    }

private:
    using Row = Eigen::RowVectorXd;
    /// Layer normalisation.
    void map(const MatrixView<float>& x, MatrixSpan<float> out) const override {
        Row row(x.cols());
        for (Index r = 0; r < x.rows(); ++r) {
            row = eigen(x).row(r).cast<double>();
            row.array() -= row.mean();
            row *= 1.0 / std::sqrt(row.squaredNorm() / static_cast<double>(x.cols()) + 1e-5);
            eigen(out).row(r) = (row.cwiseProduct(gamma_) + beta_).cast<float>();
        }
    }
    Row gamma_, beta_;
};

/// Features are the products of two sketches, r^-1/2 in each; kappa is the square of their product.
class PolySketchRows : public CommonFeatureRows {
public:
    PolySketchRows(const PolySketch& spec, const FloatHead& head)
        : CommonFeatureRows(head, spec.s1->cols()),
          sketches_(head.lanes, view(bothTransposed(spec))),
          width_(padded(head.lanes, 2 * features())) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        eigen(out) = eigen(out).cwiseAbs2();
        return RowForm::Kernel;
    }
    double denominator(double sum) const override { return 1.0 + sum; }

private:
    static RowMajor<float> bothTransposed(const PolySketch& spec) {
        const Index r = spec.s1->cols();
        RowMajor<float> out(2 * r, spec.s1->rows());
        out << eigen(*spec.s1).transpose().cast<float>(), eigen(*spec.s2).transpose().cast<float>();
        return out;
    }
    void map(const MatrixView<float>& x, MatrixSpan<float> out) const override {
        const Index r = features();
        RowMajor<float> both(x.rows(), width_);
        sketches_.project(x, span(both));
        eigen(out) = both.leftCols(r).cwiseProduct(both.middleCols(r, r)) / static_cast<float>(r);
    }
    PackedRows sketches_;
    Index width_;
};

}  // namespace

std::unique_ptr<RowKernel> makeElu(const FloatHead& head) { return std::make_unique<EluRows>(head); }

std::unique_ptr<RowKernel> makeCosFormer(const CosFormer& spec, const FloatHead& head) {
    return std::make_unique<CosFormerRows>(spec, head);
}

std::unique_ptr<RowKernel> makeReBased(const ReBased& spec, const FloatHead& head) {
    return std::make_unique<ReBasedRows>(spec, head);
}

std::unique_ptr<RowKernel> makePolySketch(const PolySketch& spec, const FloatHead& head) {
    return std::make_unique<PolySketchRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
