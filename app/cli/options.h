// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/budget/budget.h"
#include "analysis/evaluation_params.h"
#include "analysis/grouping.h"
#include "analysis/kernel_settings.h"
#include "analysis/selection.h"
#include "app/cli/reading_options.h"

namespace dimscope::app {

class PieceFile;

/// What the command line says, as it says it. Lists stay text until the verb runs.
struct Options {
    std::string file;
    ReadingOptions reading;  ///< of the file
    bool json = false;
    bool markdown = false;  ///< of the list of kernels
    std::string out;
    std::string folder;  ///< of a report

    std::string layers = "all", heads = "all";
    std::string prompts;  ///< empty: the verb's own default
    std::int64_t length = 0;
    bool excludeSinks = false;

    std::string backend = "cpu";
    int device = 0;
    int threads = 0;
    std::uint64_t seed = 0;

    analysis::GroupingParams grouping;
    std::string support = "rank";

    std::string params;                 ///< kernel-parameter file; empty: none
    std::string outputs;                ///< where kernel outputs go; empty: nowhere
    analysis::KernelSettings settings;  ///< of the kernels
    std::string kernels = "all", rows = "32", seeds = "0";
    std::string positions;  ///< empty: sampled
    std::int64_t exactFirst = 0, exactWindow = 0;
    bool centreKeys = false;
    std::string restrictedKernels = "performer,spectraformer,dijiang,taylorshift";  ///< of an intervention
    std::string interventionSeeds;  ///< empty: all draws of the parameter file, else 0
    std::string subset;             ///< S of an intervention; empty: the grouping
    std::string control = "none";
    int draws = 1, subsetReplicates = 1000;
    int benchReplicates = 100;  ///< random subsets per head that bench measures
    std::string pool = "bulk";
    int isotropicDraws = 20;      ///< of a concentration
    int promptReplicates = 1000;  ///< of a stability
    std::string lengths;          ///< prefix lengths of a stability; empty: powers of two
    std::string protocol;         ///< of an intervention; empty: none
    bool dose = false, sweep = false, crossFit = false, noCrossFit = false;
    int doseDraws = 30, rankLimit = 2500;

    std::vector<std::string> words;     ///< of the command line, the verb first
    std::string shard;                  ///< "i/n"; empty: the whole run
    std::string resume;                 ///< where pieces of the run are kept; empty: nowhere
    std::vector<std::string> parts;     ///< of a merge
    std::shared_ptr<PieceFile> merged;  ///< all pieces of the run, where it is merged

    std::string fidelityKernels = "performer,spectraformer,dijiang,taylorshift,taylor,global,oal";
    std::string fidelityRows = "all", fidelityPath = "state";
    int weightRows = 32;
    std::string budgetLayers = "middle", budgetHeads = "kv", groups = "1,2,3,4,5,6,8,d";
    analysis::BudgetParams budget;

    std::string job = "operator", shape = "9/3x64";  ///< of a bench
    int repeat = 9;

    bool ablations = false, hull = false;  ///< of orders
    std::string hullKernels = "softmax,zeros_sm,linear_zeros";
    std::string sequence;  ///< synthetic, by its name

    std::string method = "gauss-newton";
    std::string train, validation, evaluation;  ///< prompts of a calibration; empty: as cli.md says
    std::string fitRows = "512";
    std::string write;         ///< where parameters go; empty: nowhere
    std::string exported;      ///< where factors go as JSON
    bool skipBroken = false;   ///< import what can be used of a release
    bool skipDamaged = false;  ///< repack what can be read
};

// Each adds a group of options to a verb.
void addJsonOption(CLI::App& verb, Options& options);
void addFileOption(CLI::App& verb, Options& options);
/// Layers, heads, prompts and length.
void addExtentOptions(CLI::App& verb, Options& options);
/// The same, and --exclude-sinks.
void addSelectionOptions(CLI::App& verb, Options& options);
void addSinkOption(CLI::App& verb, Options& options);
void addBackendOptions(CLI::App& verb, Options& options);
void addOutOption(CLI::App& verb, Options& options);
void addParamsOption(CLI::App& verb, Options& options, const std::string& what);
/// `replicates`: name of the option, where a verb has other replicates too.
void addGroupingOptions(CLI::App& verb, Options& options, const std::string& replicates = "--replicates");
void addRowOptions(CLI::App& verb, Options& options);
void addComparisonOptions(CLI::App& verb, Options& options);
void addExactPartOptions(CLI::App& verb, Options& options);
/// Exact part and centred keys of all kernels, and the prompts they are fitted on.
void addEvaluationOptions(CLI::App& verb, Options& options);
void addCalibrationOptions(CLI::App& verb, Options& options);

/// --shard and --resume.
void addPieceOptions(CLI::App& verb, Options& options);

/// Layers, heads, prompts and length of a dump. `defaultSplits`: prompts where none are asked for, the first split that
/// the dump has; none of them or an empty list means all. Throws UsageError, ArgumentError (no prompt has the split).
analysis::Selection selectionFrom(const Options& options, const analysis::DumpInfo& info,
                                  const std::vector<std::string>& defaultSplits);
/// Prompts that `option` names: numbers, ranges, all or split:NAME; empty text: none. Throws UsageError, ArgumentError.
std::vector<kernels::PromptIndex> promptsFrom(std::string_view option, const std::string& text,
                                              const analysis::DumpInfo& info);
/// Refuses what selectionFrom would refuse about the text alone, before a file is opened. Throws UsageError.
void checkSelection(const Options& options);

/// Query rows per prompt; 0: all. Throws UsageError.
int rowCount(const Options& options);
/// Throws ArgumentError for --train prompts that the dump lacks.
analysis::EvaluationParams evaluationFrom(const Options& options, const analysis::DumpInfo& info);

/// --out names a figure, F.tikz.
bool wantsFigure(const Options& options);

/// Grouping parameters with rule and seed. Throws UsageError.
analysis::GroupingParams groupingFrom(const Options& options);

}  // namespace dimscope::app
