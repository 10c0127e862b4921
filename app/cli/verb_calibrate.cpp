// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/exact_part_calibration.h"
#include "analysis/contribution_pieces.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/piece_run.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "app/core/layer_jobs.h"
#include "io/kernel_parameters.h"

namespace dimscope::app {
namespace {

using analysis::CalibrationParams;
using analysis::CalibrationResult;

void addCalibrateOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    addCalibrationOptions(verb, options);
    addExactPartOptions(verb, options);
    addGroupingOptions(verb, options);
    addPieceOptions(verb, options);
    addParamsOption(verb, options, "groups of oal and draws of dijiang");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, analysis::calibratedKernels(), false);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

std::vector<std::string> fittedKernels(const Options& options, analysis::FitMethod method) {
    const auto names = parseNames("--kernels", options.kernels);
    if (!names) return analysis::calibratedKernels(method);
    const auto among = [](const std::vector<std::string>& known, const std::string& name) {
        return std::find(known.begin(), known.end(), name) != known.end();
    };
    std::string list;
    for (const std::string& known : analysis::calibratedKernels()) list += (list.empty() ? "" : ", ") + known;
    for (const std::string& name : *names) {
        if (!among(analysis::calibratedKernels(), name))
            throw UsageError("--kernels: calibrate does not fit '" + name + "'; it fits " + list);
        if (!among(analysis::calibratedKernels(method), name))
            throw UsageError("--method: '" + name + "': " + std::string(analysis::refusalOf(method)));
    }
    return *names;
}

/// All that the command line says by itself.
CalibrationParams fitFrom(const Options& options) {
    checkSelection(options);
    if (!options.prompts.empty())
        throw UsageError("--prompts: a calibration takes its prompts from --train, --validation and --evaluation");
    CalibrationParams params;
    params.method = analysis::fitMethodFrom(options.method);
    params.kernels = fittedKernels(options, params.method);
    params.rows = options.fitRows == "all" ? 0 : static_cast<int>(parseInteger("--rows", options.fitRows, 1));
    params.seed = options.seed;
    params.threads = options.threads;
    params.exactPart = {options.exactFirst, options.exactWindow, 1.0};
    if (!params.exactPart.empty() && (!options.shard.empty() || options.merged))
        throw UsageError("--shard: gates of an exact part are fitted by one run; leave out --shard or the exact part");
    return params;
}

/// A fit of oal begins with one of global.
std::vector<std::string> usedKernels(const CalibrationParams& params) {
    std::vector<std::string> used = params.kernels;
    if (std::find(used.begin(), used.end(), "oal") != used.end()) used.emplace_back("global");
    return used;
}

bool fitsGroups(const CalibrationParams& params, const analysis::KernelFactory& factory,
                const std::vector<analysis::LayerInfo>& layers) {
    const bool wanted = std::find(params.kernels.begin(), params.kernels.end(), "oal") != params.kernels.end();
    return wanted && std::any_of(layers.begin(), layers.end(), [&](const analysis::LayerInfo& layer) {
               return factory.origin("oal", layer.layer) != "file";
           });
}

/// Groups of the dump itself where no file has them: on calibration prompts, else those that train.
void addGroups(const Options& options, const Inputs& inputs, const CalibrationParams& params,
               analysis::KernelFactory& factory, analysis::PieceStore* store, const kernels::RunControl& control) {
    analysis::Selection selection = selectionFrom(options, inputs.source->info(), {"calibration", "train"});
    if (!params.train.empty()) selection.prompts = params.train;
    analysis::Pieces pieces(store);
    const auto profile = analysis::contributions(selection, selection.prompts, *inputs.source, *inputs.backend, pieces,
                                                 control.slice(0.0F, 0.5F));
    if (profile) factory.setGroups(analysis::groupHeads(groupingFrom(options), *profile, control.slice(0.5F, 1.0F)));
}

Json fitJson(const analysis::KernelFit& fit, bool judged) {
    Json json{{"layer", fit.layer.value},
              {"head", fit.head.value},
              {"kernel", fit.kernel},
              {"start_mse", numberJson(fit.startMse)},
              {"train_mse", numberJson(fit.trainMse)},
              {"validation_mse", numberJson(fit.validationMse)},
              {"updates", fit.updates},
              {"seconds", numberJson(fit.seconds)}};
    if (fit.gate) {
        json["gate"] = numberJson(*fit.gate);
        json["gate_validation_mse"] = numberJson(fit.gateValidationMse);
    }
    if (judged) json["evaluation_mse"] = numberJson(fit.evaluationMse);
    return json;
}

std::string summary(const CalibrationResult& result) {
    analysis::Table table = analysis::calibrationTable(result);
    std::erase_if(table.columns, [&](const analysis::Column& column) {
        return (column.name == "evaluation_mse" && result.params.evaluation.empty()) ||
               (column.name.starts_with("gate") && result.params.exactPart.empty());
    });
    return alignedText(table);
}

/// After an interrupt the best so far is kept, but never in place of a file that may hold more.
void writeParameters(const Options& options, const CalibrationResult& result, const analysis::KernelFactory& factory,
                     const analysis::DumpInfo& info) {
    if (options.write.empty() || result.fits.empty()) return;
    if (result.cancelled && std::filesystem::exists(options.write)) return;
    kernels::ParameterSet set = analysis::calibratedParameters(result, factory, info);
    Json provenance = provenanceJson(result.provenance);
    provenance["interrupted"] = result.cancelled;
    for (auto& [layer, groups] : set.layers) groups[""].attributes["provenance"] = provenance.dump();
    io::writeKernelParameters(set, options.write);
}

VerbOutput runCalibrate(const Options& options, const kernels::RunControl& control) {
    checkPieces(options);
    CalibrationParams params = fitFrom(options);
    const Inputs inputs = openInputs(options, control);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {});
    params.train = promptsFrom("--train", options.train, info);
    params.validation = promptsFrom("--validation", options.validation, info);
    params.evaluation = promptsFrom("--evaluation", options.evaluation, info);
    analysis::KernelFactory factory(options.settings, inputs.parameters);
    const bool groups = fitsGroups(params, factory, selectedLayers(params.selection, info));
    const std::shared_ptr<PieceFile> store = openPieces(options, inputs);
    CalibrationResult result = withPieces(store, [&](analysis::PieceStore* pieces) {
        if (groups) addGroups(options, inputs, params, factory, pieces, control.slice(0.0F, 0.05F));
        return analysis::calibrateKernels(params, factory, *inputs.source, control.slice(groups ? 0.05F : 0.0F, 0.95F),
                                          pieces);
    });
    if (!params.exactPart.empty() && !result.cancelled)
        analysis::fitExactPart(result, *inputs.source, *inputs.backend, control.slice(0.95F, 1.0F));
    noteSettings(options.settings, usedKernels(params), result.provenance, result.warnings);
    noteParameters(inputs, result.provenance, result.warnings);
    if (!options.shard.empty() || !result.complete) {
        control.throwIfCancelled();
        return shardOutput(options, *store, result.provenance, result.warnings);
    }
    writeParameters(options, result, factory, info);
    control.throwIfCancelled();

    VerbOutput output;
    output.document["heads"] = Json::array();
    for (const analysis::KernelFit& fit : result.fits)
        output.document["heads"].push_back(fitJson(fit, !result.params.evaluation.empty()));
    output.text = summary(result);
    output.table = analysis::calibrationTable(result);
    output.warnings = result.warnings;
    return output;
}

}  // namespace

Verb calibrateVerb() {
    return {"calibrate", "Fits the learned kernels to exact attention, head by head",
            "  dimscope-cli calibrate dump.h5 --kernels global,oal --write kernels.h5\n"
            "  dimscope-cli calibrate dump.h5 --train 0-7 --validation 8,9 --evaluation 10-15 --json\n"
            "  dimscope-cli calibrate dump.h5 --kernels oal --exact-first 1 --exact-window 64 --write kernels.h5\n"
            "  dimscope-cli calibrate dump.h5 --layers 15 --method adam --seed 1",
            addCalibrateOptions, runCalibrate};
}

}  // namespace dimscope::app
