// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>

#include "analysis/loading_time.h"
#include "analysis/run_record.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "app/core/dump_opening.h"
#include "io/dump/array_file.h"
#include "io/dump/attention_dump.h"
#include "io/dump/dump_repack.h"

namespace dimscope::app {
namespace {

void addRepackOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    verb.add_option("--out", options.write, "Attention dump to write (HDF5)")->required();
    verb.add_flag("--skip-damaged", options.skipDamaged,
                  "Go on where a head cannot be read: its numbers become NaN, and a warning lists it");
    addJsonOption(verb, options);
}

analysis::Table repackTable(const Options& options, std::int64_t before, std::int64_t bytes, double ratio) {
    analysis::Table table;
    table.name = "repack";
    table.caption = "A dump as format 1, chunked per head; load ratio: time to load heads before over after";
    table.columns = {column("file", "file"), column("bytes_before", "bytes before"), column("bytes", "bytes"),
                     column("load_ratio", "load ratio")};
    addRow(table, {options.write, before, bytes, ratio});
    return table;
}

VerbOutput runRepack(const Options& options, const kernels::RunControl& control) {
    const std::string extension = std::filesystem::path(options.write).extension().string();
    if (extension != ".h5" && extension != ".hdf5")
        throw UsageError("--out '" + options.write + "': expected a name ending in .h5 or .hdf5");
    const io::ReadingDecisions decisions = decisionsFrom(options.reading);
    analysis::RunRecord record("repack", nullptr, 0);
    const auto source = openDumpSafely(options.file, decisions, control);
    io::OpenPolicy policy;
    policy.outside = decisions.outside;
    const auto original = io::openArrayFile(options.file, policy);
    const io::RepackResult result =
        io::repackDump(options.write, *source, control.slice(0.0F, 0.95F), {options.skipDamaged, original.get()});
    const double ratio = analysis::loadTimeRatio([&] { return io::openDump(options.file, decisions); },
                                                 [&] { return io::openDump(options.write); }, control);
    record.provenance().dump = source->info().identity;

    VerbOutput output;
    const std::int64_t before = source->info().identity.sizeBytes;
    output.document = {
        {"file", options.write}, {"bytes_before", before}, {"bytes", result.bytes}, {"load_ratio", numberJson(ratio)}};
    output.table = repackTable(options, before, result.bytes, ratio);
    output.text = alignedText(output.table);
    output.table.provenance = record.finished();
    output.warnings = source->info().warnings;
    output.warnings.insert(output.warnings.end(), result.warnings.begin(), result.warnings.end());
    return output;
}

}  // namespace

Verb repackVerb() {
    return {"repack", "Any readable dump as format 1, chunked per head",
            "  dimscope-cli repack dump.safetensors --out dump.h5\n"
            "  dimscope-cli repack old.h5 --rotate --out post-rope.h5 --json\n"
            "  dimscope-cli repack broken.h5 --skip-damaged --out rest.h5",
            addRepackOptions, runRepack};
}

}  // namespace dimscope::app
