// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "analysis/calibration/calibration_rows.h"
#include "analysis/calibration/head_calibration.h"
#include "analysis/head_loader.h"
#include "analysis/run_record.h"
#include "kernels/cpu/worker_pool.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

struct HeadTask {
    const LayerInfo* layer;
    HeadIndex head;
    std::vector<KernelFit> fits = {};
    std::vector<Warning> warnings = {};
};

/// Everything that the fits of one run share; loading goes through one lock.
class CalibrationRun {
public:
    CalibrationRun(const CalibrationParams& params, const KernelFactory& factory, HeadSource& source,
                   std::vector<CalibrationRows> rows, Index length, std::size_t heads, const RunControl& control)
        : params_(params),
          factory_(factory),
          source_(source),
          rows_(std::move(rows)),
          length_(length),
          share_(1.0 / static_cast<double>(heads * std::max<std::size_t>(1, params.kernels.size()))),
          control_(control) {}

    /// Fits as many kernels as it gets to before a cancel.
    void run(HeadTask& task) {
        if (control_.cancelled()) return;
        try {
            const std::vector<HeadRows> prompts = load(task);
            if (prompts.empty()) return;
            const HeadCalibration calibration(params_, *task.layer, task.head, prompts);
            std::optional<KernelFit> global;
            if (asksFor("global") || asksFor("oal")) global = fit(calibration, "global", nullptr, task);
            for (const std::string& kernel : params_.kernels) {
                if (control_.cancelled() && kernel != "global") return;
                task.fits.push_back(kernel == "global" ? *global
                                                       : fit(calibration, kernel, global ? &*global : nullptr, task));
                if (kernel == "oal" && !asksFor("global")) task.fits.back().seconds += global->seconds;
            }
        } catch (const kernels::Cancelled&) {
            // What was fitted before stays.
        }
    }

private:
    bool asksFor(const std::string& kernel) const {
        return std::find(params_.kernels.begin(), params_.kernels.end(), kernel) != params_.kernels.end();
    }

    KernelFit fit(const HeadCalibration& calibration, const std::string& kernel, const KernelFit* global,
                  HeadTask& task) {
        // A global factor that only oal asks for is part of oal's share.
        FitProgress progress(control_, progress_, kernel == "global" && !asksFor("global") ? 0.0 : share_);
        return calibration.fit(factory_.make(kernel, *task.layer, task.head, 0, task.warnings), global, progress);
    }

    /// Empty: the head has values that are not finite and is left out.
    std::vector<HeadRows> load(HeadTask& task) {
        const std::lock_guard lock(loading_);
        std::vector<HeadRows> prompts;
        for (const CalibrationRows& rows : rows_) {
            HeadLoader loader(source_, *task.layer, rows.prompt, length_, true);
            const kernels::HeadInputs inputs = loader.inputs(task.head, control_);
            if (loader.nonFinite(task.head) > 0) {
                task.warnings.push_back(loader.nonFiniteWarning(task.head));
                return {};
            }
            prompts.push_back(
                {std::make_shared<const PromptTensors>(inputs), rows.train, rows.validation, rows.evaluation});
        }
        return prompts;
    }

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

std::vector<std::int64_t> promptNumbers(const std::vector<PromptIndex>& prompts) {
    std::vector<std::int64_t> numbers;
    for (const PromptIndex prompt : prompts) numbers.push_back(prompt.value);
    return numbers;
}

void describeFit(const CalibrationParams& params, Provenance& provenance) {
    provenance.parameters = {{"kernels", params.kernels},
                             {"method", std::string(fitMethodName(params.method))},
                             {"train", promptNumbers(params.train)},
                             {"validation", promptNumbers(params.validation)},
                             {"evaluation", promptNumbers(params.evaluation)},
                             {"rows", std::int64_t{params.rows}}};
}

void checkCalibration(const CalibrationParams& params) {
    for (const std::string& kernel : params.kernels)
        if (std::find(calibratedKernels().begin(), calibratedKernels().end(), kernel) == calibratedKernels().end())
            throw kernels::ArgumentError(fmt::format("kernel '{}' is not calibrated; there are {}", kernel,
                                                     fmt::join(calibratedKernels(), ", ")));
    if (params.kernels.empty()) throw kernels::ArgumentError("no kernel is given, expected at least one");
    if (params.rows < 0) throw kernels::ArgumentError(fmt::format("rows {}, expected 1 or more", params.rows));
}

}  // namespace

const KernelFit* CalibrationResult::find(LayerIndex layer, HeadIndex head, const std::string& kernel) const {
    for (const KernelFit& fit : fits)
        if (fit.layer == layer && fit.head == head && fit.kernel == kernel) return &fit;
    return nullptr;
}

const std::vector<std::string>& calibratedKernels() {
    static const std::vector<std::string> kNames{"taylorshift", "dijiang", "global", "oal"};
    return kNames;
}

FitMethod fitMethodFrom(std::string_view name) {
    for (const FitMethod method : {FitMethod::GaussNewton, FitMethod::Adam})
        if (fitMethodName(method) == name) return method;
    throw kernels::ArgumentError(fmt::format("unknown method '{}', expected gauss-newton or adam", name));
}

std::string_view fitMethodName(FitMethod method) { return method == FitMethod::Adam ? "adam" : "gauss-newton"; }

void choosePrompts(const DumpInfo& info, CalibrationParams& params) {
    const bool trainGiven = !params.train.empty();
    if (!trainGiven) params.train = promptsOfSplits(info, {"train", "calibration"});
    if (params.validation.empty())
        for (std::size_t p = 0; p < info.prompts.size(); ++p)
            if (info.prompts[p].split == "validation" && !info.prompts[p].leftOut)
                params.validation.emplace_back(static_cast<int>(p));
    if (params.validation.empty() && params.train.size() == 1) {
        params.validation = params.train;
    } else if (params.validation.empty()) {
        const std::size_t quarter = std::max<std::size_t>(1, params.train.size() / 4);
        params.validation.assign(params.train.end() - static_cast<std::ptrdiff_t>(quarter), params.train.end());
        params.train.resize(params.train.size() - quarter);
    } else if (!trainGiven && params.train != params.validation) {
        // Where the dump has no split all prompts train, but for those that validate.
        std::erase_if(params.train, [&](PromptIndex prompt) {
            return std::find(params.validation.begin(), params.validation.end(), prompt) != params.validation.end();
        });
    }
}

CalibrationResult calibrateKernels(const CalibrationParams& params, const KernelFactory& factory, HeadSource& source,
                                   const RunControl& control) {
    checkCalibration(params);
    RunRecord record("calibrate", nullptr, params.seed);
    CalibrationResult result{.params = params, .fits = {}, .warnings = source.info().warnings, .provenance = {}};
    choosePrompts(source.info(), result.params);
    describe(params.selection, source.info(), record.provenance());
    describeFit(result.params, record.provenance());

    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    std::vector<HeadTask> tasks;
    for (const LayerInfo& layer : layers) {
        if (!layer.hasValue)
            throw kernels::FormatError({source.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                        "there is no v, so kernels cannot be calibrated", "dump v beside q and k"});
        for (const HeadIndex head : selectedHeads(params.selection, layer)) tasks.push_back({&layer, head});
    }
    CalibrationRun run(result.params, factory, source, calibrationRows(result.params, source, length, result.warnings),
                       length, tasks.size(), control);
    // Its own control: a cancelled fit ends by itself and keeps the best so far.
    kernels::cpu::WorkerPool(params.threads).run(static_cast<Index>(tasks.size()), RunControl(), [&](Index n) {
        run.run(tasks[static_cast<std::size_t>(n)]);
    });
    for (HeadTask& task : tasks) {
        result.fits.insert(result.fits.end(), task.fits.begin(), task.fits.end());
        for (const Warning& warning : task.warnings)
            if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end())
                result.warnings.push_back(warning);
    }
    result.cancelled = control.cancelled();
    if (!result.cancelled) control.report(1.0F);
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
