// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/compare.h"

#include <cmath>
#include <limits>

namespace dimscope::tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double difference(double got, double expected) {
    if (std::isnan(got) && std::isnan(expected)) return 0.0;
    const double d = std::abs(got - expected);
    return std::isfinite(d) ? d : kInfinity;
}

}  // namespace

double relativeError(std::span<const double> got, std::span<const double> expected) {
    if (got.size() != expected.size()) return kInfinity;
    double largest = 0.0, squares = 0.0, count = 0.0;
    for (std::size_t n = 0; n < got.size(); ++n) {
        largest = std::max(largest, difference(got[n], expected[n]));
        if (std::isnan(expected[n])) continue;
        squares += expected[n] * expected[n];
        count += 1.0;
    }
    const double rms = count > 0.0 ? std::sqrt(squares / count) : 0.0;
    return rms > 0.0 ? largest / rms : largest;
}

double relativeError(const kernels::Matrix<double>& got, const kernels::Matrix<double>& expected) {
    if (got.rows() != expected.rows() || got.cols() != expected.cols()) return kInfinity;
    return relativeError(got.values(), expected.values());
}

testing::AssertionResult near(std::span<const double> got, std::span<const double> expected, double bound) {
    const double error = relativeError(got, expected);
    if (error <= bound) return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure() << "error " << error << " above " << bound;
    if (got.size() != expected.size()) return failure << "; sizes " << got.size() << " and " << expected.size();
    for (std::size_t n = 0; n < got.size(); ++n)
        if (!(difference(got[n], expected[n]) <= bound * std::abs(expected[n])))
            return failure << "; entry " << n << " is " << got[n] << ", expected " << expected[n];
    return failure;
}

testing::AssertionResult near(const kernels::Matrix<double>& got, const kernels::Matrix<double>& expected,
                              double bound) {
    return near(std::span(got.values()), std::span(expected.values()), bound);
}

}  // namespace dimscope::tests
