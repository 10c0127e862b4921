// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/cpu/feature_rows.h"
#include "kernels/cpu/log_feature_rows.h"
#include "kernels/cpu/sequence_phi.h"
#include "kernels/feature_matrices.h"

// Performer, DiJiang and the unbiased SpectraFormer.

namespace dimscope::kernels::cpu {
namespace {

RowMajor<double> scaled(const Matrix<double>& w, double scale) { return eigen(w) * std::sqrt(scale); }

double halfSquaredNorm(const MatrixView<float>& x, Index row, double scale) {
    return 0.5 * scale * eigen(x).row(row).cast<double>().squaredNorm();
}

/// Section 1 with epsilon = 0: the key's -|k'|^2/2 stays in double, because it reaches 700 where keys are large.
class PerformerRows : public LogFeatureRows {
public:
    PerformerRows(const Performer& spec, const FloatHead& head)
        : LogFeatureRows(head, scaled(*spec.projection, head.scale), Eigen::RowVectorXd::Zero(spec.projection->rows())),
          norms_(head.squaredKeyNorms()) {}

private:
    double keyOffset(Index key, double, double) const override {
        return -0.5 * head().scale * norms_[static_cast<std::size_t>(key)];
    }
    const std::vector<double>& norms_;
};

/// Section 1 with epsilon > 0: features exp(l - maximum) + epsilon as upstream.
class FlooredPerformerRows : public FeatureRows {
public:
    FlooredPerformerRows(const Performer& spec, const FloatHead& head)
        : FeatureRows(head, spec.projection->rows()),
          spec_(spec),
          weights_(head.lanes, view(RowMajor<float>(scaled(*spec.projection, head.scale).cast<float>()))),
          keyMaximum_(keyMaximum()) {}

private:
    double keyMaximum() const {
        const MatrixView<float>& key = head().key.view();
        const Index width = padded(head().lanes, features());
        RowMajor<float> logs(kKeyBlock, width);
        double maximum = -std::numeric_limits<double>::infinity();
        forKeyBlocks(key.rows(), [&](Index first, Index count) {
            weights_.project(middleRows(key, first, count), {logs.data(), count, width});
            for (Index j = 0; j < count; ++j)
                if (head().mask.isValid(first + j))
                    maximum = std::max(maximum, shiftOf(logs.row(j).head(features()).maxCoeff(), key, first + j));
        });
        return maximum;
    }
    double shiftOf(float largest, const MatrixView<float>& x, Index row) const {
        const bool projection = spec_.shift == Performer::Shift::Projection;
        return static_cast<double>(largest) - (projection ? 0.0 : halfSquaredNorm(x, row, head().scale));
    }
    void queryFeatures(const MatrixView<float>& x, std::span<const Index>, MatrixSpan<float> out) const override {
        weights_.project(x, out);
        std::vector<float> shift;
        for (Index r = 0; r < x.rows(); ++r)
            shift.push_back(
                static_cast<float>(shiftOf(eigen(out).row(r).maxCoeff(), x, r) + halfSquaredNorm(x, r, head().scale)));
        exponentiate(shift, out);
    }
    void keyFeatures(const MatrixView<float>& x, Index, MatrixSpan<float> out) const override {
        weights_.project(x, out);
        std::vector<float> shift;
        for (Index r = 0; r < x.rows(); ++r)
            shift.push_back(static_cast<float>(keyMaximum_ + halfSquaredNorm(x, r, head().scale)));
        exponentiate(shift, out);
    }
    void exponentiate(const std::vector<float>& shift, MatrixSpan<float> out) const {
        head().lanes.rows.exponentials({out.data(), out.stride(), out.rows(), out.cols(), shift.data(), nullptr,
                                        -std::numeric_limits<float>::infinity(), static_cast<float>(spec_.epsilon),
                                        nullptr});
    }

    Performer spec_;
    PackedRows weights_;
    double keyMaximum_;
};

/// Section 2.1. Per query 2 A |w_f|^2 is added once, for q and k together; the part common to all rows w cancels, and
/// what float has to hold is small without it.
class SpectraFormerUnbiasedRows : public LogFeatureRows {
public:
    SpectraFormerUnbiasedRows(const SpectraFormerUnbiased& spec, const FloatHead& head)
        : SpectraFormerUnbiasedRows(head, eigen(fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation)),
                                    phiOf(spec, head)) {}

private:
    SpectraFormerUnbiasedRows(const FloatHead& head, const RowMajor<double>& rows, double phi)
        : LogFeatureRows(head, weightsOf(rows, phi, head.scale), biasOf(rows, phi)), norms_(head.squaredKeyNorms()) {}
    static double phiOf(const SpectraFormerUnbiased& spec, const FloatHead& head) {
        return spec.statistic == SpectraFormerUnbiased::Statistic::Calibrated ? spec.phi : sequencePhi(head);
    }
    static RowMajor<double> weightsOf(const RowMajor<double>& rows, double phi, double scale) {
        const double sharpness = oprfSharpness(phi, static_cast<double>(rows.cols()));
        return std::sqrt(scale) * sharpness * rows;
    }
    static Eigen::RowVectorXd biasOf(const RowMajor<double>& rows, double phi) {
        const Eigen::RowVectorXd bias =
            2.0 * oprfConstant(phi, static_cast<double>(rows.cols())) * rows.rowwise().squaredNorm().transpose();
        return (bias.array() - bias.maxCoeff()).matrix();
    }
    double keyOffset(Index key, double, double) const override {
        return -0.5 * head().scale * norms_[static_cast<std::size_t>(key)];
    }
    const std::vector<double>& norms_;
};

/// (features, head_dim)
RowMajor<double> cosineWeights(const DiJiang& spec, const FloatHead& head) {
    return std::sqrt(head.scale) * eigen(cosineRows(spec));
}

Eigen::RowVectorXd doubledWeights(const DiJiang& spec) {
    Eigen::RowVectorXd bias = Eigen::RowVectorXd::Zero(static_cast<Eigen::Index>(spec.t->size()));
    if (spec.theta)
        for (std::size_t f = 0; f < spec.theta->size(); ++f)
            bias(static_cast<Eigen::Index>(f)) = 2.0 * (*spec.theta)[f];
    return bias;
}

/// Section 3: the key's softmax normaliser is its offset; the query's is common to its row and left out.
class DiJiangRows : public LogFeatureRows {
public:
    DiJiangRows(const DiJiang& spec, const FloatHead& head)
        : LogFeatureRows(head, cosineWeights(spec, head), doubledWeights(spec)) {}

private:
    double keyOffset(Index, double shift, double sum) const override { return -std::log(sum) - shift; }
};

/// DiJiang with weights beyond float's digits: calibration can drive theta to 1e14, where even double rounds the sum of
/// weight and features coarsely. The formula is then evaluated in double in the order of section 3.
class WideDiJiangRows : public RowKernel {
public:
    WideDiJiangRows(const DiJiang& spec, const FloatHead& head) : spec_(spec), head_(head) {
        keys_ = logFeatures(eigen(head.key.view()).cast<double>());
    }
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        RowMajor<double> query = logFeatures(gatherRows(head_.query.view(), rows).cast<double>());
        for (Eigen::Index f = 0; f < query.cols(); ++f)
            query.col(f).array() += 2.0 * (*spec_.theta)[static_cast<std::size_t>(f)];
        for (Eigen::Index i = 0; i < query.rows(); ++i)
            for (Eigen::Index j = 0; j < keys; ++j) out(i, j) = logSumExp(query.row(i) + keys_.row(j));
        return RowForm::LogKernel;
    }

private:
    static double logSumExp(const Eigen::RowVectorXd& x) {
        const double largest = x.maxCoeff();
        return largest + std::log((x.array() - largest).exp().sum());
    }
    /// Logarithms of softmax_f(z).
    RowMajor<double> logFeatures(const RowMajor<double>& x) const {
        const auto d = static_cast<int>(x.cols());
        const bool inverse = spec_.orientation == DiJiang::Orientation::Inverse;
        RowMajor<double> cosines(d, d);
        for (int k = 0; k < d; ++k)
            for (int n = 0; n < d; ++n) cosines(k, n) = inverse ? dctEntry(k, n, d) : dctEntry(n, k, d);
        RowMajor<double> z = x * cosines;
        for (int n = 0; n < d; ++n) z.col(n) *= std::sqrt(head_.scale) * (*spec_.t)[static_cast<std::size_t>(n)];
        for (Eigen::Index i = 0; i < z.rows(); ++i) z.row(i).array() -= logSumExp(z.row(i));
        return z;
    }

    DiJiang spec_;
    const FloatHead& head_;
    RowMajor<double> keys_;  // (rows, features)
};

}  // namespace

std::unique_ptr<RowKernel> makePerformer(const Performer& spec, const FloatHead& head) {
    if (spec.epsilon > 0.0) return std::make_unique<FlooredPerformerRows>(spec, head);
    return std::make_unique<PerformerRows>(spec, head);
}

std::unique_ptr<RowKernel> makeSpectraFormerUnbiased(const SpectraFormerUnbiased& spec, const FloatHead& head) {
    return std::make_unique<SpectraFormerUnbiasedRows>(spec, head);
}

std::unique_ptr<RowKernel> makeDiJiang(const DiJiang& spec, const FloatHead& head) {
    if (!weightsFitFloat(spec)) return std::make_unique<WideDiJiangRows>(spec, head);
    return std::make_unique<DiJiangRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
