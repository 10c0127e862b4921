// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/lists.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {
namespace {

/// A lower bound in words; the library's own names the largest double as the upper one.
CLI::Validator atLeast(int least) {
    const std::string bound = fmt::format("{} or more", least);
    return {[least, bound](const std::string& text) {
                double value = 0.0;
                const bool fits = CLI::detail::lexical_cast(text, value) && value >= least;
                return fits ? std::string() : fmt::format("'{}' is not {}", text, bound);
            },
            bound};
}

constexpr std::string_view kSplitPrefix = "split:";

bool namesSplit(const std::string& prompts) { return prompts.rfind(kSplitPrefix, 0) == 0; }

std::vector<kernels::PromptIndex> promptsOfSplit(std::string_view option, const std::string& split,
                                                 const analysis::DumpInfo& info) {
    std::vector<kernels::PromptIndex> chosen;
    std::set<std::string> present;
    for (std::size_t p = 0; p < info.prompts.size(); ++p) {
        if (!info.prompts[p].split.empty()) present.insert(info.prompts[p].split);
        if (info.prompts[p].split == split) chosen.emplace_back(static_cast<int>(p));
    }
    if (chosen.empty())
        throw kernels::ArgumentError(
            fmt::format("{} split:{}: no prompt of {} has this split; it has {}", option, split, info.path,
                        present.empty() ? "none" : fmt::format("{}", fmt::join(present, ", "))));
    return chosen;
}

template <class Index>
std::vector<Index> indicesFrom(std::string_view option, const std::string& text) {
    std::vector<int> numbers = parseSelection(option, text);
    std::sort(numbers.begin(), numbers.end());
    std::vector<Index> indices;
    for (const int n : numbers) indices.emplace_back(n);
    return indices;
}

}  // namespace

void addJsonOption(CLI::App& verb, Options& options) {
    verb.add_flag("--json", options.json, "Print one JSON document and nothing else");
}

void addFileOption(CLI::App& verb, Options& options) {
    verb.add_option("FILE", options.file, "Attention dump (HDF5, safetensors or npz)")->required();
    addReadingOptions(verb, options.reading);
}

void addExtentOptions(CLI::App& verb, Options& options) {
    verb.add_option("--layers", options.layers, "Layers: 4,12,20, 0-8 or all")->capture_default_str();
    verb.add_option("--heads", options.heads, "Query heads: 0,3, 0-8 or all")->capture_default_str();
    verb.add_option("--prompts", options.prompts, "Prompts: 0-15, all or split:NAME");
    verb.add_option("--length", options.length, "Use the first N positions")->check(atLeast(1));
}

void addSinkOption(CLI::App& verb, Options& options) {
    verb.add_flag("--exclude-sinks", options.excludeSinks,
                  "Leave out attention sinks, as doctor finds them, as keys and as queries");
}

void addSelectionOptions(CLI::App& verb, Options& options) {
    addExtentOptions(verb, options);
    addSinkOption(verb, options);
}

void addBackendOptions(CLI::App& verb, Options& options) {
    std::vector<std::string> names;
    for (const std::string_view name : kernels::backendNames()) names.emplace_back(name);
    verb.add_option("--backend", options.backend, "Where to compute")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    verb.add_option("--device", options.device, "GPU number")->check(atLeast(0))->capture_default_str();
    verb.add_option("--threads", options.threads, "CPU threads, 0: all cores")
        ->check(atLeast(0))
        ->capture_default_str();
    verb.add_option("--seed", options.seed, "Seed of everything drawn but the kernels")->capture_default_str();
}

void addOutOption(CLI::App& verb, Options& options) {
    verb.add_option("--out", options.out,
                    "Also write the result here: .csv, .md, .tex, .json, or .tikz (figure of one head) by extension");
}

void addParamsOption(CLI::App& verb, Options& options, const std::string& what) {
    verb.add_option("--params", options.params, "Kernel-parameter file: " + what);
}

void addGroupingOptions(CLI::App& verb, Options& options, const std::string& replicates) {
    analysis::GroupingParams& grouping = options.grouping;
    verb.add_option("--alpha", grouping.alpha, "Tail that may hold cuts, share of the dimensions")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    verb.add_option("--tau", grouping.tau, "Least ratio of neighbours at a cut")
        ->check(CLI::Range(1.0, 1e9))
        ->capture_default_str();
    verb.add_option("--gamma", grouping.gamma, "Least bootstrap support of a cut")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    verb.add_option("--min-groups", grouping.minGroups, "Least number of groups")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    verb.add_option(replicates, grouping.replicates, "Bootstrap replicates of the grouping")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    verb.add_option("--support", options.support, "What a replicate must show to support a cut")
        ->check(CLI::IsMember({"rank", "set", "fixed", "tol"}))
        ->capture_default_str();
    verb.add_option("--delta", grouping.delta, "Ranks that --support tol allows")
        ->check(atLeast(0))
        ->capture_default_str();
}

void addRowOptions(CLI::App& verb, Options& options) {
    CLI::Option* rows = verb.add_option("--rows", options.rows, "Query rows drawn per prompt, or all");
    rows->capture_default_str();
    verb.add_option("--positions", options.positions, "Query positions of every prompt: 0,17,..")->excludes(rows);
}

void addComparisonOptions(CLI::App& verb, Options& options) {
    verb.add_option("--kernels", options.kernels, "Kernels: a,b or all")->capture_default_str();
    addRowOptions(verb, options);
    verb.add_option("--seeds", options.seeds, "Draws of the kernels: 0-4")->capture_default_str();
    verb.add_option("--outputs", options.outputs, "Write exact and approximate outputs to this HDF5 file");
}

void addExactPartOptions(CLI::App& verb, Options& options) {
    verb.add_option("--exact-first", options.exactFirst, "Keep the first S keys of a prompt exact")->check(atLeast(0));
    verb.add_option("--exact-window", options.exactWindow, "Keep the last W keys up to a query exact")
        ->check(atLeast(0));
}

void addEvaluationOptions(CLI::App& verb, Options& options) {
    addExactPartOptions(verb, options);
    verb.add_flag("--centre-keys", options.centreKeys, "Take the mean key away from the keys that kernels see");
    verb.add_option("--train", options.train, "Prompts that gates and mean keys come from: 0-7 or split:NAME");
}

void addCalibrationOptions(CLI::App& verb, Options& options) {
    verb.add_option("--kernels", options.kernels, "Kernels to fit: a,b or all")->capture_default_str();
    verb.add_option("--method", options.method, "How to fit")
        ->check(CLI::IsMember({"gauss-newton", "adam"}))
        ->capture_default_str();
    verb.add_option("--train", options.train, "Prompts to fit on: 0-7 or split:NAME");
    verb.add_option("--validation", options.validation, "Prompts that choose among fits");
    verb.add_option("--evaluation", options.evaluation, "Prompts that judge the result once");
    verb.add_option("--rows", options.fitRows, "Query rows drawn per prompt, or all")->capture_default_str();
    verb.add_option("--write", options.write, "Write the parameters to this HDF5 file");
}

void addPieceOptions(CLI::App& verb, Options& options) {
    verb.add_option("--shard", options.shard, "Compute one part of n, 1/n to n/n, for merge; --out then ends in .json");
    verb.add_option("--resume", options.resume, "Keep what is finished in this file and continue from it");
}

void checkSelection(const Options& options) {
    parseSelection("--layers", options.layers);
    parseSelection("--heads", options.heads);
    for (const auto& [option, text] :
         {std::pair("--prompts", &options.prompts), std::pair("--train", &options.train),
          std::pair("--validation", &options.validation), std::pair("--evaluation", &options.evaluation)}) {
        if (namesSplit(*text)) {
            if (text->size() == kSplitPrefix.size())
                throw UsageError(fmt::format("{} 'split:': expected the name of a split behind the colon", option));
        } else if (!text->empty()) {
            parseSelection(option, *text);
        }
    }
}

std::vector<kernels::PromptIndex> promptsFrom(std::string_view option, const std::string& text,
                                              const analysis::DumpInfo& info) {
    if (text.empty()) return {};
    if (namesSplit(text)) return promptsOfSplit(option, text.substr(kSplitPrefix.size()), info);
    // "all" is an empty list to the parser, and "none given" to a calibration.
    return analysis::selectedPrompts({{}, {}, indicesFrom<kernels::PromptIndex>(option, text), 0}, info);
}

analysis::Selection selectionFrom(const Options& options, const analysis::DumpInfo& info,
                                  const std::vector<std::string>& defaultSplits) {
    analysis::Selection selection;
    selection.layers = indicesFrom<kernels::LayerIndex>("--layers", options.layers);
    selection.heads = indicesFrom<kernels::HeadIndex>("--heads", options.heads);
    selection.length = options.length;
    if (namesSplit(options.prompts))
        selection.prompts = promptsOfSplit("--prompts", options.prompts.substr(kSplitPrefix.size()), info);
    else if (!options.prompts.empty())
        selection.prompts = indicesFrom<kernels::PromptIndex>("--prompts", options.prompts);
    else if (!defaultSplits.empty())
        selection.prompts = analysis::promptsOfSplits(info, defaultSplits);
    return selection;
}

int rowCount(const Options& options) {
    return options.rows == "all" ? 0 : static_cast<int>(parseInteger("--rows", options.rows, 1));
}

analysis::EvaluationParams evaluationFrom(const Options& options, const analysis::DumpInfo& info) {
    return {options.exactFirst, options.exactWindow, options.centreKeys, promptsFrom("--train", options.train, info)};
}

bool wantsFigure(const Options& options) { return std::filesystem::path(options.out).extension() == ".tikz"; }

analysis::GroupingParams groupingFrom(const Options& options) {
    analysis::GroupingParams params = options.grouping;
    params.support = analysis::supportRuleFrom(options.support);
    params.seed = options.seed;
    return params;
}

}  // namespace dimscope::app
