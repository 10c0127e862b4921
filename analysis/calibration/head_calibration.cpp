// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/head_calibration.h"

#include <chrono>

#include "analysis/calibration/fit_starts.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::RandomPurpose;
using kernels::RandomStream;

constexpr int kAdamStarts = 3, kGaussNewtonStarts = 8;

std::unique_ptr<LinearKernel> linearKernelOf(const KernelSpec& spec, Index headDim) {
    if (const auto* global = std::get_if<kernels::GlobalQuadratic>(&spec))
        return quadraticKernel(std::vector<int>(static_cast<std::size_t>(headDim), 0), global->epsilon);
    if (const auto* oal = std::get_if<kernels::Oal>(&spec)) return quadraticKernel(oal->label, oal->epsilon);
    if (std::holds_alternative<kernels::TaylorShift>(spec)) return taylorShiftKernel();
    if (const auto* diJiang = std::get_if<kernels::DiJiang>(&spec))
        return diJiangKernel(*diJiang->t, diJiang->orientation == kernels::DiJiang::Orientation::Inverse);
    throw kernels::ArgumentError(std::string(kernels::kernelName(spec)) + " has no parameters that calibration fits");
}

KernelSpec withParameters(KernelSpec spec, const Eigen::VectorXd& theta) {
    const std::vector<double> values(theta.begin(), theta.end());
    if (auto* global = std::get_if<kernels::GlobalQuadratic>(&spec))
        std::copy(values.begin(), values.end(), global->factor.begin());
    if (auto* oal = std::get_if<kernels::Oal>(&spec)) oal->factor = values;
    if (auto* shift = std::get_if<kernels::TaylorShift>(&spec)) shift->tau = values.front();
    if (auto* diJiang = std::get_if<kernels::DiJiang>(&spec))
        diJiang->theta = std::make_shared<const std::vector<double>>(values);
    return spec;
}

Eigen::Vector3d globalFactor(const KernelFit& fit) {
    const auto& factor = std::get<kernels::GlobalQuadratic>(fit.spec).factor;
    return {factor[0], factor[1], factor[2]};
}

}  // namespace

HeadCalibration::HeadCalibration(const CalibrationParams& params, const LayerInfo& layer, HeadIndex head,
                                 const std::vector<HeadRows>& prompts)
    : params_(params), layer_(layer), head_(head), prompts_(prompts) {}

FitRows HeadCalibration::rowsOf(const LinearKernel& kernel, RowsPart part, const RunControl& control) const {
    std::vector<FitRows> parts;
    for (const HeadRows& prompt : prompts_)
        if (!(prompt.*part).empty())
            parts.push_back(fitRows(kernel, *kernel.features(*prompt.tensors), *prompt.tensors, prompt.*part, control));
    return joined(parts);
}

std::vector<FitStart> HeadCalibration::startsOf(const KernelSpec& untrained, const KernelFit* learnedGlobal) const {
    const bool oneBasin = std::holds_alternative<kernels::DiJiang>(untrained);  // its starts meet again
    const int own = params_.method == FitMethod::Adam ? kAdamStarts : (oneBasin ? 1 : kGaussNewtonStarts);
    const int count = params_.starts > 0 ? params_.starts : own;
    RandomStream random = fitStream(params_.seed, RandomPurpose::CalibrationStarts, layer_.layer, head_, untrained);
    if (const auto* global = std::get_if<kernels::GlobalQuadratic>(&untrained))
        return globalStarts(global->epsilon, count, random);
    if (const auto* oal = std::get_if<kernels::Oal>(&untrained))
        return oalStarts(globalFactor(*learnedGlobal), oal->groups, oal->epsilon, count, random);
    if (std::holds_alternative<kernels::TaylorShift>(untrained)) return taylorShiftStarts(count);
    return diJiangStarts(layer_.headDim, count, random);
}

BatchProblem HeadCalibration::batchesOf(const LinearKernel& kernel, const FitRows& validation) const {
    BatchProblem problem;
    std::vector<const HeadRows*> sequences;
    auto features = std::make_shared<std::vector<std::unique_ptr<PairFeatures>>>();
    for (const HeadRows& prompt : prompts_) {
        if (prompt.train.empty()) continue;
        problem.rowsOfSequence.push_back(prompt.train.size());
        sequences.push_back(&prompt);
        features->push_back(kernel.features(*prompt.tensors));
    }
    problem.gradient = [&kernel, sequences, features](const Eigen::VectorXd& theta, std::size_t sequence,
                                                      const std::vector<std::size_t>& rows) -> Eigen::VectorXd {
        std::vector<Index> positions;
        for (const std::size_t row : rows) positions.push_back(sequences[sequence]->train[row]);
        // Without the run's control: a cancelled fit ends between two updates and keeps the best so far.
        const FitRows drawn =
            fitRows(kernel, *(*features)[sequence], *sequences[sequence]->tensors, positions, RunControl());
        return kernel.derivative(theta).transpose() * drawn.gradient(kernel.coefficients(theta));
    };
    problem.validationMse = [&](const Eigen::VectorXd& theta) { return validation.mse(kernel.coefficients(theta)); };
    return problem;
}

FitResult HeadCalibration::search(const LinearKernel& kernel, const KernelSpec& untrained,
                                  const KernelFit* learnedGlobal, const FitRows& train, const FitRows& validation,
                                  FitProgress& progress) const {
    const std::vector<FitStart> starts = startsOf(untrained, learnedGlobal);
    const RandomStream random =
        fitStream(params_.seed, RandomPurpose::CalibrationBatches, layer_.layer, head_, untrained);
    if (params_.method == FitMethod::GaussNewton)
        return fitGaussNewton(kernel, train, validation, starts, random, progress);
    return fitAdam(batchesOf(kernel, validation), starts, {}, random, progress);
}

KernelFit HeadCalibration::fit(const KernelSpec& untrained, const KernelFit* learnedGlobal,
                               FitProgress& progress) const {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point since) {
        return std::chrono::duration<double>(Clock::now() - since).count();
    };
    const auto kernel = linearKernelOf(untrained, layer_.headDim);
    const Clock::time_point start = Clock::now();
    const FitRows train = rowsOf(*kernel, &HeadRows::train, progress.control());
    const double trainSeconds = seconds(start);
    const FitRows validation = rowsOf(*kernel, &HeadRows::validation, progress.control());
    if (train.count() == 0 || validation.count() == 0)
        throw kernels::ArgumentError("layer " + std::to_string(layer_.layer.value) + " head " +
                                     std::to_string(head_.value) + ": no usable row to train or to validate on");

    const FitResult found = search(*kernel, untrained, learnedGlobal, train, validation, progress);
    const auto mse = [&](const FitRows& rows) { return rows.mse(kernel->coefficients(found.theta)); };
    KernelFit fit{.layer = layer_.layer,
                  .head = head_,
                  .kernel = std::string(kernels::kernelName(untrained)),
                  .spec = withParameters(untrained, found.theta),
                  .trainMse = mse(train),
                  .validationMse = found.validationMse,
                  .updates = found.updates,
                  .start = found.start,
                  .seconds = seconds(start),
                  .cancelled = found.cancelled};
    // Adam does not need the prepared training rows, which only the training error is taken on.
    if (params_.method == FitMethod::Adam) fit.seconds -= trainSeconds;
    fit.startMse = validation.mse(kernel->coefficients(startsOf(untrained, learnedGlobal).front().checkpoint));
    if (learnedGlobal && std::holds_alternative<kernels::Oal>(untrained)) {
        fit.startMse = learnedGlobal->startMse;
        // The expanded factor is the same kernel as the global one; only the order of its sums differs.
        if (found.fromStart) fit.validationMse = learnedGlobal->validationMse;
    }
    if (!found.cancelled && !params_.evaluation.empty())
        fit.evaluationMse = mse(rowsOf(*kernel, &HeadRows::evaluation, RunControl()));
    progress.reach(1.0);
    return fit;
}

}  // namespace dimscope::analysis
