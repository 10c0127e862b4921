// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>

#include "app/cli/lists.h"
#include "app/cli/piece_run.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

void addMergeOptions(CLI::App& verb, Options& options) {
    verb.add_option("PART", options.parts, "Files of all shards of one run, in any order")->required();
    verb.add_option("--file", options.file, "The dump, where it is not at the path that the shards have");
    verb.add_option("--write", options.write, "Write the parameters of a calibration to this HDF5 file");
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

/// The command line that the shards were made by, with the pieces of all of them.
Options mergedOptions(const Verb& verb, const std::shared_ptr<PieceFile>& store, const Options& options) {
    Options merged;
    CLI::App parser;
    verb.addOptions(parser, merged);
    const PieceRun& run = store->run();
    std::vector<std::string> words = run.arguments;
    words.insert(words.begin(), options.file.empty() ? run.file : options.file);
    merged.words = words;
    merged.words.insert(merged.words.begin(), run.verb);
    std::reverse(words.begin(), words.end());  // as the parser takes them
    try {
        parser.parse(words);
    } catch (const CLI::ParseError& error) {
        throw kernels::Error(std::string("the arguments of the shards cannot be read: ") + error.what());
    }
    merged.merged = store;
    merged.write = options.write;
    merged.out = options.out;
    return merged;
}

VerbOutput runMerge(const Options& options, const kernels::RunControl& control) {
    const std::vector<std::filesystem::path> parts(options.parts.begin(), options.parts.end());
    const std::shared_ptr<PieceFile> store = PieceFile::merged(parts);
    const PieceRun& run = store->run();
    const std::vector<Verb> verbs = allVerbs();
    const auto verb =
        std::find_if(verbs.begin(), verbs.end(), [&](const Verb& known) { return known.name == run.verb; });
    if (verb == verbs.end()) throw kernels::Error("the shards are of verb '" + run.verb + "', which is not known");
    if (run.version != analysis::programVersion())
        throw kernels::Error("the shards were made by version " + run.version + ", this is " +
                             analysis::programVersion());
    const Options merged = mergedOptions(*verb, store, options);
    VerbOutput output = verb->run(merged, control);
    // What computed the pieces, not what joined them; a verb without a backend names none.
    if (!output.table.provenance.backend.empty()) {
        output.table.provenance.backend = run.backend;
        output.table.provenance.device = run.device;
    }
    return output;
}

}  // namespace

Verb mergeVerb() {
    return {"merge", "Joins the files of --shard i/n runs into the result that one run would give",
            "  dimscope-cli intervene dump.h5 --control subsets --shard 1/2 --out part1.json\n"
            "  dimscope-cli intervene dump.h5 --control subsets --shard 2/2 --out part2.json\n"
            "  dimscope-cli merge part1.json part2.json --out result.json",
            addMergeOptions, runMerge};
}

}  // namespace dimscope::app
