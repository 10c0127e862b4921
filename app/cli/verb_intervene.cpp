// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/intervention_document.h"
#include "app/cli/intervention_options.h"
#include "app/cli/piece_run.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::InterventionParams;
using analysis::InterventionResult;

VerbOutput runIntervene(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    checkPieces(options);
    InterventionParams params = interventionFrom(options);
    const Inputs inputs = openInputs(options, control);
    const analysis::KernelFactory factory(options.settings, inputs.parameters);
    std::vector<analysis::Warning> unmet;
    completeFrom(options, inputs, factory, params, unmet);
    const std::shared_ptr<PieceFile> store = openPieces(options, inputs);
    InterventionResult result = withPieces(store, [&](analysis::PieceStore* pieces) {
        return analysis::intervene(params, factory, *inputs.source, *inputs.backend, control, {pieces, nullptr});
    });
    if (!options.protocol.empty()) result.provenance.parameters.emplace_back("protocol", options.protocol);
    result.warnings.insert(result.warnings.end(), unmet.begin(), unmet.end());
    noteParameters(inputs, result.provenance, result.warnings);
    if (!result.complete || !options.shard.empty())
        return shardOutput(options, *store, result.provenance, result.warnings);

    VerbOutput output;
    output.document = interventionDocument(result);
    output.text = interventionText(result);
    output.table = analysis::interventionTable(result);
    output.warnings = result.warnings;
    return output;
}

}  // namespace

Verb interveneVerb() {
    return {"intervene",
            "How much of a kernel's error stays when only the high-contribution dimensions are approximated",
            "  dimscope-cli intervene dump.h5 --layers 15\n"
            "  dimscope-cli intervene dump.h5 --subset top:4 --control gaussian --draws 3\n"
            "  dimscope-cli intervene dump.h5 --train split:calibration --control ladder,subsets --json\n"
            "  dimscope-cli intervene dump.h5 --control subsets --resume run.json --out result.json\n"
            "  dimscope-cli intervene dump.h5 --control subsets --shard 1/8 --out part1.json\n"
            "  dimscope-cli intervene dump.h5 --protocol oal-qwen --control gaussian,subsets --dose --sweep",
            addInterventionOptions, runIntervene};
}

}  // namespace dimscope::app
