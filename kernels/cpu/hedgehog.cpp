// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cpu/feature_rows.h"

// Hedgehog and LoLCATs (section 9 of resources/docs/kernels.md).

namespace dimscope::kernels::cpu {
namespace {

/// A learned map of one side; the identity where there is none.
class LearnedMap {
public:
    LearnedMap(const Matrix<double>* w, const FloatHead& head) : lanes_(head.lanes) {
        if (w) packed_.emplace(head.lanes, view(RowMajor<float>(eigen(*w).cast<float>())));
    }
    RowMajor<float> operator()(const MatrixView<float>& x) const {
        if (!packed_) return eigen(x);
        RowMajor<float> y(x.rows(), padded(lanes_, packed_->rows()));
        packed_->project(x, span(y));
        return y;
    }

private:
    const LaneKernels& lanes_;
    std::optional<PackedRows> packed_;
};

/// Softmaxes of y and of -y, floored at 1e-12: float holds products of two such features.
class HedgehogRows : public FeatureRows {
public:
    HedgehogRows(const Hedgehog& spec, const FloatHead& head)
        : FeatureRows(head, 2 * head.key.view().cols()),
          dim_(head.key.view().cols()),
          queryMap_(spec.query.get(), head),
          keyMap_(spec.key.get(), head) {}

private:
    void queryFeatures(const MatrixView<float>& x, std::span<const Index>, MatrixSpan<float> out) const override {
        softmaxes(queryMap_(x), out);
    }
    void keyFeatures(const MatrixView<float>& x, Index, MatrixSpan<float> out) const override {
        softmaxes(keyMap_(x), out);
    }
    void softmaxes(const RowMajor<float>& y, MatrixSpan<float> out) const {
        softmax(y, 1.0F, out, 0);
        softmax(y, -1.0F, out, dim_);
    }
    void softmax(const RowMajor<float>& y, float sign, MatrixSpan<float> out, Index column) const {
        const RowLanes& lanes = head().lanes.rows;
        const Index width = padded(head().lanes, dim_);
        RowMajor<float> z(y.rows(), width);
        z.leftCols(dim_) = sign * y.leftCols(dim_);
        Eigen::VectorXf largest(y.rows()), sums(y.rows());
        lanes.maxima(z.data(), width, z.rows(), dim_, largest.data());
        lanes.exponentials({z.data(), width, z.rows(), dim_, largest.data(), nullptr,
                            -std::numeric_limits<float>::infinity(), 0.0F, sums.data()});
        eigen(out).middleCols(column, dim_) =
            (z.leftCols(dim_).array().colwise() * sums.array().inverse()).max(1e-12F).matrix();
    }
    Index dim_;
    LearnedMap queryMap_, keyMap_;
};

/// One softmax over (2y, -2y) without a floor: products of two features reach below the range of float.
class WideHedgehogRows : public WideFeatureRows {
public:
    WideHedgehogRows(const Hedgehog& spec, const FloatHead& head) : WideFeatureRows(head), spec_(spec) {}

private:
    RowMajor<double> queryFeatures(RowMajor<double> x) const override { return features(x, spec_.query.get()); }
    RowMajor<double> keyFeatures(RowMajor<double> x) const override { return features(x, spec_.key.get()); }
    static RowMajor<double> features(const RowMajor<double>& x, const Matrix<double>* w) {
        const RowMajor<double> y = w ? RowMajor<double>(x * eigen(*w).transpose()) : x;
        RowMajor<double> out(y.rows(), 2 * y.cols());
        out << 2.0 * y, -2.0 * y;
        const Eigen::VectorXd largest = out.rowwise().maxCoeff();
        out = (out.colwise() - largest).array().exp();
        const Eigen::VectorXd sums = out.rowwise().sum();
        out.array().colwise() /= sums.array();
        return out;
    }
    Hedgehog spec_;
};

/// sigma exp(s - m) inside the window, m its largest logit there; identity Hedgehog features before it.
class LolcatsRows : public RowKernel {
public:
    LolcatsRows(const Lolcats& spec, const FloatHead& head) : spec_(spec), head_(head), features_(Hedgehog{}, head) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        features_.fill(rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) fillWindow(rows[n], keys, out.row(static_cast<Index>(n)));
        return RowForm::Kernel;
    }

private:
    void fillWindow(Index i, Index keys, double* row) const {
        const KeyRange range = candidateKeys(head_.mask, i, keys);
        const Index first = std::max(range.begin, i - spec_.window + 1), count = range.end - first;
        if (count <= 0) return;
        const Eigen::VectorXf query = eigen(head_.query.view()).row(i) * static_cast<float>(head_.scale);
        const Eigen::VectorXd logits =
            (eigen(head_.key.view()).middleRows(first, count) * query).template cast<double>();
        double largest = -std::numeric_limits<double>::infinity();
        for (Index j = 0; j < count; ++j)
            if (head_.mask.picks(i, first + j)) largest = std::max(largest, logits(j));
        for (Index j = 0; j < count; ++j)
            if (head_.mask.picks(i, first + j)) row[first + j] = spec_.sigma * std::exp(logits(j) - largest);
    }
    Lolcats spec_;
    const FloatHead& head_;
    HedgehogRows features_;
};

}  // namespace

std::unique_ptr<RowKernel> makeHedgehog(const Hedgehog& spec, const FloatHead& head) {
    if (spec.variant == Hedgehog::Variant::Fla) return std::make_unique<WideHedgehogRows>(spec, head);
    return std::make_unique<HedgehogRows>(spec, head);
}

std::unique_ptr<RowKernel> makeLolcats(const Lolcats& spec, const FloatHead& head) {
    return std::make_unique<LolcatsRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
