// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/budget/budget.h"
#include "analysis/figures/budget_figures.h"
#include "app/cli/inputs.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::BudgetParams;
using analysis::BudgetPoint;
using analysis::BudgetResult;
using analysis::NumberStyle;

void addBudgetOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    verb.add_option("--layers", options.budgetLayers, "Layers: middle, 4,12,20, 0-8 or all")->capture_default_str();
    verb.add_option("--heads", options.budgetHeads, "Query heads: kv (one per key/value head), 0,3, 0-8 or all")
        ->capture_default_str();
    verb.add_option("--prompts", options.prompts, "Prompts that judge: 0-15, all or split:NAME");
    verb.add_option("--length", options.length, "Use the first N positions")->check(CLI::Range(1, 1 << 30));
    addSinkOption(verb, options);
    verb.add_option("--groups", options.groups, "Numbers of groups; d: every dimension its own")->capture_default_str();
    verb.add_option("--partitions", options.budget.randomPartitions, "Random partitions per number of groups")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    verb.add_option("--random-cuts", options.budget.randomCuts, "Random cuts of the order of chi")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    verb.add_option("--rows", options.fidelityRows, "Rows that judge: all, or how many are drawn per prompt")
        ->capture_default_str();
    verb.add_option("--fit-rows", options.budget.fitRows, "Rows drawn per prompt to fit and validate on, 0: all")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    verb.add_option("--starts", options.budget.starts, "Starts of every fit")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    verb.add_option("--train", options.train, "Prompts that orders, cuts and factors come from: 0-7 or split:NAME");
    verb.add_option("--validation", options.validation, "Prompts that choose among fits");
    addGroupingOptions(verb, options, "--bootstrap-replicates");
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

std::vector<int> groupNumbers(const std::string& text) {
    std::vector<int> groups;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::string word = text.substr(from, to - from);
        groups.push_back(word == "d" ? 0 : static_cast<int>(parseInteger("--groups", word, 1)));
        from = to + 1;
    }
    return groups;
}

/// Layers and heads where a person named none: few enough for a minute.
analysis::Selection budgetSelection(const Options& options, const analysis::DumpInfo& info) {
    const analysis::Selection small = analysis::smallBudgetSelection(info);
    Options own = options;
    own.layers = options.budgetLayers == "middle" ? "all" : options.budgetLayers;
    own.heads = options.budgetHeads == "kv" ? "all" : options.budgetHeads;
    analysis::Selection selection = selectionFrom(own, info, {"evaluation"});
    if (options.budgetLayers == "middle") selection.layers = small.layers;
    if (options.budgetHeads == "kv") selection.heads = small.heads;
    return selection;
}

Json pointJson(const BudgetPoint& point) {
    Json json{{"groups", point.groups},
              {"parameters", point.parameters},
              {"order", point.order},
              {"cut_rule", point.cutRule},
              {"draw", point.draw < 0 ? Json(nullptr) : Json(point.draw)},
              {"mse", numberJson(point.mse)},
              {"rel_mse", numberJson(point.relMse)},
              {"train_mse", numberJson(point.trainMse)},
              {"validation_mse", numberJson(point.validationMse)},
              {"fit", point.fit},
              {"front", point.front}};
    // Whole numbers unless heads differ.
    for (const char* key : {"groups", "parameters"})
        if (const double value = json[key].get<double>(); value == std::floor(value))
            json[key] = static_cast<std::int64_t>(value);
    return json;
}

Json budgetDocument(const BudgetResult& result) {
    Json document{{"points", Json::array()}, {"heads", Json::array()}};
    for (const BudgetPoint& point : result.points) document["points"].push_back(pointJson(point));
    for (const analysis::BudgetHead& head : result.heads)
        document["heads"].push_back({{"layer", head.layer.value},
                                     {"head", head.head.value},
                                     {"point", head.point},
                                     {"groups", head.partition.groups()},
                                     {"order", head.partition.order},
                                     {"cut_rule", head.partition.cutRule},
                                     {"cuts", head.partition.cuts},
                                     {"label", head.partition.label},
                                     {"mse", numberJson(head.mse)},
                                     {"rel_mse", numberJson(head.relMse)}});
    return document;
}

/// Named partitions one by one, random ones by their least, median and largest error.
std::string budgetSummary(const BudgetResult& result) {
    analysis::Table table;
    table.columns = {column("groups", "groups"),  column("parameters", "parameters"),
                     column("order", "order"),    column("cut_rule", "cuts"),
                     column("mse", "MSE"),        column("rel_mse", "RelMSE", NumberStyle::Percent),
                     column("range", "of draws"), column("front", "front")};
    for (const analysis::BudgetSummaryRow& row : analysis::budgetSummaryRows(result))
        addRow(table,
               {row.groups, row.parameters, row.order, row.cutRule, row.mse, row.relMse,
                row.draws == 0 ? std::string()
                               : fmt::format("{}: {} to {}", row.draws, displayText(row.least, NumberStyle::Percent),
                                             displayText(row.most, NumberStyle::Percent)),
                std::string(row.front ? "*" : "")});
    return alignedText(table) + "* on the Pareto front of error against parameters\n";
}

VerbOutput runBudget(const Options& options, const kernels::RunControl& control) {
    Options own = options;
    own.layers = options.budgetLayers == "middle" ? "all" : options.budgetLayers;
    own.heads = options.budgetHeads == "kv" ? "all" : options.budgetHeads;
    own.rows = options.fidelityRows;
    checkSelection(own);
    BudgetParams params = options.budget;
    params.groups = groupNumbers(options.groups);
    params.rows = rowCount(own);
    params.grouping = groupingFrom(options);
    params.seed = options.seed;
    params.threads = options.threads;
    const Inputs inputs = openInputs(options, control);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = budgetSelection(options, info);
    params.train = promptsFrom("--train", options.train, info);
    params.validation = promptsFrom("--validation", options.validation, info);
    BudgetResult result = analysis::groupBudget(params, *inputs.source, *inputs.backend, control);

    VerbOutput output;
    output.document = budgetDocument(result);
    output.text = budgetSummary(result);
    output.table = analysis::budgetTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options)) output.figure = analysis::budgetFigure(result);
    return output;
}

}  // namespace

Verb budgetVerb() {
    return {"budget", "Error of fitted quadratic kernels against the number of groups and parameters",
            "  dimscope-cli budget dump.h5\n"
            "  dimscope-cli budget dump.h5 --layers 15 --heads all --groups 1,2,4,d --out budget.tikz\n"
            "  dimscope-cli budget dump.h5 --train split:calibration --prompts split:evaluation --json",
            addBudgetOptions, runBudget};
}

}  // namespace dimscope::app
