// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/gate_calibration.h"

#include <Eigen/QR>
#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/backend_registry.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using kernels::KernelSpec;
using kernels::LinearZeros;
using kernels::RetNet;
using kernels::ZerosSm;

/// Exact outputs and those of the kernel with one gate open at a time, over rows and value coordinates.
struct GateRows {
    MatrixXd basis;  // (rows * value_dim, gates)
    VectorXd exact;  // (rows * value_dim)

    double mse(const VectorXd& gates) const {
        return (basis * gates - exact).squaredNorm() / static_cast<double>(exact.size());
    }
};

KernelSpec withGates(KernelSpec spec, const VectorXd& gates) {
    if (auto* zeros = std::get_if<ZerosSm>(&spec)) *zeros = {gates[0], gates[1], 0.0};
    if (auto* linear = std::get_if<LinearZeros>(&spec)) {
        linear->sigma1 = gates[0];
        linear->sigmah = gates[1];
        linear->sigma0 = 0.0;
    }
    if (auto* retNet = std::get_if<RetNet>(&spec)) retNet->scale = gates[0];
    return spec;
}

/// Softmax, then the kernel with one gate open at a time, closed elsewhere.
std::vector<KernelSpec> basisSpecs(const KernelSpec& untrained) {
    const Index gates = std::holds_alternative<RetNet>(untrained) ? 1 : 2;
    std::vector<KernelSpec> specs{kernels::Softmax{}};
    for (Index g = 0; g < gates; ++g) specs.push_back(withGates(untrained, VectorXd::Unit(gates, g)));
    return specs;
}

/// On the reference backend: double, and the very weights that a comparison has.
GateRows gateRows(const std::vector<HeadRows>& prompts, RowsPart part, const std::vector<KernelSpec>& specs,
                  const RunControl& control) {
    const auto backend = kernels::makeBackend("reference");
    std::vector<double> values;  // exact and every gate, entry by entry
    for (const HeadRows& prompt : prompts) {
        if ((prompt.*part).empty()) continue;
        const kernels::RowsJob job{prompt.inputs, prompt.*part, specs, false};
        const auto outputs = backend->attendRows({&job, 1}, control).front();
        for (Index i = 0; i < outputs.front().values.rows(); ++i) {
            const bool bad = std::any_of(outputs.begin(), outputs.end(), [&](const kernels::RowsOutput& output) {
                return output.bad[static_cast<std::size_t>(i)] != 0;
            });
            for (Index c = 0; !bad && c < outputs.front().values.cols(); ++c)
                for (const kernels::RowsOutput& output : outputs) values.push_back(output.values(i, c));
        }
    }
    const auto columns = static_cast<Index>(specs.size());
    const Eigen::Map<const MatrixXd> all(values.data(), columns, static_cast<Index>(values.size()) / columns);
    return {all.bottomRows(columns - 1).transpose(), all.row(0).transpose()};
}

VectorXd startGates(const KernelSpec& spec) {
    if (const auto* zeros = std::get_if<ZerosSm>(&spec)) return Vector2d(zeros->sigma1, zeros->sigmah);
    if (const auto* linear = std::get_if<LinearZeros>(&spec)) return Vector2d(linear->sigma1, linear->sigmah);
    return VectorXd::Constant(1, std::get<RetNet>(spec).scale);
}

}  // namespace

bool hasClosedForm(const KernelSpec& spec) {
    return std::holds_alternative<ZerosSm>(spec) || std::holds_alternative<LinearZeros>(spec) ||
           std::holds_alternative<RetNet>(spec);
}

VectorXd leastSquares(const MatrixXd& basis, const VectorXd& exact) {
    // Of least norm where the basis is dependent: a head of which every row sees one key has no first order.
    return basis.completeOrthogonalDecomposition().solve(exact);
}

Vector2d leastSquaresInBox(const MatrixXd& basis, const VectorXd& exact) {
    const Vector2d free = leastSquares(basis, exact);
    if (free.minCoeff() >= 0.0 && free.maxCoeff() <= 1.0) return free;
    // The error is convex: where its least point lies outside, the least one inside lies on an edge.
    Vector2d best = Vector2d::Zero();
    double least = std::numeric_limits<double>::infinity();
    for (const int fixed : {0, 1})
        for (const double value : {0.0, 1.0}) {
            const VectorXd along = basis.col(1 - fixed);
            const VectorXd rest = exact - value * basis.col(fixed);
            const double square = along.squaredNorm();
            Vector2d gates;
            gates[fixed] = value;
            gates[1 - fixed] = square > 0.0 ? std::clamp(along.dot(rest) / square, 0.0, 1.0) : 0.0;
            const double error = (basis * gates - exact).squaredNorm();
            if (error < least) {
                least = error;
                best = gates;
            }
        }
    return best;
}

KernelFit fitGates(const CalibrationParams& params, const LayerInfo& layer, HeadIndex head,
                   const std::vector<HeadRows>& prompts, const KernelSpec& untrained, FitProgress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<KernelSpec> specs = basisSpecs(untrained);
    const GateRows train = gateRows(prompts, &HeadRows::train, specs, progress.control());
    const GateRows validation = gateRows(prompts, &HeadRows::validation, specs, progress.control());
    if (train.exact.size() == 0 || validation.exact.size() == 0)
        throw kernels::ArgumentError("layer " + std::to_string(layer.layer.value) + " head " +
                                     std::to_string(head.value) + ": no usable row to train or to validate on");
    VectorXd gates = std::holds_alternative<ZerosSm>(untrained) ? VectorXd(leastSquaresInBox(train.basis, train.exact))
                                                                : leastSquares(train.basis, train.exact);
    const VectorXd before = startGates(untrained);
    KernelFit fit{.layer = layer.layer,
                  .head = head,
                  .kernel = std::string(kernels::kernelName(untrained)),
                  .spec = {},
                  .startMse = validation.mse(before),
                  .updates = 1};
    if (!(validation.mse(gates) <= fit.startMse)) gates = before;
    fit.spec = withGates(untrained, gates);
    fit.trainMse = train.mse(gates);
    fit.validationMse = validation.mse(gates);
    fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!params.evaluation.empty())
        fit.evaluationMse = gateRows(prompts, &HeadRows::evaluation, specs, progress.control()).mse(gates);
    progress.reach(1.0);
    return fit;
}

}  // namespace dimscope::analysis
