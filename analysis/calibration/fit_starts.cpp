// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/fit_starts.h"

#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/random_features.h"

namespace dimscope::analysis {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using kernels::packedIndex;

constexpr double kNoise = 0.03;   // standard deviation of the recipe's perturbed start
constexpr double kJitter = 1e-3;  // on the diagonal that an expanded global factor leaves empty

VectorXd perturbedStart(const VectorXd& theta, double spread, kernels::RandomStream& random) {
    VectorXd moved = theta;
    for (double& x : moved) x += spread * random.normal();
    return moved;
}

/// Columns 2.. of an expanded factor are zero, and so is their gradient: without this a fit never leaves rank 2.
VectorXd jitteredStart(VectorXd theta, int groups) {
    for (int g = 2; g <= groups; ++g) theta[packedIndex(g, g)] += kJitter;
    return theta;
}

std::vector<FitStart> firstOf(std::vector<FitStart> starts, int count) {
    starts.resize(std::min(starts.size(), static_cast<std::size_t>(count)));
    return starts;
}

}  // namespace

kernels::RandomStream fitStream(std::uint64_t seed, kernels::RandomPurpose purpose, kernels::LayerIndex layer,
                                kernels::HeadIndex head, const kernels::KernelSpec& spec) {
    return {seed, purpose, layer.value, head.value * 64 + static_cast<int>(spec.index())};
}

Vector3d taylorStart(double epsilon) {
    const double l00 = std::sqrt(1.0 - epsilon);
    const double l10 = 0.5 / l00;
    return {l00, l10, std::sqrt(0.5 - l10 * l10)};
}

VectorXd expandedToGroups(const Vector3d& global, int groups) {
    VectorXd theta = VectorXd::Zero(kernels::packedLength(groups + 1));
    theta[0] = global[0];
    for (int g = 1; g <= groups; ++g) {
        theta[packedIndex(g, 0)] = global[1];
        theta[packedIndex(g, 1)] = global[2];
    }
    return theta;
}

std::vector<FitStart> globalStarts(double epsilon, int count, kernels::RandomStream random) {
    const Vector3d taylor = taylorStart(epsilon);
    std::vector<FitStart> starts{{taylor, taylor},
                                 {Vector3d(1.0, 0.1, 0.1), Vector3d(1.0, 0.1, 0.1)},
                                 {taylor, perturbedStart(taylor, kNoise, random)}};
    // Weak and strong slopes of both signs, and nearly perfect squares, where many heads end.
    for (const Vector3d& point : {Vector3d(1.0, 1.0, 0.03), Vector3d(1.0, -0.3, 0.1), Vector3d(1.0, 0.01, 0.01),
                                  Vector3d(0.1, 0.3, 1.0), Vector3d(1.0, 0.1, 0.01)})
        starts.push_back({point, point});
    return firstOf(std::move(starts), count);
}

std::vector<FitStart> oalStarts(const Vector3d& learnedGlobal, int groups, double epsilon, int count,
                                kernels::RandomStream random) {
    const VectorXd learned = expandedToGroups(learnedGlobal, groups);
    const VectorXd taylor = expandedToGroups(taylorStart(epsilon), groups);
    std::vector<FitStart> starts{{learned, jitteredStart(learned, groups)},
                                 {taylor, jitteredStart(taylor, groups)},
                                 {learned, perturbedStart(learned, kNoise, random)}};
    const double size = learned.cwiseAbs().maxCoeff();
    for (const double spread : {0.1, 0.03, 0.3, 0.1, 0.01})
        starts.push_back({learned, perturbedStart(learned, spread * size, random)});
    return firstOf(std::move(starts), count);
}

std::vector<FitStart> taylorShiftStarts(int count) {
    std::vector<FitStart> starts;
    for (const double tau : {1.0, 0.1, 3.0, 10.0, -1.0, 30.0, -5.0, 100.0})
        starts.push_back({VectorXd::Constant(1, tau), VectorXd::Constant(1, tau)});
    return firstOf(std::move(starts), count);
}

std::vector<FitStart> diJiangStarts(Eigen::Index features, int count, kernels::RandomStream random) {
    const VectorXd zero = VectorXd::Zero(features);
    std::vector<FitStart> starts{{zero, zero}};
    for (const double spread : {kNoise, kNoise}) starts.push_back({zero, perturbedStart(zero, spread, random)});
    return firstOf(std::move(starts), count);
}

std::vector<FitStart> spectraFormerStarts(const VectorXd& drawn, int count, kernels::RandomStream random) {
    std::vector<FitStart> starts{{drawn, drawn}, {drawn, perturbedStart(drawn, kNoise, random)}};
    const kernels::FastFoodDraw draw = kernels::fastFoodDraw(static_cast<int>(drawn.size() / 3), random.next64(), 0);
    VectorXd anew(drawn.size());
    std::copy(draw.b.begin(), draw.b.end(), anew.begin());
    std::copy(draw.g.begin(), draw.g.end(), anew.begin() + drawn.size() / 3);
    std::copy(draw.s.begin(), draw.s.end(), anew.begin() + 2 * (drawn.size() / 3));
    starts.push_back({anew, anew});
    return firstOf(std::move(starts), count);
}

std::vector<FitStart> hedgehogStarts(const VectorXd& maps, int count, kernels::RandomStream random) {
    std::vector<FitStart> starts{{maps, maps}, {maps, perturbedStart(maps, kNoise, random)}};
    const double bound = std::pow(0.5 * static_cast<double>(maps.size()), -0.25);  // 1 / sqrt(head_dim)
    VectorXd anew = maps;
    for (double& x : anew) x = bound * (2.0 * random.uniform() - 1.0);
    starts.push_back({anew, anew});
    return firstOf(std::move(starts), count);
}

}  // namespace dimscope::analysis
