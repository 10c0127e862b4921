// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/intervention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/common_prompts.h"
#include "analysis/intervention/subset_selection.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "analysis/warning_list.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

std::string originOf(SubsetChoice::Kind kind) {
    switch (kind) {
        case SubsetChoice::Kind::Grouping: return "grouping";
        case SubsetChoice::Kind::Top: return "top";
        case SubsetChoice::Kind::Share: return "share";
        case SubsetChoice::Kind::Listed: return "listed";
    }
    return "";
}

/// Deals out a range of progress by weight.
class ProgressShares {
public:
    ProgressShares(const RunControl& control, float total) : control_(control), total_(total) {}
    RunControl next(float weight) {
        const float from = used_ / total_;
        used_ += weight;
        return control_.slice(from, std::min(1.0F, used_ / total_));
    }

private:
    RunControl control_;
    float total_, used_ = 0.0F;
};

/// One run: what its steps share.
class Intervention {
public:
    Intervention(const InterventionParams& params, const KernelFactory& factory, HeadSource& source,
                 kernels::Backend& backend, const InterventionLinks& links)
        : params_(params),
          factory_(factory),
          source_(source),
          backend_(backend),
          links_(links),
          pieces_(links.store),
          record_("intervene", &backend, params.seed) {}

    InterventionResult run(const RunControl& control) {
        describe(params_.selection, source_.info(), record_.provenance());
        result_.warnings = source_.info().warnings;
        chooseRows();
        ProgressShares shares(control, totalWeight());
        if (chooseSubsetsOf(shares.next(0.3F))) compute(shares);
        result_.complete = pieces_.complete();
        describeRun(record_.provenance());
        result_.provenance = record_.finished();
        return std::move(result_);
    }

private:
    static constexpr float kRungWeight = 2.0F, kSubsetsWeight = 40.0F, kDoseWeight = 15.0F, kSweepWeight = 10.0F;
    float totalWeight() const {
        return 1.3F + kRungWeight * static_cast<float>(params_.rungs.size() * static_cast<std::size_t>(params_.draws)) +
               (params_.subsets ? kSubsetsWeight : 0.0F) + (params_.dose ? kDoseWeight : 0.0F) +
               (params_.sweep ? kSweepWeight : 0.0F);
    }

    void chooseRows() {
        result_.prompts = selectedPrompts(params_.selection, source_.info());
        const std::vector<LayerInfo> layers = selectedLayers(params_.selection, source_.info());
        Index length = selectedLength(params_.selection, layers.front());
        for (const LayerInfo& layer : layers) {
            length = std::min(length, selectedLength(params_.selection, layer));
            if (!layer.hasValue)
                throw kernels::FormatError({source_.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                            "there is no v, so outputs cannot be compared", "dump v beside q and k"});
            result_.dimensions += static_cast<Index>(selectedHeads(params_.selection, layer).size()) * layer.headDim;
        }
        result_.positions = chosenRows(params_.positions, result_.prompts, source_, length, params_.rows, params_.seed,
                                       result_.warnings);
        calibration_ = params_.calibration.empty() ? promptsOfSplits(source_.info(), {"calibration", "train"})
                                                   : params_.calibration;
        const bool overlap = std::any_of(calibration_.begin(), calibration_.end(), [&](PromptIndex prompt) {
            return std::find(result_.prompts.begin(), result_.prompts.end(), prompt) != result_.prompts.end();
        });
        crossFit_ = params_.crossFit && overlap;
        retained_ = {params_.selection, result_.prompts, result_.positions,  params_.kernels,
                     params_.seeds,     length,          params_.complement, params_.seed};
        if (overlap && !crossFit_)
            result_.warnings.push_back({"overlap", "prompts", "S is selected and judged on the same prompts"});
    }

    /// False where the contributions are another run's and not there.
    bool chooseSubsetsOf(const RunControl& control) {
        auto profile =
            contributions(params_.selection, calibration_, source_, backend_, pieces_, control.slice(0.0F, 0.5F));
        if (!profile) return false;
        profile_ = std::move(*profile);
        groupings_ = foldGroupings(params_.grouping, profile_, result_.prompts, crossFit_, control.slice(0.5F, 1.0F));
        HeadSubsets labelled;
        result_.origin = originOf(params_.subset.kind);
        if (factory_.parameters() && params_.subset.kind == SubsetChoice::Kind::Grouping) {
            labelled = labelledSubsets(*factory_.parameters(), selectedLayers(params_.selection, source_.info()));
            if (!labelled.empty()) result_.origin = "labels of " + factory_.parameters()->name;
        }
        choices_ = chosenSubsets(params_.subset, groupings_, labelled, factory_);
        result_.subsets = choices_.front().subsets;
        double selected = 0.0;
        for (const RetainedChoice& fold : choices_) {
            selected += static_cast<double>(sizeOf(fold.subsets)) / static_cast<double>(choices_.size());
            if (crossFit_) result_.folds.push_back(fold.subsets);
        }
        result_.selected = static_cast<Index>(std::llround(selected));
        for (const auto& [place, subset] : result_.subsets)
            if (subset.empty())
                result_.warnings.push_back({"empty-selection",
                                            fmt::format("layer {} head {}", place.first.value, place.second.value),
                                            "no dimension is selected: its error with S approximated is 0"});
        return true;
    }

    void compute(ProgressShares& shares) {
        RetainedErrors errors =
            retainedErrors(retained_, choices_, source_, backend_, pieces_, "own", std::nullopt, shares.next(1.0F));
        result_.methods = std::move(errors.methods);
        result_.heads = std::move(errors.heads);
        addOnce(errors.warnings, result_.warnings);
        if (pieces_.complete()) addOnce(ratioWarnings(result_.methods), result_.warnings);
        show();
        if (!params_.rungs.empty())
            runRungs(shares.next(kRungWeight * static_cast<float>(params_.rungs.size()) *
                                 static_cast<float>(params_.draws)));
        show();
        SubsetErrors subsets(retained_, choices_, source_, backend_, pieces_);
        if (params_.subsets) runSubsets(subsets, shares.next(kSubsetsWeight));
        show();
        if (params_.dose)
            result_.dose = doseCurve(retained_, result_.methods, groupings_, params_.doseDraws, subsets, source_,
                                     pieces_, shares.next(kDoseWeight));
        if (params_.sweep)
            result_.sweep = selectionSweep(retained_, result_.methods, params_.grouping, profile_, subsets, pieces_,
                                           shares.next(kSweepWeight));
    }

    /// Lets others look at what there is.
    void show() {
        if (!links_.seen || !pieces_.complete()) return;
        InterventionResult soFar = result_;
        soFar.running = true;
        soFar.provenance = record_.provenance();
        describeRun(soFar.provenance);
        links_.seen(soFar);
    }

    void runRungs(const RunControl& control) {
        const GaussianControlParams rungs{params_.rungs,  params_.draws,    calibration_, crossFit_,
                                          params_.subset, params_.grouping, params_.seed};
        result_.controls =
            gaussianControls(rungs, retained_, result_.subsets, factory_, source_, backend_, pieces_, control);
    }

    void runSubsets(SubsetErrors& errors, const RunControl& control) {
        std::map<LayerIndex, Index> headDims;
        for (const LayerInfo& layer : errors.layers()) headDims[layer.layer] = layer.headDim;
        std::optional<SubsetDraws> injected;
        if (factory_.parameters()) injected = injectedSubsets(*factory_.parameters(), errors.layers());
        std::vector<SubsetDraws> draws;
        for (std::size_t fold = 0; fold < choices_.size(); ++fold)
            draws.push_back(injected ? *injected
                                     : drawnSubsets(choices_[fold].subsets, headDims, params_.pool, params_.replicates,
                                                    params_.seed, fold));
        if (injected) replicates_ = static_cast<std::int64_t>(injected->begin()->second.size());
        const auto seen = [this](std::vector<SubsetControl> soFar) {
            result_.subsetControls = std::move(soFar);
            show();
        };
        result_.subsetControls =
            subsetControl(retained_, result_.methods, draws, errors, pieces_, seen, control.slice(0.0F, 0.8F));
        result_.ranks =
            headRanks(retained_, result_.heads, choices_, params_.pool, static_cast<std::size_t>(params_.rankLimit),
                      draws, errors, pieces_, control.slice(0.8F, 1.0F));
    }

    void describeRun(Provenance& provenance) const {
        std::vector<std::string> rungs, origins;
        for (const ControlRung rung : params_.rungs) rungs.emplace_back(rungName(rung));
        const LayerIndex layer = selectedLayers(params_.selection, source_.info()).front().layer;
        for (const std::string& kernel : params_.kernels)
            origins.push_back(kernel + "=" + (factory_.origin(kernel, layer) == "file" ? "file" : "untrained"));
        const std::vector<std::int64_t> seeds(params_.seeds.begin(), params_.seeds.end());
        std::vector<std::int64_t> calibration;
        for (const PromptIndex prompt : calibration_) calibration.push_back(prompt.value);
        provenance.parameters = {{"kernels", params_.kernels},
                                 {"kernel_parameters", origins},
                                 {"rows", static_cast<std::int64_t>(result_.positions.front().size())},
                                 {"seeds", seeds},
                                 {"subset", result_.origin},
                                 {"calibration", calibration},
                                 {"cross_fit", crossFit_},
                                 {"alpha", params_.grouping.alpha},
                                 {"tau", params_.grouping.tau},
                                 {"gamma", params_.grouping.gamma},
                                 {"controls", rungs}};
        if (!params_.rungs.empty()) provenance.parameters.emplace_back("draws", std::int64_t{params_.draws});
        if (params_.subsets) {
            provenance.parameters.emplace_back("replicates", replicates_.value_or(std::int64_t{params_.replicates}));
            provenance.parameters.emplace_back("pool", replicates_ ? "draws of " + factory_.parameters()->name
                                                                   : std::string(subsetPoolName(params_.pool)));
        }
        if (params_.dose) provenance.parameters.emplace_back("dose_draws", std::int64_t{params_.doseDraws});
    }

    const InterventionParams& params_;
    const KernelFactory& factory_;
    HeadSource& source_;
    kernels::Backend& backend_;
    InterventionLinks links_;
    Pieces pieces_;
    RunRecord record_;
    std::vector<PromptIndex> calibration_;
    bool crossFit_ = false;
    std::optional<std::int64_t> replicates_;  // of injected draws
    ProfileResult profile_;
    std::vector<GroupingResult> groupings_;  // per fold
    RetainedChoices choices_;                // per fold
    RetainedParams retained_;
    InterventionResult result_;
};

void checkIntervention(const InterventionParams& params) {
    if (params.kernels.empty()) throw kernels::ArgumentError("no kernel is given, expected at least one");
    if (params.seeds.empty()) throw kernels::ArgumentError("no seed is given, expected at least one");
    if (params.draws < 1) throw kernels::ArgumentError(fmt::format("{} draws, expected 1 or more", params.draws));
    if (params.replicates < 1)
        throw kernels::ArgumentError(fmt::format("{} replicates, expected 1 or more", params.replicates));
    if (params.doseDraws < 0)
        throw kernels::ArgumentError(fmt::format("{} random orders, expected 0 or more", params.doseDraws));
}

}  // namespace

InterventionResult intervene(const InterventionParams& params, const KernelFactory& factory, HeadSource& dump,
                             kernels::Backend& backend, const RunControl& control, const InterventionLinks& links) {
    CommonPrompts source(dump, params.selection);
    checkIntervention(params);
    return Intervention(params, factory, source, backend, links).run(control);
}

}  // namespace dimscope::analysis
