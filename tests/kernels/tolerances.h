// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace dimscope::tests {

/// Allowed error of outputs relative to their RMS on the cases of backend_test (spread up to 3).
/// reference: double sums of at most 200 terms lose about 1e-13.
/// cpu, cuda: float products lose 6e-8 times the logit (up to 30 at spread 3), which exp passes on; observed 1.3e-5.
inline double outputTolerance(const std::string& backend) { return backend == "reference" ? 1e-12 : 5e-5; }

/// Full-sequence operators in float on the cases of operator_test, largest deviation over the RMS of the output: the
/// bound that users are promised; observed 1.7e-5 (carried state whose key shift is a single key).
inline constexpr double kOperatorTolerance = 1e-4;

/// chi and magnitudes: double sums on every backend; inputs are exact in float.
inline constexpr double kProfileTolerance = 1e-12;
/// Effective contribution: a variance from centred prefix sums; observed 3e-13.
inline constexpr double kDeviationTolerance = 1e-9;

}  // namespace dimscope::tests
