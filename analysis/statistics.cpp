// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLeastUnits = 8;
constexpr int kResamples = 2000;

}  // namespace

double meanOf(const std::vector<double>& values) {
    if (values.empty()) return kUndefined;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double medianOf(std::vector<double> values) { return quantileOf(std::move(values), 0.5); }

double standardDeviationOf(const std::vector<double>& values) {
    if (values.size() < 2) return kUndefined;
    const double mean = meanOf(values);
    double squares = 0.0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantileOf(std::vector<double> values, double p) {
    if (values.empty()) return kUndefined;
    std::sort(values.begin(), values.end());
    const double place = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<double> meanRanks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
        while (to < order.size() && !(values[order[from]] < values[order[to]])) ++to;
        for (std::size_t n = from; n < to; ++n) ranks[order[n]] = 0.5 * static_cast<double>(from + to - 1);
    }
    return ranks;
}

double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b) {
    assert(a.size() == b.size());
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(a.begin(), a.end(), finite) || !std::all_of(b.begin(), b.end(), finite)) return kUndefined;
    const std::vector<double> ranksA = meanRanks(a), ranksB = meanRanks(b);
    const double mean = 0.5 * static_cast<double>(a.size() - 1);
    double squaresA = 0.0, squaresB = 0.0, products = 0.0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        squaresA += (ranksA[n] - mean) * (ranksA[n] - mean);
        squaresB += (ranksB[n] - mean) * (ranksB[n] - mean);
        products += (ranksA[n] - mean) * (ranksB[n] - mean);
    }
    return squaresA > 0.0 && squaresB > 0.0 ? products / std::sqrt(squaresA * squaresB) : kUndefined;
}

double permutationP(const std::vector<double>& draws, double observed) {
    const auto atLeast = std::count_if(draws.begin(), draws.end(), [&](double draw) { return draw >= observed; });
    return static_cast<double>(1 + atLeast) / static_cast<double>(draws.size() + 1);
}

std::vector<double> benjaminiHochberg(const std::vector<double>& p) {
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n < p.size(); ++n)
        if (!std::isnan(p[n])) order.push_back(n);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> q(p.size(), kUndefined);
    double least = 1.0;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        const std::size_t n = order[rank - 1];
        least = std::min(least, p[n] * static_cast<double>(order.size()) / static_cast<double>(rank));
        q[n] = least;
    }
    return q;
}

double binomial(std::size_t count, std::size_t chosen) {
    if (chosen > count) return 0.0;
    double ways = 1.0;
    for (std::size_t n = 1; n <= std::min(chosen, count - chosen); ++n)
        ways = std::round(ways * static_cast<double>(count - n + 1) / static_cast<double>(n));
    return ways;
}

std::optional<std::pair<double, double>> bootstrapInterval(
    std::size_t units, const std::function<double(const std::vector<std::size_t>&)>& statistic, std::uint64_t seed) {
    if (units < kLeastUnits) return std::nullopt;
    kernels::RandomStream random(seed, kernels::RandomPurpose::SequenceBootstrap);
    std::vector<double> values;
    std::vector<std::size_t> chosen(units);
    for (int n = 0; n < kResamples; ++n) {
        for (std::size_t& unit : chosen) unit = static_cast<std::size_t>(random.below(units));
        if (const double value = statistic(chosen); std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) return std::nullopt;
    return std::pair(quantileOf(values, 0.025), quantileOf(values, 0.975));
}

}  // namespace dimscope::analysis
