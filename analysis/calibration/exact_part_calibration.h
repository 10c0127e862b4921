// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/calibration.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Gives every fit of a calibration the gate of result.params.exactPart (section 13.6): least squared error with the
/// fitted parameters on the training rows, and the error with it on the validation rows. The parameters themselves stay
/// as they were fitted, without an exact part. A cancelled run leaves the rest without a gate. Throws what loading
/// throws.
void fitExactPart(CalibrationResult& result, HeadSource& source, kernels::Backend& backend, const RunControl& control);

}  // namespace dimscope::analysis
