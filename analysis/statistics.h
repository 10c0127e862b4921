// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dimscope::analysis {

// Numbers about numbers; no knowledge of attention.

double meanOf(const std::vector<double>& values);               ///< NaN of nothing
double medianOf(std::vector<double> values);                    ///< NaN of nothing
double standardDeviationOf(const std::vector<double>& values);  ///< with n - 1; NaN below two values
/// Linear between order statistics, p in [0, 1] (the default of NumPy and R, type 7); NaN of nothing.
double quantileOf(std::vector<double> values, double p);

/// Ranks 0 .. n - 1 in ascending order; equal values share the mean of their ranks.
std::vector<double> meanRanks(const std::vector<double>& values);
/// Spearman's rho: the correlation of the ranks. NaN below two values, where a side is constant and where a value is
/// not finite. Both sides have the same length.
double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b);

/// (1 + how many of `draws` are at least `observed`) / (draws + 1): never 0 (Phipson and Smyth 2010).
double permutationP(const std::vector<double>& draws, double observed);

/// Smallest false discovery rates at which each p is rejected, in the order of the values (Benjamini and Hochberg
/// 1995): q_(i) = min over j >= i of p_(j) m / j, at most 1. NaN stays NaN and is not counted in m.
std::vector<double> benjaminiHochberg(const std::vector<double>& p);

/// Ways to choose `chosen` of `count`; infinite where a double cannot hold them.
double binomial(std::size_t count, std::size_t chosen);

/// Percentile interval of 95 % over `units` resampled with replacement, for statistic(which units, with repetition).
/// Empty for fewer than 8 units: every unit's value says more then.
std::optional<std::pair<double, double>> bootstrapInterval(
    std::size_t units, const std::function<double(const std::vector<std::size_t>&)>& statistic, std::uint64_t seed);

}  // namespace dimscope::analysis
