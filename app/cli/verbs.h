// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/table.h"
#include "app/cli/document.h"
#include "app/cli/options.h"
#include "kernels/run_control.h"

namespace dimscope::app {

/// What a verb has to say. Nothing is printed before all of it is there.
struct VerbOutput {
    Json document;     ///< --json and --out F.json; provenance and warnings are added from the table and the list below
    std::string text;  ///< for a person
    analysis::Table table;                   ///< --out F.csv, F.md, F.tex
    std::optional<analysis::Figure> figure;  ///< --out F.tikz; none where more than one head is selected
    std::vector<analysis::Warning> warnings;
    bool objection = false;             ///< the result is there, and the program ends with 1: a check failed
    std::optional<std::string> pieces;  ///< in place of the document: those of a shard, as they are printed and written
};

struct Verb {
    std::string name;
    std::string description;
    std::string examples;  ///< below the options in --help
    void (*addOptions)(CLI::App& verb, Options& options) = nullptr;
    /// Throws UsageError, Error, Cancelled.
    VerbOutput (*run)(const Options& options, const kernels::RunControl& control) = nullptr;
};

Verb infoVerb();
Verb doctorVerb();
Verb profileVerb();
Verb groupVerb();
Verb kernelsVerb();
Verb devicesVerb();
Verb compareVerb();
Verb calibrateVerb();
Verb interveneVerb();
Verb ordersVerb();
Verb concentrationVerb();
Verb stabilityVerb();
Verb layersVerb();
Verb mergeVerb();
Verb fidelityVerb();
Verb budgetVerb();
Verb benchVerb();
Verb reportVerb();
Verb importVerb();
Verb exportVerb();
Verb syntheticVerb();
Verb repackVerb();

/// All verbs, in the order of --help.
std::vector<Verb> allVerbs();

}  // namespace dimscope::app
