// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "app/cli/lists.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "io/atomic_file.h"
#include "io/pgfplots_writer.h"
#include "io/table_writer.h"

namespace dimscope::app {
namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130;

void addVerb(CLI::App& program, const Verb& verb, Options& options) {
    CLI::App* command = program.add_subcommand(verb.name, verb.description);
    verb.addOptions(*command, options);
    command->footer("Examples:\n" + verb.examples);
}

std::string verbNames(const std::vector<Verb>& verbs) {
    std::string names;
    for (const Verb& verb : verbs) names += (names.empty() ? "" : ", ") + verb.name;
    return names;
}

/// A first word that is no verb gets a clearer answer than the parser has.
void checkVerb(int count, char** arguments, const std::vector<Verb>& verbs) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    const bool asksForHelp = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "-h" || word == "--help" || word == "--version";
    });
    const bool onlyOptions =
        std::all_of(words.begin(), words.end(), [](const std::string& word) { return word.rfind('-', 0) == 0; });
    if (onlyOptions && !asksForHelp) throw UsageError("a verb is missing; there are " + verbNames(verbs));
    const std::string& first = words.front();
    const bool known = std::any_of(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == first; });
    if (!known && first.rfind('-', 0) != 0)
        throw UsageError(fmt::format("there is no verb '{}'; there are {}", first, verbNames(verbs)));
}

void checkOutPath(const Options& options) {
    static const std::set<std::string> kExtensions = {".csv", ".md", ".tex", ".json", ".tikz"};
    if (options.out.empty() || kExtensions.count(std::filesystem::path(options.out).extension().string())) return;
    throw UsageError(fmt::format("--out '{}': expected a name ending in .csv, .md, .tex, .json or .tikz", options.out));
}

void writeOut(const VerbOutput& output, const Options& options) {
    if (options.out.empty()) return;
    if (std::filesystem::path(options.out).extension() == ".json")
        io::writeFileAtomically(options.out, output.pieces ? *output.pieces : documentText(output.document));
    else if (!wantsFigure(options))
        io::writeTable(output.table, options.out);
    else if (output.figure)
        io::writePgfplots(*output.figure, options.out);
    else
        throw kernels::ArgumentError(fmt::format(
            "{}: there is a figure of profile, group, compare and stability for one head only; choose it with --layers "
            "and --heads",
            options.out));
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw kernels::Error("standard output: the result could not be written");
}

int runVerb(const Verb& verb, const Options& options) {
    checkOutPath(options);
    const kernels::RunControl control;
    VerbOutput output;
    {
        const Watch watch(control);
        output = verb.run(options, control);
        control.throwIfCancelled();
    }
    output.document["provenance"] = provenanceJson(output.table.provenance);
    output.document["warnings"] = warningsJson(output.warnings);
    writeOut(output, options);
    if (!options.json)
        for (const analysis::Warning& warning : output.warnings)
            fmt::print(stderr, "warning: {}{}{}\n", warning.place, warning.place.empty() ? "" : ": ", warning.text);
    print(!options.json ? output.text : output.pieces ? *output.pieces : documentText(output.document));
    return output.objection ? kFailed : kDone;
}

int parseAndRun(int count, char** arguments) {
    const std::vector<Verb> verbs = allVerbs();
    checkVerb(count, arguments, verbs);
    Options options;
    options.words.assign(arguments + 1, arguments + count);
    CLI::App program("Which dimensions carry attention, and what linear-attention kernels lose", "dimscope-cli");
    program.set_version_flag("--version", "dimscope-cli " + analysis::programVersion());
    program.require_subcommand(1);
    for (const Verb& verb : verbs) addVerb(program, verb, options);
    try {
        program.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
        throw UsageError(error.what());
    }
    const std::string chosen = program.get_subcommands().front()->get_name();
    return runVerb(*std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == chosen; }),
                   options);
}

/// One line on stderr, and with --json the refusal on stdout.
int refuse(int exitCode, const JobFailure& failure, bool json) {
    std::fflush(stdout);
    fmt::print(stderr, "dimscope-cli: {}\n", failure.text);
    if (json) fmt::print("{}", documentText(errorJson(failure)));
    return std::fflush(stdout) == 0 ? exitCode : kFailed;
}

JobFailure usageFailure(const UsageError& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::string advice = "see dimscope-cli --help";
    return {text + "; " + advice, kernels::FormatError::Parts{"", "", text, advice}};
}

}  // namespace

int runProgram(int argumentCount, char** arguments) {
    noteInterrupts();
    const bool json =
        std::find(arguments, arguments + argumentCount, std::string("--json")) != arguments + argumentCount;
    try {
        return parseAndRun(argumentCount, arguments);
    } catch (const UsageError& error) {
        return refuse(kWrongUsage, usageFailure(error), json);
    } catch (const kernels::Cancelled&) {
        fmt::print(stderr, "dimscope-cli: interrupted\n");
        return kInterrupted;
    } catch (...) {
        return refuse(kFailed, failureOf(std::current_exception()), json);
    }
}

}  // namespace dimscope::app
