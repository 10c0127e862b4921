// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/doctor/doctor.h"
#include "analysis/figure.h"
#include "analysis/figures/findings.h"

namespace dimscope::analysis {

/// Largest attention mass that one key draws from afar, by layer and head.
Figure sinkMassFigure(const DoctorResult& result);

/// What failed, what is suspicious, and that the output is reproduced; at most five sentences.
std::vector<Finding> doctorFindings(const DoctorResult& result);

}  // namespace dimscope::analysis
