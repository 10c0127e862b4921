// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "app/cli/verbs.h"
#include "app/report/report_writer.h"

namespace dimscope::app {
namespace {

void addReportOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    verb.add_option("--out", options.folder, "Folder for the page and its files; made where it is missing")->required();
    addSinkOption(verb, options);
    addBackendOptions(verb, options);
    addJsonOption(verb, options);
}

VerbOutput runReport(const Options& options, const kernels::RunControl& control) {
    Report report({options.file, options.backend, static_cast<int>(options.seed), decisionsFrom(options.reading),
                   options.excludeSinks},
                  control);
    const std::filesystem::path folder = options.folder;
    const auto tell = [](std::size_t step, std::size_t steps, const std::string& title) {
        fmt::print(stderr, "[{}/{}] {}\n", step + 1, steps, title);
    };
    const auto files = writeReport(report, folder, {}, tell, control);

    VerbOutput output;
    output.document = {{"files", Json::array()}};
    for (const auto& file : files) output.document["files"].push_back(file.lexically_relative(folder).generic_string());
    output.table.provenance.verb = "report";
    output.table.provenance.version = analysis::programVersion();
    output.table.provenance.dump = report.info().identity;
    output.table.provenance.backend = options.backend;
    output.table.provenance.seed = options.seed;
    output.table.provenance.selection = report.info().exclusions;
    output.text = (std::filesystem::absolute(folder) / "index.html").string() + "\n";
    output.warnings = report.info().warnings;
    return output;
}

}  // namespace

Verb reportVerb() {
    return {"report",
            "Everything about a dump in one folder, with an index page; `dimscope --report` draws the figures too",
            "  dimscope-cli report dump.h5 --out report\n"
            "  dimscope-cli report dump.h5 --out report --backend reference --json\n"
            "  dimscope-cli report dump.h5 --out report --exclude-sinks",
            addReportOptions, runReport};
}

}  // namespace dimscope::app
