// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/feature_calibration.h"

#include <algorithm>
#include <chrono>

#include "analysis/calibration/fit_starts.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Hedgehog;
using kernels::KernelSpec;
using kernels::RandomPurpose;
using kernels::SpectraFormer;
using Clock = std::chrono::steady_clock;

constexpr int kStarts = 3;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::unique_ptr<FeatureMap> mapOf(const KernelSpec& spec, const LayerInfo& layer) {
    if (const auto* spectraFormer = std::get_if<SpectraFormer>(&spec))
        return spectraFormerMap(*spectraFormer, layer.scale);
    return hedgehogMap(std::get<Hedgehog>(spec), layer.headDim);
}

KernelSpec withTheta(const KernelSpec& spec, const VectorXd& theta, Index headDim) {
    if (const auto* spectraFormer = std::get_if<SpectraFormer>(&spec)) return withParameters(*spectraFormer, theta);
    return withParameters(std::get<Hedgehog>(spec), theta, headDim);
}

std::vector<FeatureRows> rowsOf(const FeatureMap& map, const std::vector<HeadRows>& prompts, RowsPart part,
                                const RunControl& control) {
    std::vector<FeatureRows> rows;
    for (const HeadRows& prompt : prompts)
        if (!(prompt.*part).empty()) rows.push_back(featureRows(map, *prompt.tensors, prompt.*part, control));
    return rows;
}

std::size_t countOf(const std::vector<FeatureRows>& prompts) {
    std::size_t count = 0;
    for (const FeatureRows& prompt : prompts) count += prompt.rows.size();
    return count;
}

}  // namespace

bool hasFeatureMap(const KernelSpec& spec) {
    return std::holds_alternative<SpectraFormer>(spec) || std::holds_alternative<Hedgehog>(spec);
}

const std::vector<FeatureRows>& FeatureCalibration::Prepared::of(RowsPart part) const {
    if (part == &HeadRows::train) return train;
    return part == &HeadRows::validation ? validation : evaluation;
}

FeatureCalibration::FeatureCalibration(const CalibrationParams& params, const LayerInfo& layer,
                                       const std::vector<Member>& members, const RunControl& control)
    : params_(params), layer_(layer), members_(members) {
    const Clock::time_point start = Clock::now();
    for (const Member& member : members_) {
        Prepared prepared{mapOf(member.untrained, layer), {}, {}, {}};
        prepared.train = rowsOf(*prepared.map, *member.prompts, &HeadRows::train, control);
        prepared.validation = rowsOf(*prepared.map, *member.prompts, &HeadRows::validation, control);
        if (countOf(prepared.train) == 0 || countOf(prepared.validation) == 0)
            throw kernels::ArgumentError("layer " + std::to_string(layer.layer.value) + " head " +
                                         std::to_string(member.head.value) +
                                         ": no usable row to train or to validate on");
        prepared_.push_back(std::move(prepared));
    }
    secondsBefore_ = secondsSince(start);
    for (std::size_t n = 0; n < members_.size(); ++n)
        prepared_[n].evaluation = rowsOf(*prepared_[n].map, *members_[n].prompts, &HeadRows::evaluation, control);
}

double FeatureCalibration::mseOf(const Prepared& member, const VectorXd& theta, RowsPart part) const {
    const FeatureMap::Maps maps = member.map->maps(theta);
    double sum = 0.0;
    for (const FeatureRows& prompt : member.of(part)) sum += squaredError(*member.map, maps, prompt);
    return sum / static_cast<double>(countOf(member.of(part)) * static_cast<std::size_t>(layer_.valueDim));
}

double FeatureCalibration::mse(const VectorXd& theta, RowsPart part) const {
    double sum = 0.0;
    for (const Prepared& member : prepared_) sum += mseOf(member, theta, part);
    return sum / static_cast<double>(prepared_.size());
}

VectorXd FeatureCalibration::gradient(const VectorXd& theta, std::size_t sequence,
                                      const std::vector<std::size_t>& rows) const {
    VectorXd sum = VectorXd::Zero(theta.size());
    if (rows.empty()) return sum;
    for (const Prepared& member : prepared_) {
        const FeatureMap::Maps maps = member.map->maps(theta);
        const MatrixXd zero = MatrixXd::Zero(maps.query.rows(), maps.query.cols());
        FeatureMap::Maps slopes{zero, zero};
        addSlopes(*member.map, maps, member.train[sequence], rows, slopes);
        sum += member.map->slopes(theta, slopes);
    }
    return sum / static_cast<double>(rows.size() * prepared_.size() * static_cast<std::size_t>(layer_.valueDim));
}

std::vector<FitStart> FeatureCalibration::starts() const {
    const KernelSpec& untrained = members_.front().untrained;
    const int count = params_.starts > 0 ? params_.starts : kStarts;
    const kernels::RandomStream random =
        fitStream(params_.seed, RandomPurpose::CalibrationStarts, layer_.layer, members_.front().head, untrained);
    if (const auto* spectraFormer = std::get_if<SpectraFormer>(&untrained))
        return spectraFormerStarts(spectraFormerParameters(*spectraFormer), count, random);
    return hedgehogStarts(hedgehogParameters(std::get<Hedgehog>(untrained), layer_.headDim), count, random);
}

BatchProblem FeatureCalibration::problem() const {
    BatchProblem problem;
    for (std::size_t sequence = 0; sequence < prepared_.front().train.size(); ++sequence) {
        std::size_t least = prepared_.front().train[sequence].rows.size();
        for (const Prepared& member : prepared_) least = std::min(least, member.train[sequence].rows.size());
        problem.rowsOfSequence.push_back(least);
    }
    problem.gradient = [this](const VectorXd& theta, std::size_t sequence, const std::vector<std::size_t>& rows) {
        return gradient(theta, sequence, rows);
    };
    problem.validationMse = [this](const VectorXd& theta) { return mse(theta, &HeadRows::validation); };
    return problem;
}

KernelFit FeatureCalibration::described(std::size_t member, const FitResult& found, double seconds) const {
    const Prepared& prepared = prepared_[member];
    const KernelSpec& untrained = members_[member].untrained;
    KernelFit fit{.layer = layer_.layer,
                  .head = members_[member].head,
                  .kernel = std::string(kernels::kernelName(untrained)),
                  .spec = withTheta(untrained, found.theta, layer_.headDim),
                  .startMse = mseOf(prepared, starts().front().checkpoint, &HeadRows::validation),
                  .trainMse = mseOf(prepared, found.theta, &HeadRows::train),
                  .validationMse = mseOf(prepared, found.theta, &HeadRows::validation),
                  .updates = found.updates,
                  .start = found.start,
                  .seconds = seconds,
                  .cancelled = found.cancelled};
    if (!found.cancelled && !prepared.evaluation.empty())
        fit.evaluationMse = mseOf(prepared, found.theta, &HeadRows::evaluation);
    return fit;
}

std::vector<KernelFit> FeatureCalibration::fit(FitProgress& progress) const {
    const Clock::time_point start = Clock::now();
    const kernels::RandomStream random = fitStream(params_.seed, RandomPurpose::CalibrationBatches, layer_.layer,
                                                   members_.front().head, members_.front().untrained);
    const FitResult found = fitAdam(problem(), starts(), {}, random, progress);
    const double seconds = (secondsBefore_ + secondsSince(start)) / static_cast<double>(members_.size());
    std::vector<KernelFit> fits;
    for (std::size_t n = 0; n < members_.size(); ++n) fits.push_back(described(n, found, seconds));
    progress.reach(1.0);
    return fits;
}

}  // namespace dimscope::analysis
