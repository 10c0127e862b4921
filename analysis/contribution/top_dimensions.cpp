// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/top_dimensions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dimscope::analysis {
namespace {

constexpr double kNoShare = std::numeric_limits<double>::quiet_NaN();

/// NaN unless finite and positive.
double totalOf(const std::vector<double>& chi) {
    const double total = std::accumulate(chi.begin(), chi.end(), 0.0);
    return std::isfinite(total) && total > 0.0 ? total : kNoShare;
}

}  // namespace

std::vector<int> topDimensions(const std::vector<double>& chi, int count) {
    std::vector<int> order(chi.size());
    std::iota(order.begin(), order.end(), 0);
    const auto stronger = [&](int a, int b) {
        const double left = chi[static_cast<std::size_t>(a)], right = chi[static_cast<std::size_t>(b)];
        return left > right || (left == right && a > b);
    };
    const auto kept = std::min(static_cast<std::size_t>(count), order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), stronger);
    order.resize(kept);
    return order;
}

double shareOf(const std::vector<int>& dimensions, const std::vector<double>& chi) {
    double sum = 0.0;
    for (const int r : dimensions) sum += chi[static_cast<std::size_t>(r)];
    return sum / totalOf(chi);
}

double topShareOf(const std::vector<double>& chi, int count) { return shareOf(topDimensions(chi, count), chi); }

double overlapOf(const std::vector<int>& a, const std::vector<int>& b) {
    if (a.empty() && b.empty()) return kNoShare;
    const auto common =
        std::count_if(a.begin(), a.end(), [&](int r) { return std::find(b.begin(), b.end(), r) != b.end(); });
    return static_cast<double>(common) / static_cast<double>(std::max(a.size(), b.size()));
}

double effectiveDimensions(const std::vector<double>& chi) {
    const double total = totalOf(chi);
    double squares = 0.0;
    for (const double value : chi) squares += value / total * (value / total);
    return 1.0 / squares;
}

std::vector<double> lorenzCurve(const std::vector<double>& chi) {
    const double total = totalOf(chi);
    std::vector<double> ascending = chi;
    std::sort(ascending.begin(), ascending.end());
    std::vector<double> curve{std::isnan(total) ? kNoShare : 0.0};
    double sum = 0.0;
    for (const double value : ascending) {
        sum += value;
        curve.push_back(sum / total);
    }
    return curve;
}

}  // namespace dimscope::analysis
