// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/budget/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/budget/ungrouped_fit.h"
#include "analysis/calibration/calibration_rows.h"
#include "analysis/calibration/fit_starts.h"
#include "analysis/calibration/head_calibration.h"
#include "analysis/common_prompts.h"
#include "analysis/error_sums.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "analysis/warning_list.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr double kEpsilon = 1e-6;                                // of the released configuration (section 5.1)
constexpr std::size_t kUngroupedBytes = std::size_t{256} << 20;  // rows kept for the ungrouped fit
constexpr std::size_t kJudgedBytes = std::size_t{64} << 20;      // outputs held at a time

/// One fitted partition of one head.
struct FittedPartition {
    Partition partition;
    kernels::KernelSpec spec;
    double trainMse = kNaN, validationMse = kNaN;
    ErrorSums judged;
};

/// Everything that is known about one head before it is judged.
struct BudgetTask {
    const LayerInfo* layer;
    HeadIndex head;
    const HeadProfile* profile;
    const HeadGrouping* grouping;
};

kernels::GlobalQuadratic startGlobal() {
    const Eigen::Vector3d taylor = taylorStart(kEpsilon);
    return {{taylor[0], taylor[1], taylor[2]}, kEpsilon};
}

kernels::Oal startOf(const Partition& partition) {
    const Eigen::VectorXd factor = expandedToGroups(taylorStart(kEpsilon), partition.groups());
    return {partition.label, partition.groups(), {factor.begin(), factor.end()}, kEpsilon};
}

bool isUngrouped(const Partition& partition) {
    return partition.groups() > 1 && partition.groups() == static_cast<int>(partition.label.size());
}

class Budget {
public:
    Budget(const BudgetParams& params, HeadSource& source, kernels::Backend& backend)
        : params_(params), source_(source), backend_(backend), pool_(params.threads) {}

    BudgetResult run(const RunControl& control) {
        RunRecord record("budget", &backend_, params_.seed);
        describe(params_.selection, source_.info(), record.provenance());
        result_.warnings = source_.info().warnings;
        choose();
        const std::vector<BudgetTask> tasks = profiled(control.slice(0.0F, 0.05F));
        const RunControl rest = control.slice(0.05F, 1.0F);
        for (std::size_t n = 0; n < tasks.size(); ++n) addHead(tasks[n], rest.part(n, tasks.size()));
        conclude();
        describeBudget(record.provenance());
        result_.provenance = record.finished();
        return std::move(result_);
    }

private:
    void choose() {
        layers_ = selectedLayers(params_.selection, source_.info());
        length_ = selectedLength(params_.selection, layers_.front());
        for (const LayerInfo& layer : layers_) {
            length_ = std::min(length_, selectedLength(params_.selection, layer));
            if (!layer.hasValue)
                throw kernels::FormatError({source_.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                            "there is no v, so kernels cannot be fitted", "dump v beside q and k"});
            if (layer.headDim != layers_.front().headDim || (layer.rope == "none") != (layers_.front().rope == "none"))
                throw kernels::ArgumentError(
                    fmt::format("layers {} and {} differ in head dimension or rotation; choose one of them",
                                layers_.front().layer.value, layer.layer.value));
        }
        if (layers_.front().rope == "none")
            result_.warnings.push_back({"no-rotation", "", "there is no rotation frequency to order dimensions by"});
        result_.prompts = selectedPrompts(params_.selection, source_.info());
        positions_ = params_.rows == 0
                         ? validRows(result_.prompts, source_, length_)
                         : sampleRows(result_.prompts, source_, length_, params_.rows, params_.seed, result_.warnings);
        fits_.selection = params_.selection;
        fits_.train = params_.train;
        fits_.validation = params_.validation;
        fits_.rows = params_.fitRows;
        fits_.starts = params_.starts;
        fits_.seed = params_.seed;
        profilePrompts_ =
            params_.train.empty() ? promptsOfSplits(source_.info(), {"calibration", "train"}) : params_.train;
        choosePrompts(source_.info(), fits_);
        rows_ = calibrationRows(fits_, source_, length_, result_.warnings);
        for (const CalibrationRows& rows : rows_)
            if (std::find(result_.prompts.begin(), result_.prompts.end(), rows.prompt) != result_.prompts.end()) {
                result_.warnings.push_back(
                    {"overlap", "prompts", "partitions and factors are chosen and judged on the same prompts"});
                break;
            }
    }

    std::vector<BudgetTask> profiled(const RunControl& control) {
        Selection selection = params_.selection;
        selection.prompts = profilePrompts_;
        profile_ = profileHeads(selection, source_, backend_, control.slice(0.0F, 0.5F));
        grouping_ = groupHeads(params_.grouping, profile_, control.slice(0.5F, 1.0F));
        std::vector<BudgetTask> tasks;
        for (const LayerInfo& layer : layers_)
            for (const HeadIndex head : selectedHeads(params_.selection, layer)) {
                const HeadProfile* profile = profile_.find(layer.layer, head);
                const HeadGrouping* grouping = grouping_.find(layer.layer, head);
                if (profile != nullptr && grouping != nullptr && profile->usable() && grouping->usable)
                    tasks.push_back({&layer, head, profile, grouping});
                else
                    leaveOut(layer, head);
            }
        if (tasks.empty()) throw kernels::ArgumentError("no selected head has finite values only");
        return tasks;
    }
    void leaveOut(const LayerInfo& layer, HeadIndex head) {
        result_.warnings.push_back({"nonfinite", fmt::format("layer {} head {}", layer.layer.value, head.value),
                                    "its profile is not finite; the head is left out"});
    }

    /// Tensors of the training and validation prompts; empty: some are not finite.
    std::vector<HeadRows> load(const BudgetTask& task, const RunControl& control) {
        std::vector<HeadRows> prompts;
        for (const CalibrationRows& rows : rows_) {
            control.throwIfCancelled();
            const auto loader = std::make_shared<HeadLoader>(source_, *task.layer, rows.prompt, length_, true);
            const kernels::HeadInputs inputs = loader->inputs(task.head, control);
            if (loader->nonFinite(task.head) > 0) return {};
            prompts.push_back(
                {loader, inputs, std::make_shared<const PromptTensors>(inputs), rows.train, rows.validation, {}});
        }
        return prompts;
    }

    void addHead(const BudgetTask& task, const RunControl& control) {
        const std::vector<HeadRows> prompts = load(task, control);
        if (prompts.empty()) return leaveOut(*task.layer, task.head);
        std::vector<FittedPartition> fitted;
        for (Partition& partition :
             budgetPartitions({params_.groups, params_.randomPartitions, params_.randomCuts, params_.seed}, *task.layer,
                              *task.profile, *task.grouping))
            fitted.push_back({std::move(partition), {}, kNaN, kNaN, {}});
        fitPartitions(task, prompts, fitted, control.slice(0.0F, 0.6F));
        fitUngroupedOf(prompts, fitted, control.slice(0.6F, 0.8F));
        judge(task, fitted, control.slice(0.8F, 1.0F));
        if (pooled_.empty()) preparePoints(fitted);
        for (std::size_t n = 0; n < fitted.size(); ++n) {
            const FittedPartition& own = fitted[n];
            BudgetPoint& point = result_.points[n];
            pooled_[n] += own.judged;
            point.groups += own.partition.groups();
            point.parameters += own.partition.parameters();
            point.trainMse += own.trainMse;
            point.validationMse += own.validationMse;
            result_.heads.push_back({task.layer->layer, task.head, n, own.partition,
                                     own.judged.values > 0.0 ? own.judged.mse() : kNaN, own.judged.relMse()});
        }
        ++headCount_;
    }

    void preparePoints(const std::vector<FittedPartition>& fitted) {
        pooled_.resize(fitted.size());
        for (const FittedPartition& own : fitted) {
            BudgetPoint point;
            point.order = own.partition.order;
            point.cutRule = own.partition.cutRule;
            point.draw = own.partition.draw;
            point.trainMse = point.validationMse = 0.0;
            point.fit = isUngrouped(own.partition) ? "l-bfgs" : "gauss-newton";
            result_.points.push_back(std::move(point));
        }
    }

    void fitPartitions(const BudgetTask& task, const std::vector<HeadRows>& prompts,
                       std::vector<FittedPartition>& fitted, const RunControl& control) {
        const HeadCalibration calibration(fits_, *task.layer, task.head, prompts);
        std::atomic<double> unused{0.0};
        FitProgress first(control.slice(0.0F, 0.0F), unused, 0.0);
        const KernelFit global = calibration.fit(startGlobal(), nullptr, first);
        control.throwIfCancelled();
        pool_.run(static_cast<Index>(fitted.size()), control, [&](Index n) {
            FittedPartition& own = fitted[static_cast<std::size_t>(n)];
            if (isUngrouped(own.partition)) return;
            KernelFit fit = global;
            if (own.partition.groups() > 1) {
                FitProgress progress(control.slice(0.0F, 0.0F), unused, 0.0);
                fit = calibration.fit(startOf(own.partition), &global, progress);
            }
            control.throwIfCancelled();
            own.spec = fit.spec;
            own.trainMse = fit.trainMse;
            own.validationMse = fit.validationMse;
        });
    }

    /// From the partition that validates best: no worse than any of them on the validation rows.
    void fitUngroupedOf(const std::vector<HeadRows>& prompts, std::vector<FittedPartition>& fitted,
                        const RunControl& control) {
        if (!isUngrouped(fitted.back().partition)) return;
        const auto best = std::min_element(fitted.begin(), fitted.end() - 1, [](const auto& a, const auto& b) {
            return std::isfinite(a.validationMse) && !(a.validationMse >= b.validationMse);
        });
        const auto* global = std::get_if<kernels::GlobalQuadratic>(&best->spec);
        const auto headDim = static_cast<Index>(best->partition.label.size());
        const kernels::Oal start = global ? kernels::asOal(*global, headDim) : std::get<kernels::Oal>(best->spec);
        const UngroupedRows train = keptRows(prompts, &HeadRows::train, control);
        const UngroupedRows validation = keptRows(prompts, &HeadRows::validation, control);
        if (train.count() == 0 || validation.count() == 0) return;
        const UngroupedFit fit = fitUngrouped(start, train, validation, pool_, control);
        fitted.back().spec = fit.spec;
        fitted.back().trainMse = fit.trainMse;
        fitted.back().validationMse = fit.validationMse;
    }

    UngroupedRows keptRows(const std::vector<HeadRows>& prompts, RowsPart part, const RunControl& control) {
        std::size_t total = 0;
        for (const HeadRows& prompt : prompts) total += (prompt.*part).size();
        const PromptTensors& first = *prompts.front().tensors;
        const std::size_t most =
            std::max<std::size_t>(1, kUngroupedBytes / UngroupedRows::bytesPerRow(first.key.cols(), first.valueDim()));
        const std::size_t every = (total + most - 1) / std::max<std::size_t>(most, 1);
        if (every > 1)
            addOnce({"fewer-rows", "ungrouped",
                     fmt::format("every row of {} is used to fit one group per dimension", every)},
                    result_.warnings);
        UngroupedRows rows;
        for (const HeadRows& prompt : prompts) {
            std::vector<Index> kept;
            for (std::size_t n = 0; n < (prompt.*part).size(); n += std::max<std::size_t>(every, 1))
                kept.push_back((prompt.*part)[n]);
            if (!kept.empty()) rows.add(*prompt.tensors, kept, control.slice(0.0F, 0.0F));
        }
        return rows;
    }

    void judge(const BudgetTask& task, std::vector<FittedPartition>& fitted, const RunControl& control) {
        for (std::size_t p = 0; p < result_.prompts.size(); ++p) {
            HeadLoader loader(source_, *task.layer, result_.prompts[p], length_, true);
            const kernels::HeadInputs inputs = loader.inputs(task.head, control);
            if (loader.nonFinite(task.head) > 0) {
                result_.warnings.push_back(loader.nonFiniteWarning(task.head));
                for (FittedPartition& own : fitted) own.judged = {kNaN, kNaN, 1.0};
                return;
            }
            const std::size_t bytes =
                positions_[p].size() * static_cast<std::size_t>(task.layer->valueDim) * sizeof(double);
            const std::size_t batch = std::max<std::size_t>(1, kJudgedBytes / std::max<std::size_t>(bytes, 1));
            const RunControl own = control.part(p, result_.prompts.size());
            for (std::size_t from = 0; from < fitted.size(); from += batch) {
                const std::size_t to = std::min(from + batch, fitted.size());
                judgeBatch(inputs, positions_[p], task.layer->valueDim, std::span(fitted).subspan(from, to - from),
                           own.parts(from, to, fitted.size()));
            }
        }
    }

    void judgeBatch(const kernels::HeadInputs& inputs, const std::vector<Index>& rows, Index valueDim,
                    std::span<FittedPartition> fitted, const RunControl& control) {
        std::vector<kernels::KernelSpec> specs{kernels::Softmax{}};
        for (const FittedPartition& own : fitted) specs.push_back(own.spec);
        const kernels::RowsJob job{inputs, rows, specs, false, {}};
        const auto outputs = backend_.attendRows({&job, 1}, control).front();
        for (std::size_t n = 0; n < fitted.size(); ++n) {
            const RowSums sums = rowSums(outputs.front(), outputs[n + 1]);
            fitted[n].judged += summed(sums.error, sums.energy, valueDim);
        }
    }

    void conclude() {
        if (headCount_ == 0) throw kernels::ArgumentError("no selected head has finite values only");
        const auto heads = static_cast<double>(headCount_);
        for (std::size_t n = 0; n < result_.points.size(); ++n) {
            BudgetPoint& point = result_.points[n];
            point.groups /= heads;
            point.parameters /= heads;
            point.trainMse /= heads;
            point.validationMse /= heads;
            point.mse = pooled_[n].values > 0.0 ? pooled_[n].mse() : kNaN;
            point.relMse = pooled_[n].relMse();
        }
        for (BudgetPoint& point : result_.points)
            point.front = point.draw < 0 && std::isfinite(point.relMse) &&
                          std::none_of(result_.points.begin(), result_.points.end(), [&](const BudgetPoint& other) {
                              if (other.draw >= 0 || !std::isfinite(other.relMse)) return false;
                              return other.parameters <= point.parameters && other.relMse <= point.relMse &&
                                     (other.parameters < point.parameters || other.relMse < point.relMse);
                          });
    }

    void describeBudget(Provenance& provenance) const {
        const auto numbers = [](const std::vector<PromptIndex>& prompts) {
            std::vector<std::int64_t> out;
            for (const PromptIndex prompt : prompts) out.push_back(prompt.value);
            return out;
        };
        provenance.parameters = {{"groups", std::vector<std::int64_t>(params_.groups.begin(), params_.groups.end())},
                                 {"train", numbers(fits_.train)},
                                 {"validation", numbers(fits_.validation)},
                                 {"profile_prompts", numbers(profilePrompts_)},
                                 {"fit_rows", std::int64_t{params_.fitRows}},
                                 {"starts", std::int64_t{params_.starts}},
                                 {"random_partitions", std::int64_t{params_.randomPartitions}},
                                 {"random_cuts", std::int64_t{params_.randomCuts}}};
        if (params_.rows == 0)
            provenance.parameters.emplace_back("rows", std::string("all"));
        else
            provenance.parameters.emplace_back("rows", std::int64_t{params_.rows});
    }

    const BudgetParams& params_;
    HeadSource& source_;
    kernels::Backend& backend_;
    kernels::cpu::WorkerPool pool_;
    std::vector<LayerInfo> layers_;
    Index length_ = 0;
    std::vector<std::vector<Index>> positions_;
    CalibrationParams fits_;
    std::vector<PromptIndex> profilePrompts_;
    std::vector<CalibrationRows> rows_;
    ProfileResult profile_;
    GroupingResult grouping_;
    std::vector<ErrorSums> pooled_;  // by point
    std::size_t headCount_ = 0;
    BudgetResult result_;
};

void checkBudget(const BudgetParams& params) {
    if (params.groups.empty()) throw kernels::ArgumentError("no number of groups is given, expected at least one");
    for (const int groups : params.groups)
        if (groups < 0) throw kernels::ArgumentError(fmt::format("{} groups, expected 1 or more, or d", groups));
    if (params.rows < 0 || params.fitRows < 0)
        throw kernels::ArgumentError(fmt::format("{} and {} rows, expected 0 or more", params.rows, params.fitRows));
    if (params.randomPartitions < 0 || params.randomCuts < 0)
        throw kernels::ArgumentError(fmt::format("{} random partitions and {} random cuts, expected 0 or more",
                                                 params.randomPartitions, params.randomCuts));
    if (params.starts < 1) throw kernels::ArgumentError(fmt::format("{} starts, expected 1 or more", params.starts));
}

}  // namespace

Selection smallBudgetSelection(const DumpInfo& info) {
    Selection selection;
    if (info.layers.empty()) return selection;
    const LayerInfo& layer = info.layers[info.layers.size() / 2];
    selection.layers = {layer.layer};
    for (int kv = 0; kv < layer.nKvHeads; ++kv)
        selection.heads.emplace_back(kv * (layer.nHeads / std::max(layer.nKvHeads, 1)));
    return selection;
}

BudgetResult groupBudget(const BudgetParams& params, HeadSource& dump, kernels::Backend& backend,
                         const RunControl& control) {
    CommonPrompts source(dump, params.selection);
    checkBudget(params);
    return Budget(params, source, backend).run(control);
}

}  // namespace dimscope::analysis
