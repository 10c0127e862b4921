// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/orders/synthetic_sequences.h"
#include "analysis/run_record.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "io/dump/dump_writer.h"

namespace dimscope::app {
namespace {

using analysis::SyntheticSequence;
using analysis::SyntheticSource;

void addSyntheticOptions(CLI::App& verb, Options& options) {
    std::vector<std::string> names;
    for (const SyntheticSequence& sequence : analysis::syntheticSequences()) names.push_back(sequence.name);
    verb.add_option("NAME", options.sequence, "Which sequence")->check(CLI::IsMember(names))->required();
    verb.add_option("--write", options.write, "Attention dump to write (HDF5)")->required();
    verb.add_option("--seed", options.seed, "Of the values")->capture_default_str();
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

analysis::Table sequenceTable(const SyntheticSequence& sequence, const std::string& file) {
    analysis::Table table;
    table.name = "synthetic-sequence";
    table.caption = "A sequence that convex weights cannot answer, as a dump";
    table.columns = {column("name", "sequence"), column("target", "target"), column("positions", "positions"),
                     column("prompts", "prompts"), column("file", "file")};
    addRow(table,
           {sequence.name, sequence.target, std::int64_t{sequence.positions}, std::int64_t{sequence.prompts}, file});
    return table;
}

/// The target of a row is no output of exact attention: it stands beside q, k and v under a name of its own.
void writeSequence(SyntheticSource& source, const Options& options, const kernels::RunControl& control) {
    const io::ExtraTensor target{
        "target", source.info().layers.front().valueDim,
        [&](kernels::LayerIndex, kernels::PromptIndex prompt, kernels::HeadIndex) -> const kernels::Matrix<double>& {
            return source.target(prompt);
        }};
    io::writeDump(options.write, source, {target},
                  fmt::format("dimscope-cli synthetic {} --seed {}", options.sequence, options.seed), control);
}

VerbOutput runSynthetic(const Options& options, const kernels::RunControl& control) {
    analysis::RunRecord record("synthetic", nullptr, options.seed);
    SyntheticSource source(options.sequence, options.seed);
    const SyntheticSequence& sequence = source.sequence();
    writeSequence(source, options, control);

    VerbOutput output;
    output.document = {{"sequence", sequence.name},
                       {"target", sequence.target},
                       {"positions", sequence.positions},
                       {"prompts", sequence.prompts},
                       {"file", options.write}};
    output.table = sequenceTable(sequence, options.write);
    output.text = alignedText(output.table);
    output.table.provenance = record.finished();
    return output;
}

}  // namespace

Verb syntheticVerb() {
    return {"synthetic", "Write a sequence that convex weights cannot answer and zero-sum weights can, as a dump",
            "  dimscope-cli synthetic alternating-differences --write alternating.h5\n"
            "  dimscope-cli orders alternating.h5 --rows all --hull --kernels softmax,zeros_sm --zeros_sm-sigmah 0",
            addSyntheticOptions, runSynthetic};
}

}  // namespace dimscope::app
