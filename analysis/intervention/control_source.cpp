// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/control_source.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

#include "analysis/forwarding_source.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using kernels::RandomPurpose;
using kernels::RandomStream;

constexpr Index kLogitRows = 64;  // rows that the standard deviation of the logits is taken from

MatrixXd matrixOf(const kernels::Tensor& tensor) {
    return std::visit(
        [](const auto& m) {
            MatrixXd out(m.rows(), m.cols());
            for (Index i = 0; i < m.rows(); ++i)
                for (Index r = 0; r < m.cols(); ++r) out(i, r) = static_cast<double>(m(i, r));
            return out;
        },
        tensor);
}

kernels::Matrix<double> owned(const MatrixXd& m) {
    kernels::Matrix<double> out(m.rows(), m.cols());
    for (Index i = 0; i < m.rows(); ++i)
        for (Index r = 0; r < m.cols(); ++r) out(i, r) = m(i, r);
    return out;
}

MatrixXd normalMatrix(Index rows, Index cols, RandomStream& random) {
    MatrixXd out(rows, cols);
    for (Index i = 0; i < rows; ++i)
        for (Index r = 0; r < cols; ++r) out(i, r) = random.normal();
    return out;
}

/// Orthogonal, uniform over all rotations and reflections: QR with the signs of R's diagonal.
MatrixXd randomRotation(Index dim, RandomStream& random) {
    const Eigen::HouseholderQR<MatrixXd> qr(normalMatrix(dim, dim, random));
    MatrixXd q = qr.householderQ();
    for (Index c = 0; c < dim; ++c)
        if (qr.matrixQR()(c, c) < 0.0) q.col(c) *= -1.0;
    return q;
}

/// Symmetric square root of the covariance of the rows, population form.
MatrixXd covarianceRoot(const MatrixXd& rows) {
    const MatrixXd centred = rows.rowwise() - rows.colwise().mean();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(centred.transpose() * centred /
                                                         static_cast<double>(rows.rows()));
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
           solver.eigenvectors().transpose();
}

class ControlSource : public ForwardingSource {
public:
    ControlSource(ControlRung rung, HeadSource& source, std::uint64_t seed)
        : ForwardingSource(source), rung_(rung), seed_(seed) {}
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override {
        const auto original = source().load(kind, layer, prompt, head, control);
        if ((kind != TensorKind::Query && kind != TensorKind::Key) || original->nonFinite > 0) return original;
        MatrixXd all = matrixOf(original->values);
        const std::vector<Index> valid = validRows(prompt, all.rows(), kind == TensorKind::Query);
        MatrixXd rows(static_cast<Index>(valid.size()), all.cols());
        for (std::size_t n = 0; n < valid.size(); ++n) rows.row(static_cast<Index>(n)) = all.row(valid[n]);
        const MatrixXd made = replaced(rows, {kind, layer, prompt, head}, control);
        for (std::size_t n = 0; n < valid.size(); ++n) all.row(valid[n]) = made.row(static_cast<Index>(n));
        return std::make_shared<const LoadedTensor>(LoadedTensor{owned(all)});
    }

private:
    struct Place {
        TensorKind kind;
        LayerIndex layer;
        PromptIndex prompt;
        int head;
    };
    /// `queries`: those that have a query.
    std::vector<Index> validRows(PromptIndex prompt, Index count, bool queries) {
        const auto validity = this->validity(prompt);
        const kernels::PositionRange counted = queries ? info().queries() : kernels::PositionRange{};
        std::vector<Index> rows;
        for (Index i = 0; i < count; ++i)
            if (counted.holds(i) && (!validity || (*validity)[static_cast<std::size_t>(i)] != 0)) rows.push_back(i);
        return rows;
    }
    RandomStream streamOf(const Place& place) const {
        const int tensor = 2 * place.head + (place.kind == TensorKind::Key ? 1 : 0);
        return {seed_, RandomPurpose::GaussianControl, place.layer.value, (place.prompt.value + 1) * 4096 + tensor};
    }

    /// rows: (valid positions, head_dim)
    MatrixXd replaced(const MatrixXd& rows, const Place& place, const RunControl& control) {
        RandomStream random = streamOf(place);
        const MatrixXd noise = rung_ == ControlRung::Rotation || rung_ == ControlRung::Shuffle
                                   ? MatrixXd()
                                   : normalMatrix(rows.rows(), rows.cols(), random);
        const Eigen::RowVectorXd mean = rows.colwise().mean();
        switch (rung_) {
            case ControlRung::Gaussian: return noise;
            case ControlRung::LogitScale:
                return place.kind == TensorKind::Query ? MatrixXd(noise * logitFactor(rows, place, control)) : noise;
            case ControlRung::Moments: {
                const Eigen::RowVectorXd variance = (rows.rowwise() - mean).array().square().colwise().mean().matrix();
                return (noise * variance.cwiseSqrt().asDiagonal()).rowwise() + mean;
            }
            case ControlRung::Covariance: return (noise * covarianceRoot(rows)).rowwise() + mean;
            case ControlRung::Rotation: {
                RandomStream shared(seed_, RandomPurpose::GaussianControl, place.layer.value, 0);
                return rows * randomRotation(rows.cols(), shared);
            }
            case ControlRung::Shuffle: return shuffled(rows, random);
        }
        return rows;
    }
    static MatrixXd shuffled(MatrixXd rows, RandomStream& random) {
        for (Index n = rows.rows() - 1; n > 0; --n)
            rows.row(n).swap(rows.row(static_cast<Index>(random.below(static_cast<std::uint64_t>(n + 1)))));
        return rows;
    }
    /// Standard deviation of the head's logits over evenly spread rows and all keys before them, over that of iid
    /// draws.
    double logitFactor(const MatrixXd& query, const Place& place, const RunControl& control) {
        const LayerInfo& layer = *info().find(place.layer);
        const int kv = kernels::kvHeadOf(HeadIndex{place.head}, layer.nHeads, layer.nKvHeads).value;
        const MatrixXd all = matrixOf(source().load(TensorKind::Key, place.layer, place.prompt, kv, control)->values);
        const std::vector<Index> valid = validRows(place.prompt, all.rows(), false);
        const std::vector<Index> positions = validRows(place.prompt, all.rows(), true);
        double sum = 0.0, squares = 0.0, count = 0.0;
        const Index step = std::max<Index>(1, query.rows() / kLogitRows);
        for (Index i = step - 1; i < query.rows(); i += step)
            for (const Index j : valid) {
                if (layer.causal && j > positions[static_cast<std::size_t>(i)]) break;
                const double logit = layer.scale * query.row(i).dot(all.row(j));
                sum += logit;
                squares += logit * logit;
                count += 1.0;
            }
        const double variance = squares / count - (sum / count) * (sum / count);
        return std::sqrt(std::max(0.0, variance)) / (layer.scale * std::sqrt(static_cast<double>(query.cols())));
    }

    ControlRung rung_;
    std::uint64_t seed_;
};

}  // namespace

const std::vector<ControlRung>& ladder() {
    static const std::vector<ControlRung> kRungs{ControlRung::Gaussian, ControlRung::LogitScale,
                                                 ControlRung::Moments,  ControlRung::Covariance,
                                                 ControlRung::Rotation, ControlRung::Shuffle};
    return kRungs;
}

std::string_view rungName(ControlRung rung) {
    switch (rung) {
        case ControlRung::Gaussian: return "gaussian";
        case ControlRung::LogitScale: return "logit-scale";
        case ControlRung::Moments: return "moments";
        case ControlRung::Covariance: return "covariance";
        case ControlRung::Rotation: return "rotation";
        case ControlRung::Shuffle: return "shuffle";
    }
    return "";
}

std::unique_ptr<HeadSource> controlSource(ControlRung rung, HeadSource& source, std::uint64_t seed) {
    return std::make_unique<ControlSource>(rung, source, seed);
}

}  // namespace dimscope::analysis
