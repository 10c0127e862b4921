// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/intervention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/calibration/calibration.h"
#include "analysis/head_profile.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr double kDisagreement = 0.2;  // between the ways to average a ratio
constexpr double kSmallError = 1e-3;   // of the output's energy: dividing by less than this says little

/// S and groups of a dump or of a control, from its calibration prompts.
struct Selected {
    GroupingResult grouping;
    HeadSubsets subsets;
};

Index sizeOf(const HeadSubsets& subsets) {
    Index size = 0;
    for (const auto& [place, subset] : subsets) size += static_cast<Index>(subset.size());
    return size;
}

/// One run: what its steps share.
class Intervention {
public:
    Intervention(const InterventionParams& params, const KernelFactory& factory, HeadSource& source,
                 kernels::Backend& backend)
        : params_(params), factory_(factory), source_(source), backend_(backend) {}

    InterventionResult run(const RunControl& control) {
        RunRecord record("intervene", &backend_, params_.seed);
        describe(params_.selection, source_.info(), record.provenance());
        result_.warnings = source_.info().warnings;
        chooseRows();
        const double controls = params_.rungs.empty() && !params_.subsets ? 0.0 : 0.9;
        const RunControl own = control.slice(0.0F, static_cast<float>(1.0 - controls));
        chooseSubsetsOf(own.slice(0.0F, 0.3F));
        RetainedErrors errors =
            retainedErrors(retained_, result_.subsets, dumpFactory_, source_, backend_, own.slice(0.3F, 1.0F));
        result_.methods = std::move(errors.methods);
        result_.heads = std::move(errors.heads);
        addWarnings(errors.warnings);
        judgeRatios();
        const RunControl rest = control.slice(static_cast<float>(1.0 - controls), 1.0F);
        runRungs(params_.subsets ? rest.slice(0.0F, 0.5F) : rest);
        if (params_.subsets) runSubsets(params_.rungs.empty() ? rest : rest.slice(0.5F, 1.0F));
        describeRun(record.provenance());
        result_.provenance = record.finished();
        return std::move(result_);
    }

private:
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
        for (const PromptIndex prompt : calibration_)
            if (std::find(result_.prompts.begin(), result_.prompts.end(), prompt) != result_.prompts.end()) {
                result_.warnings.push_back({"overlap", "prompts", "S is selected and judged on the same prompts"});
                break;
            }
        retained_ = {params_.selection, result_.prompts, result_.positions,  params_.kernels,
                     params_.seeds,     length,          params_.complement, params_.seed};
    }

    Selected selectedIn(HeadSource& source, const RunControl& control) const {
        Selection selection = params_.selection;
        selection.prompts = calibration_;
        const ProfileResult profile = profileHeads(selection, source, backend_, control.slice(0.0F, 0.5F));
        Selected selected{groupHeads(params_.grouping, profile, control.slice(0.5F, 1.0F)), {}};
        selected.subsets = chooseSubsets(params_.subset, selected.grouping);
        return selected;
    }

    /// The dump's own groups serve oal where no file has labels.
    void chooseSubsetsOf(const RunControl& control) {
        const Selected own = selectedIn(source_, control);
        dumpFactory_ = factory_;
        setGroups(own.grouping, dumpFactory_);
        result_.subsets = own.subsets;
        result_.origin = originOf(params_.subset.kind);
        if (factory_.parameters() && params_.subset.kind == SubsetChoice::Kind::Grouping) {
            const HeadSubsets labelled =
                labelledSubsets(*factory_.parameters(), selectedLayers(params_.selection, source_.info()));
            for (const auto& [place, subset] : labelled)
                if (result_.subsets.contains(place)) result_.subsets[place] = subset;
            if (!labelled.empty()) result_.origin = "labels of " + factory_.parameters()->name;
        }
        result_.selected = sizeOf(result_.subsets);
        for (const auto& [place, subset] : result_.subsets)
            if (subset.empty())
                result_.warnings.push_back({"empty-selection",
                                            fmt::format("layer {} head {}", place.first.value, place.second.value),
                                            "no dimension is selected: its error with S approximated is 0"});
    }
    static std::string originOf(SubsetChoice::Kind kind) {
        switch (kind) {
            case SubsetChoice::Kind::Grouping: return "grouping";
            case SubsetChoice::Kind::Top: return "top";
            case SubsetChoice::Kind::Share: return "share";
            case SubsetChoice::Kind::Listed: return "listed";
        }
        return "";
    }
    static void setGroups(const GroupingResult& grouping, KernelFactory& factory) {
        for (const HeadGrouping& head : grouping.heads)
            if (head.usable) factory.setGroups(head.layer, head.head, head.labels());
    }

    /// Kernels of a control: trained ones are fitted again, to the control.
    KernelFactory factoryFor(const GroupingResult& grouping, HeadSource& source, const RunControl& control) const {
        KernelFactory factory(factory_.settings());
        setGroups(grouping, factory);
        CalibrationParams fits;
        fits.selection = params_.selection;
        fits.train = calibration_;
        fits.seed = params_.seed;
        const LayerIndex layer = selectedLayers(params_.selection, source.info()).front().layer;
        for (const std::string& kernel : params_.kernels)
            if (factory_.origin(kernel, layer) == "file" &&
                std::find(calibratedKernels().begin(), calibratedKernels().end(), kernel) != calibratedKernels().end())
                fits.kernels.push_back(kernel);
        if (fits.kernels.empty()) return factory;
        const CalibrationResult result = calibrateKernels(fits, factory, source, control);
        control.throwIfCancelled();
        KernelFactory fitted(factory_.settings(), std::make_shared<const kernels::ParameterSet>(
                                                      calibratedParameters(result, factory, source.info())));
        setGroups(grouping, fitted);
        return fitted;
    }

    void runRungs(const RunControl& control) {
        const std::size_t count = params_.rungs.size() * static_cast<std::size_t>(params_.draws);
        std::size_t step = 0;
        for (const ControlRung rung : params_.rungs) {
            ControlOutcome outcome{rung, {}};
            for (int draw = 0; draw < params_.draws; ++draw, ++step)
                outcome.draws.push_back(controlDraw(rung, draw, control.part(step, count)));
            result_.controls.push_back(std::move(outcome));
        }
    }

    ControlDraw controlDraw(ControlRung rung, int draw, const RunControl& control) {
        const auto made = controlSource(rung, source_, params_.seed + static_cast<std::uint64_t>(draw));
        const Selected selected = selectedIn(*made, control.slice(0.0F, 0.1F));
        const KernelFactory factory = factoryFor(selected.grouping, *made, control.slice(0.1F, 0.2F));
        ControlDraw out;
        out.selected = sizeOf(selected.subsets);
        out.own =
            retainedErrors(retained_, selected.subsets, factory, *made, backend_, control.slice(0.2F, 0.6F)).methods;
        out.sameSize = retainedErrors(retained_, topOfSameSize(selected.grouping, result_.subsets), factory, *made,
                                      backend_, control.slice(0.6F, 1.0F))
                           .methods;
        return out;
    }

    void runSubsets(const RunControl& control) {
        SubsetControlResult subsets = subsetControl(retained_, result_.methods, result_.subsets, params_.pool,
                                                    params_.replicates, dumpFactory_, source_, backend_, control);
        result_.subsetControls = std::move(subsets.kernels);
        addWarnings(subsets.warnings);
    }

    /// Warnings about ratios that say less than they seem to.
    void judgeRatios() {
        for (const RetainedMethod& method : result_.methods) {
            const RetainedRatio& r = method.retained;
            for (const RetainedCell& cell : r.cells) {
                const std::string place =
                    fmt::format("{} layer {} prompt {}", method.kernel, cell.layer.value, cell.prompt.value);
                if (!(cell.eFull > 0.0))
                    result_.warnings.push_back(
                        {"undefined-ratio", place, "the full error is 0; the cell has no ratio"});
                else if (cell.eFull < kSmallError * cell.energy)
                    result_.warnings.push_back(
                        {"small-error", place,
                         fmt::format("the full error is {:.2g} of the output's energy; its ratio says little",
                                     cell.eFull / cell.energy)});
            }
            const double least = std::min({r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian});
            const double most = std::max({r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian});
            if (most > (1.0 + kDisagreement) * least)
                result_.warnings.push_back(
                    {"averages-disagree", method.kernel,
                     fmt::format(
                         "mean {:.3g}, pooled {:.3g}, geometric {:.3g} and head median {:.3g} of the ratio differ "
                         "by more than 20 %",
                         r.ratio, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian)});
        }
    }

    void addWarnings(const std::vector<Warning>& more) {
        for (const Warning& warning : more)
            if (std::find(result_.warnings.begin(), result_.warnings.end(), warning) == result_.warnings.end())
                result_.warnings.push_back(warning);
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
                                 {"alpha", params_.grouping.alpha},
                                 {"tau", params_.grouping.tau},
                                 {"gamma", params_.grouping.gamma},
                                 {"controls", rungs}};
        if (!params_.rungs.empty()) provenance.parameters.emplace_back("draws", std::int64_t{params_.draws});
        if (params_.subsets) {
            provenance.parameters.emplace_back("replicates", std::int64_t{params_.replicates});
            provenance.parameters.emplace_back("pool", std::string(params_.pool == SubsetPool::Bulk ? "bulk" : "all"));
        }
    }

    const InterventionParams& params_;
    const KernelFactory& factory_;
    KernelFactory dumpFactory_;
    HeadSource& source_;
    kernels::Backend& backend_;
    std::vector<PromptIndex> calibration_;
    RetainedParams retained_;
    InterventionResult result_;
};

void checkIntervention(const InterventionParams& params) {
    if (params.kernels.empty()) throw kernels::ArgumentError("no kernel is given, expected at least one");
    if (params.seeds.empty()) throw kernels::ArgumentError("no seed is given, expected at least one");
    if (params.draws < 1) throw kernels::ArgumentError(fmt::format("{} draws, expected 1 or more", params.draws));
}

}  // namespace

InterventionResult intervene(const InterventionParams& params, const KernelFactory& factory, HeadSource& source,
                             kernels::Backend& backend, const RunControl& control) {
    checkIntervention(params);
    return Intervention(params, factory, source, backend).run(control);
}

}  // namespace dimscope::analysis
