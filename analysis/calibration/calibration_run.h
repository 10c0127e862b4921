// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <mutex>

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/calibration_rows.h"
#include "analysis/calibration/fit_progress.h"
#include "analysis/calibration/head_rows.h"

namespace dimscope::analysis {

/// What one thread fits without the others: kernels of one head, or one kernel that all heads of a layer share.
struct FitTask {
    const LayerInfo* layer;
    std::vector<HeadIndex> heads;
    std::vector<std::string> kernels;
    std::vector<KernelFit> fits = {};
    std::vector<Warning> warnings = {};
};

/// Tasks of all layers, the long ones first.
std::vector<FitTask> fitTasks(const CalibrationParams& params, const std::vector<LayerInfo>& layers);

/// Everything that the fits of one run share; loading goes through one lock.
class CalibrationRun {
public:
    /// `fits`: how many there will be, heads times kernels. All arguments outlive this.
    CalibrationRun(const CalibrationParams& params, const KernelFactory& factory, HeadSource& source,
                   std::vector<CalibrationRows> rows, Index length, std::size_t fits, const RunControl& control)
        : params_(params),
          factory_(factory),
          source_(source),
          rows_(std::move(rows)),
          length_(length),
          share_(1.0 / static_cast<double>(fits)),
          control_(control) {}

    /// Fits as many kernels as it gets to before a cancel.
    void run(FitTask& task);

private:
    struct LoadedHead {
        HeadIndex head;
        std::vector<HeadRows> prompts;
    };
    bool asksFor(const std::string& kernel) const;
    void fitHead(FitTask& task, const LoadedHead& loaded);
    void fitShared(FitTask& task, const std::vector<LoadedHead>& loaded);
    /// `global`: the fit that oal starts from.
    KernelFit fitOne(FitTask& task, const LoadedHead& loaded, const std::string& kernel, const KernelFit* global);
    /// Without heads that have values that are not finite.
    std::vector<LoadedHead> load(FitTask& task);

    const CalibrationParams& params_;
    const KernelFactory& factory_;
    HeadSource& source_;
    std::vector<CalibrationRows> rows_;
    Index length_;
    double share_;
    RunControl control_;
    std::atomic<double> progress_{0.0};
    std::mutex loading_;
};

}  // namespace dimscope::analysis
