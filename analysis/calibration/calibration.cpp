// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/calibration/calibration_rows.h"
#include "analysis/calibration/calibration_run.h"
#include "analysis/calibration/fit_pieces.h"
#include "analysis/common_prompts.h"
#include "analysis/run_record.h"
#include "kernels/cpu/worker_pool.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

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

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void checkCalibration(const CalibrationParams& params) {
    for (const std::string& kernel : params.kernels) {
        if (!contains(calibratedKernels(), kernel))
            throw kernels::ArgumentError(fmt::format("kernel '{}' is not calibrated; there are {}", kernel,
                                                     fmt::join(calibratedKernels(), ", ")));
        if (!contains(calibratedKernels(params.method), kernel))
            throw kernels::ArgumentError(fmt::format("{}: {}", kernel, refusalOf(params.method)));
    }
    if (params.kernels.empty()) throw kernels::ArgumentError("no kernel is given, expected at least one");
    if (params.rows < 0) throw kernels::ArgumentError(fmt::format("rows {}, expected 1 or more", params.rows));
}

/// By layer, head and order of the kernels; warnings once each.
void collect(std::vector<FitTask>& tasks, CalibrationResult& result) {
    for (FitTask& task : tasks) {
        result.fits.insert(result.fits.end(), task.fits.begin(), task.fits.end());
        for (const Warning& warning : task.warnings)
            if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end())
                result.warnings.push_back(warning);
    }
    const auto place = [&](const KernelFit& fit) {
        const auto kernel = std::find(result.params.kernels.begin(), result.params.kernels.end(), fit.kernel);
        return std::tuple(fit.layer, fit.head, kernel - result.params.kernels.begin());
    };
    std::stable_sort(result.fits.begin(), result.fits.end(),
                     [&](const KernelFit& a, const KernelFit& b) { return place(a) < place(b); });
}

/// Fits a task, or takes its fits from where they are.
void runTask(CalibrationRun& run, FitTask& task, std::size_t deal, const KernelFactory& factory, Pieces& pieces,
             const RunControl& control) {
    bool fitted = false;
    try {
        const std::optional<Piece> piece = pieces.get(fitKey(task), deal, [&] {
            fitted = true;
            run.run(task);
            control.throwIfCancelled();  // what was fitted before stays, but is no finished piece
            return fitPiece(task);
        });
        if (piece && !fitted) takeFits(*piece, factory, task);
    } catch (const kernels::Cancelled&) {
    }
}

}  // namespace

const KernelFit* CalibrationResult::find(LayerIndex layer, HeadIndex head, const std::string& kernel) const {
    for (const KernelFit& fit : fits)
        if (fit.layer == layer && fit.head == head && fit.kernel == kernel) return &fit;
    return nullptr;
}

const std::vector<std::string>& calibratedKernels() {
    static const std::vector<std::string> kNames{"taylorshift", "dijiang",  "global",       "oal",   "spectraformer",
                                                 "hedgehog",    "zeros_sm", "linear_zeros", "retnet"};
    return kNames;
}

std::vector<std::string> calibratedKernels(FitMethod method) {
    std::vector<std::string> names = calibratedKernels();
    if (method == FitMethod::GaussNewton)
        std::erase_if(names, [](const std::string& name) { return name == "spectraformer" || name == "hedgehog"; });
    return names;
}

std::string_view refusalOf(FitMethod method) {
    if (method == FitMethod::Adam) return {};
    return "gauss-newton cannot fit features of learned maps: their sums over keys change with the parameters, so that "
           "a few steps on all rows cost as much as the whole of adam; choose adam";
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

CalibrationResult calibrateKernels(const CalibrationParams& params, const KernelFactory& factory, HeadSource& dump,
                                   const RunControl& control, PieceStore* store) {
    CommonPrompts source(dump, params.selection);
    checkCalibration(params);
    RunRecord record("calibrate", nullptr, params.seed);
    CalibrationResult result{.params = params, .fits = {}, .warnings = source.info().warnings, .provenance = {}};
    choosePrompts(source.info(), result.params);
    describe(params.selection, source.info(), record.provenance());
    describeFit(result.params, record.provenance());

    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    std::size_t heads = 0;
    for (const LayerInfo& layer : layers) {
        if (!layer.hasValue)
            throw kernels::FormatError({source.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                        "there is no v, so kernels cannot be calibrated", "dump v beside q and k"});
        if (!layer.hasEveryQuery() && contains(params.kernels, "spectraformer"))
            throw kernels::ArgumentError(
                fmt::format("layer {} has fewer queries than keys; spectraformer's statistic "
                            "needs a query at every position",
                            layer.layer.value));
        heads += selectedHeads(params.selection, layer).size();
    }
    std::vector<FitTask> tasks = fitTasks(result.params, layers);
    CalibrationRun run(result.params, factory, source, calibrationRows(result.params, source, length, result.warnings),
                       length, heads * params.kernels.size(), control);
    Pieces pieces(store);
    // Its own control: a cancelled fit ends by itself and keeps the best so far.
    kernels::cpu::WorkerPool(params.threads).run(static_cast<Index>(tasks.size()), RunControl(), [&](Index n) {
        runTask(run, tasks[static_cast<std::size_t>(n)], static_cast<std::size_t>(n), factory, pieces, control);
    });
    collect(tasks, result);
    result.complete = pieces.complete();
    result.cancelled = control.cancelled();
    if (!result.cancelled) control.report(1.0F);
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
