// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/head_rows.h"
#include "analysis/calibration/parameter_fit.h"

namespace dimscope::analysis {

/// One fit of a linear kernel of one head: rows prepared, searched and judged.
class HeadCalibration {
public:
    /// `prompts` outlives this.
    HeadCalibration(const CalibrationParams& params, const LayerInfo& layer, HeadIndex head,
                    const std::vector<HeadRows>& prompts);

    /// Fits the kernel `untrained` is one of. `learnedGlobal`: where oal starts; needed for it alone.
    /// Throws Cancelled only while rows are prepared: then there is nothing to keep.
    KernelFit fit(const kernels::KernelSpec& untrained, const KernelFit* learnedGlobal, FitProgress& progress) const;

private:
    FitRows rowsOf(const LinearKernel& kernel, RowsPart part, const RunControl& control) const;
    FitResult search(const LinearKernel& kernel, const kernels::KernelSpec& untrained, const KernelFit* learnedGlobal,
                     const FitRows& train, const FitRows& validation, FitProgress& progress) const;
    std::vector<FitStart> startsOf(const kernels::KernelSpec& untrained, const KernelFit* learnedGlobal) const;
    BatchProblem batchesOf(const LinearKernel& kernel, const FitRows& validation) const;

    const CalibrationParams& params_;
    const LayerInfo& layer_;
    HeadIndex head_;
    const std::vector<HeadRows>& prompts_;
};

}  // namespace dimscope::analysis
