// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration_run.h"

#include <algorithm>

#include "analysis/calibration/feature_calibration.h"
#include "analysis/calibration/gate_calibration.h"
#include "analysis/calibration/head_calibration.h"
#include "analysis/head_loader.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

/// One set of parameters for all query heads of a layer (section 2.2).
bool isShared(const std::string& kernel) { return kernel == "spectraformer"; }

}  // namespace

std::vector<FitTask> fitTasks(const CalibrationParams& params, const std::vector<LayerInfo>& layers) {
    std::vector<std::string> shared, own;
    for (const std::string& kernel : params.kernels) (isShared(kernel) ? shared : own).push_back(kernel);
    std::vector<FitTask> tasks;
    for (const std::string& kernel : shared)
        for (const LayerInfo& layer : layers)
            tasks.push_back({&layer, selectedHeads(params.selection, layer), {kernel}});
    for (const LayerInfo& layer : layers)
        for (const HeadIndex head : selectedHeads(params.selection, layer))
            if (!own.empty()) tasks.push_back({&layer, {head}, own});
    return tasks;
}

void CalibrationRun::run(FitTask& task) {
    if (control_.cancelled()) return;
    try {
        const std::vector<LoadedHead> loaded = load(task);
        if (loaded.empty()) return;
        if (isShared(task.kernels.front()))
            fitShared(task, loaded);
        else
            fitHead(task, loaded.front());
    } catch (const kernels::Cancelled&) {
        // What was fitted before stays.
    }
}

bool CalibrationRun::asksFor(const std::string& kernel) const {
    return std::find(params_.kernels.begin(), params_.kernels.end(), kernel) != params_.kernels.end();
}

void CalibrationRun::fitHead(FitTask& task, const LoadedHead& loaded) {
    std::optional<KernelFit> global;
    if (asksFor("global") || asksFor("oal")) global = fitOne(task, loaded, "global", nullptr);
    for (const std::string& kernel : task.kernels) {
        if (control_.cancelled() && kernel != "global") return;
        task.fits.push_back(kernel == "global" ? *global : fitOne(task, loaded, kernel, global ? &*global : nullptr));
        if (kernel == "oal" && !asksFor("global")) task.fits.back().seconds += global->seconds;
    }
}

KernelFit CalibrationRun::fitOne(FitTask& task, const LoadedHead& loaded, const std::string& kernel,
                                 const KernelFit* global) {
    // A global factor that only oal asks for is part of oal's share.
    FitProgress progress(control_, progress_, kernel == "global" && !asksFor("global") ? 0.0 : share_);
    const kernels::KernelSpec untrained = factory_.make(kernel, *task.layer, loaded.head, 0, task.warnings);
    if (hasClosedForm(untrained))
        return fitGates(params_, *task.layer, loaded.head, loaded.prompts, untrained, progress);
    if (hasFeatureMap(untrained)) {
        const FeatureCalibration calibration(params_, *task.layer, {{loaded.head, untrained, &loaded.prompts}},
                                             progress.control());
        return calibration.fit(progress).front();
    }
    return HeadCalibration(params_, *task.layer, loaded.head, loaded.prompts).fit(untrained, global, progress);
}

void CalibrationRun::fitShared(FitTask& task, const std::vector<LoadedHead>& loaded) {
    std::vector<FeatureCalibration::Member> members;
    for (const LoadedHead& head : loaded)
        members.push_back(
            {head.head, factory_.make(task.kernels.front(), *task.layer, head.head, 0, task.warnings), &head.prompts});
    FitProgress progress(control_, progress_, share_ * static_cast<double>(task.heads.size()));
    task.fits = FeatureCalibration(params_, *task.layer, members, progress.control()).fit(progress);
}

std::vector<CalibrationRun::LoadedHead> CalibrationRun::load(FitTask& task) {
    const std::lock_guard lock(loading_);
    std::vector<LoadedHead> heads;
    for (const HeadIndex head : task.heads) heads.push_back({head, {}});
    std::vector<HeadIndex> leftOut;
    for (const CalibrationRows& rows : rows_) {
        const auto loader = std::make_shared<HeadLoader>(source_, *task.layer, rows.prompt, length_, true);
        for (LoadedHead& head : heads) {
            const kernels::HeadInputs inputs = loader->inputs(head.head, control_);
            if (loader->nonFinite(head.head) > 0) {
                task.warnings.push_back(loader->nonFiniteWarning(head.head));
                leftOut.push_back(head.head);
                continue;
            }
            head.prompts.push_back({loader, inputs, std::make_shared<const PromptTensors>(inputs), rows.train,
                                    rows.validation, rows.evaluation});
        }
    }
    std::erase_if(heads, [&](const LoadedHead& head) {
        return std::find(leftOut.begin(), leftOut.end(), head.head) != leftOut.end();
    });
    return heads;
}

}  // namespace dimscope::analysis
