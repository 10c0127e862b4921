// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/experiments/outcome_stream.h"
#include "analysis/figure.h"
#include "analysis/figures/findings.h"
#include "analysis/grouping.h"
#include "analysis/kernel_settings.h"
#include "analysis/piece_store.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

struct InterventionResult;

/// One thing that a person may set about an experiment: a number, one of several words, or a switch. Forms are made
/// from it. Values are numbers: of a choice its place in `choices`, of a switch 0 or 1.
struct ExperimentField {
    enum class Kind { Integer, Number, Choice, Switch };
    std::string name;   ///< "rows"
    std::string label;  ///< "Query rows"
    std::string tip;    ///< what it does, range and default
    Kind kind = Kind::Integer;
    double least = 0.0, most = 1.0, start = 0.0;
    std::vector<std::string> choices = {};
    std::string group = {};  ///< a heading that begins with this field; empty: it belongs to the one before
    std::string unit = {};   ///< after the field: "a layer"
};

/// What an experiment is asked: which part of the dump, with what.
struct ExperimentRequest {
    Selection selection;  ///< no prompts: the experiment's own default
    GroupingParams grouping;
    KernelSettings settings;
    std::uint64_t seed = 0;
    std::map<std::string, double> values;  ///< of fields, by name; absent ones have their start
    friend bool operator==(const ExperimentRequest&, const ExperimentRequest&) = default;
};

/// What an experiment found: all that a page, a folder of files or a report shows of it.
struct ExperimentOutcome {
    std::vector<Finding> findings;  ///< strongest first
    std::vector<Figure> figures;
    std::vector<Table> tables;  ///< the main one first
    std::vector<Warning> warnings;
    Provenance provenance;
    bool running = false;                                         ///< what a run has so far
    std::shared_ptr<const InterventionResult> intervention = {};  ///< what a page of its own shows more of; else null
};

/// What a run shares with others: pieces of a run before it, and who looks while it goes on. Null: nobody.
struct ExperimentLinks {
    PieceStore* store = nullptr;
    OutcomeStream* stream = nullptr;
};

struct Experiment {
    std::string name;      ///< its verb: "orders"
    std::string title;     ///< "Orders"
    std::string question;  ///< one sentence: what it answers
    std::string help;      ///< how its figures are read
    std::vector<ExperimentField> fields;
    bool quick = false;      ///< takes seconds on a small dump: a page may start it by itself
    bool resumable = false;  ///< keeps pieces in the links' store and continues from them
    /// Why a dump cannot have it, as a clause; empty: it can.
    std::string (*unsupported)(const DumpInfo& info) = nullptr;
    /// What it leaves out on this dump, one clause each: "no W_o: errors after the projection".
    std::vector<std::string> (*limits)(const DumpInfo& info) = nullptr;
    /// Throws ArgumentError, FormatError, ShapeError, Cancelled.
    ExperimentOutcome (*run)(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                             const RunControl& control, const ExperimentLinks& links) = nullptr;

    /// Value of a field in a request. Throws ArgumentError for a field that the experiment lacks or a value out of
    /// range.
    double value(const ExperimentRequest& request, const std::string& field) const;
};

}  // namespace dimscope::analysis
