// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "kernels/matrix.h"

namespace dimscope::tests {

/// Largest |got - expected| relative to the RMS of `expected` (to 1 where that is 0). Infinite when either has a NaN or
/// infinity that the other has not, so that a comparison with a bound fails.
double relativeError(std::span<const double> got, std::span<const double> expected);
double relativeError(const kernels::Matrix<double>& got, const kernels::Matrix<double>& expected);

/// EXPECT_PRED form: passes when the error is at most `bound`; prints the first differing entry.
testing::AssertionResult near(const kernels::Matrix<double>& got, const kernels::Matrix<double>& expected,
                              double bound);
testing::AssertionResult near(std::span<const double> got, std::span<const double> expected, double bound);

}  // namespace dimscope::tests
