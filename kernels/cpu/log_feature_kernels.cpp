// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/cpu/fast_food.h"
#include "kernels/cpu/row_kernel.h"

// Performer, DiJiang and the unbiased SpectraFormer: kappa = sum_f exp(l_f(q) + l_f(k)), where l = x P + (something per
// token).

namespace dimscope::kernels::cpu {
namespace {

// Features are kept above exp(kFloor), so that no product of two of them underflows (slow, and lost); a sum below
// kTrusted may consist of floored terms and is redone in the log domain. 250 floored terms add at most 250 exp(-43) =
// 5e-17, which is 5e-6 of kTrusted.
constexpr float kFloor = -43.0F;
constexpr float kTrusted = 1e-11F;

/// exp of each entry minus its row's maximum; the maxima come back in `shift`.
RowMajor<float> shiftedExp(const RowMajor<float>& logs, Eigen::VectorXf& shift) {
    shift = logs.rowwise().maxCoeff();
    return (logs.colwise() - shift).array().max(kFloor).exp();
}

class LogFeatureRows : public RowKernel {
public:
    /// projection: (head_dim, features), scale folded in. queryBias: (features), added to the query's logarithms.
    LogFeatureRows(const FloatHead& head, RowMajor<float> projection, Eigen::RowVectorXf queryBias)
        : head_(head), projection_(std::move(projection)), queryBias_(std::move(queryBias)) {
        keyLogs_.noalias() = eigen(head.key.view()) * projection_;
        keyFeatures_ = shiftedExp(keyLogs_, keyShift_);
        keyOffset_ = Eigen::VectorXd::Zero(keyLogs_.rows());
    }
    RowForm form() const override { return RowForm::LogKernel; }

    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        RowMajor<float> queryLogs = gatherRows(head_.query.view(), rows) * projection_;
        queryLogs.rowwise() += queryBias_;
        Eigen::VectorXf queryShift;
        const RowMajor<float> queryFeatures = shiftedExp(queryLogs, queryShift);
        const RowMajor<float> sums = queryFeatures * keyFeatures_.topRows(keys).transpose();
        for (Eigen::Index i = 0; i < sums.rows(); ++i)
            for (Eigen::Index j = 0; j < keys; ++j)
                out(i, j) =
                    keyOffset_(j) + (sums(i, j) >= kTrusted
                                         ? static_cast<double>(std::log(sums(i, j))) + static_cast<double>(keyShift_(j))
                                         : logSum(queryLogs, i, j) - static_cast<double>(queryShift(i)));
    }

protected:
    const FloatHead& head() const { return head_; }
    const RowMajor<float>& keyLogs() const { return keyLogs_; }
    Eigen::VectorXd keyOffset_;  ///< (rows), added to the logarithm of every key

private:
    double logSum(const RowMajor<float>& queryLogs, Eigen::Index i, Eigen::Index j) const {
        const auto terms = (queryLogs.row(i) + keyLogs_.row(j)).cast<double>().eval();
        const double largest = terms.maxCoeff();
        return largest + std::log((terms.array() - largest).exp().sum());
    }

    const FloatHead& head_;
    RowMajor<float> projection_;
    Eigen::RowVectorXf queryBias_;
    RowMajor<float> keyLogs_, keyFeatures_;  // (rows, features)
    Eigen::VectorXf keyShift_;               // (rows)
};

RowMajor<float> scaledTranspose(const Matrix<double>& w, double scale) {
    return (eigen(w).transpose() * std::sqrt(scale)).cast<float>();
}

double halfSquaredNorm(const MatrixView<float>& x, Index row, double scale) {
    return 0.5 * scale * eigen(x).row(row).cast<double>().squaredNorm();
}

/// Section 1 with epsilon = 0: the key's -|k'|^2/2 stays in double, because it reaches 700 where keys are large.
class PerformerRows : public LogFeatureRows {
public:
    PerformerRows(const Performer& spec, const FloatHead& head)
        : LogFeatureRows(head, scaledTranspose(*spec.projection, head.scale),
                         Eigen::RowVectorXf::Zero(spec.projection->rows())) {
        for (Index j = 0; j < keyOffset_.size(); ++j) keyOffset_(j) = -halfSquaredNorm(head.key.view(), j, head.scale);
    }
};

/// Section 1 with epsilon > 0: features exp(l - maximum) + epsilon as upstream.
class FlooredPerformerRows : public RowKernel {
public:
    FlooredPerformerRows(const Performer& spec, const FloatHead& head)
        : spec_(spec), head_(head), projection_(scaledTranspose(*spec.projection, head.scale)) {
        RowMajor<float> logs = eigen(head.key.view()) * projection_;
        double maximum = -std::numeric_limits<double>::infinity();
        for (Index j = 0; j < logs.rows(); ++j)
            if (head.mask.isValid(j)) maximum = std::max(maximum, shiftOf(logs, j, head.key.view(), j));
        for (Index j = 0; j < logs.rows(); ++j) floorRow(logs, j, head.key.view(), j, maximum);
        keyFeatures_ = std::move(logs);
    }
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        RowMajor<float> features = gatherRows(head_.query.view(), rows) * projection_;
        for (std::size_t n = 0; n < rows.size(); ++n) {
            const auto r = static_cast<Index>(n);
            floorRow(features, r, head_.query.view(), rows[n], shiftOf(features, r, head_.query.view(), rows[n]));
        }
        eigen(out) = (features * keyFeatures_.topRows(keys).transpose()).cast<double>();
    }

private:
    double shiftOf(const RowMajor<float>& logs, Index r, const MatrixView<float>& x, Index position) const {
        const double largest = static_cast<double>(logs.row(r).maxCoeff());
        const bool projection = spec_.shift == Performer::Shift::Projection;
        return projection ? largest : largest - halfSquaredNorm(x, position, head_.scale);
    }
    void floorRow(RowMajor<float>& logs, Index r, const MatrixView<float>& x, Index position, double shift) const {
        const auto offset = static_cast<float>(-halfSquaredNorm(x, position, head_.scale) - shift);
        logs.row(r) = (logs.row(r).array() + offset).exp() + static_cast<float>(spec_.epsilon);
    }

    Performer spec_;
    const FloatHead& head_;
    RowMajor<float> projection_;   // (head_dim, features)
    RowMajor<float> keyFeatures_;  // (rows, features)
};

/// Section 2.1. Per query 2 A |w_f|^2 is added once, for q and k together; the part common to all rows w cancels, and
/// what float has to hold is small without it.
class SpectraFormerUnbiasedRows : public LogFeatureRows {
public:
    SpectraFormerUnbiasedRows(const SpectraFormerUnbiased& spec, const FloatHead& head)
        : SpectraFormerUnbiasedRows(head, fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation),
                                    phiOf(spec, head)) {}

private:
    SpectraFormerUnbiasedRows(const FloatHead& head, const RowMajor<double>& rows, double phi)
        : LogFeatureRows(head, projectionOf(rows, phi, head.scale), biasOf(rows, phi)) {
        for (Index j = 0; j < keyOffset_.size(); ++j) keyOffset_(j) = -halfSquaredNorm(head.key.view(), j, head.scale);
    }
    static double phiOf(const SpectraFormerUnbiased& spec, const FloatHead& head) {
        return spec.statistic == SpectraFormerUnbiased::Statistic::Calibrated ? spec.phi : sequencePhi(head);
    }
    static RowMajor<float> projectionOf(const RowMajor<double>& rows, double phi, double scale) {
        const double sharpness = oprfSharpness(phi, static_cast<double>(rows.cols()));
        return (std::sqrt(scale) * sharpness * rows.transpose()).cast<float>();
    }
    static Eigen::RowVectorXf biasOf(const RowMajor<double>& rows, double phi) {
        const Eigen::RowVectorXd bias =
            2.0 * oprfConstant(phi, static_cast<double>(rows.cols())) * rows.rowwise().squaredNorm().transpose();
        return (bias.array() - bias.maxCoeff()).matrix().cast<float>();
    }
};

RowMajor<float> cosineProjection(const DiJiang& spec, const FloatHead& head) {
    const auto d = static_cast<int>(head.key.view().cols());
    const bool inverse = spec.orientation == DiJiang::Orientation::Inverse;
    RowMajor<float> projection(d, d);
    for (int k = 0; k < d; ++k)
        for (int n = 0; n < d; ++n)
            projection(k, n) = static_cast<float>(std::sqrt(head.scale) * (*spec.t)[static_cast<std::size_t>(n)] *
                                                  (inverse ? dctEntry(k, n, d) : dctEntry(n, k, d)));
    return projection;
}

Eigen::RowVectorXf doubledWeights(const DiJiang& spec) {
    Eigen::RowVectorXf bias = Eigen::RowVectorXf::Zero(static_cast<Eigen::Index>(spec.t->size()));
    if (spec.theta)
        for (std::size_t f = 0; f < spec.theta->size(); ++f)
            bias(static_cast<Eigen::Index>(f)) = static_cast<float>(2.0 * (*spec.theta)[f]);
    return bias;
}

/// Section 3: the key's softmax normaliser is its offset; the query's is common to its row and left out.
class DiJiangRows : public LogFeatureRows {
public:
    DiJiangRows(const DiJiang& spec, const FloatHead& head)
        : LogFeatureRows(head, cosineProjection(spec, head), doubledWeights(spec)) {
        const Eigen::VectorXf largest = keyLogs().rowwise().maxCoeff();
        keyOffset_ =
            -(((keyLogs().colwise() - largest).array().exp().rowwise().sum().log()).matrix() + largest).cast<double>();
    }
};

/// DiJiang with weights beyond float's digits: calibration can drive theta to 1e14, where even double rounds the sum of
/// weight and features coarsely. The formula is then evaluated in double in the order of section 3.
class WideDiJiangRows : public RowKernel {
public:
    WideDiJiangRows(const DiJiang& spec, const FloatHead& head) : spec_(spec), head_(head) {
        keys_ = logFeatures(eigen(head.key.view()).cast<double>());
    }
    RowForm form() const override { return RowForm::LogKernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        RowMajor<double> query = logFeatures(gatherRows(head_.query.view(), rows).cast<double>());
        for (Eigen::Index f = 0; f < query.cols(); ++f)
            query.col(f).array() += 2.0 * (*spec_.theta)[static_cast<std::size_t>(f)];
        for (Eigen::Index i = 0; i < query.rows(); ++i)
            for (Eigen::Index j = 0; j < keys; ++j) out(i, j) = logSumExp(query.row(i) + keys_.row(j));
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

/// Float holds 2 theta + z to 1e-4 up to here.
constexpr double kFloatWeights = 500.0;

bool needsDouble(const DiJiang& spec) {
    return spec.theta && std::any_of(spec.theta->begin(), spec.theta->end(),
                                     [](double theta) { return !(std::abs(theta) <= kFloatWeights); });
}

}  // namespace

std::unique_ptr<RowKernel> makePerformer(const Performer& spec, const FloatHead& head) {
    if (spec.epsilon > 0.0) return std::make_unique<FlooredPerformerRows>(spec, head);
    return std::make_unique<PerformerRows>(spec, head);
}

std::unique_ptr<RowKernel> makeSpectraFormerUnbiased(const SpectraFormerUnbiased& spec, const FloatHead& head) {
    return std::make_unique<SpectraFormerUnbiasedRows>(spec, head);
}

std::unique_ptr<RowKernel> makeDiJiang(const DiJiang& spec, const FloatHead& head) {
    if (needsDouble(spec)) return std::make_unique<WideDiJiangRows>(spec, head);
    return std::make_unique<DiJiangRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
