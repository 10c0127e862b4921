// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/launch.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "analysis/provenance.h"
#include "app/cli/lists.h"
#include "app/cli/reading_options.h"

namespace dimscope::app {
namespace {

constexpr int kWrongUsage = 2;

bool needsNoDisplay(std::string_view argument) {
    return argument.starts_with("--export") || argument.starts_with("--report") || argument == "--help" ||
           argument == "-h" || argument == "--version" || argument == "-v";
}

}  // namespace

bool prepareDisplay(int argc, char** argv) {
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "-platform") return true;  // Qt's own option
        if (needsNoDisplay(argv[i])) {
            qputenv("QT_QPA_PLATFORM", "offscreen");
            return true;
        }
    }
    if (!qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) return true;
    std::fputs("dimscope: there is no display; 'dimscope --export DIR [FILE]' draws without one\n", stderr);
    return false;
}

Launch parseLaunch(const QStringList& arguments) {
    std::string file, exportFolder, reportFolder;
    ReadingOptions reading;
    CLI::App program(
        "Dimscope: which dimensions carry an attention head, and what linear-attention kernels lose there.",
        "dimscope");
    program.set_version_flag("-v,--version", "dimscope " + analysis::programVersion());
    program.add_option("FILE", file,
                       "Dump with q, k and v. With --export and --report the default is the bundled sample");
    auto* exports = program.add_option("--export", exportFolder,
                                       "Write every figure and table of FILE into a folder; needs no display");
    program
        .add_option("--report", reportFolder,
                    "Write the whole report of FILE, a page with every experiment, into a folder; needs no display")
        ->excludes(exports);
    addReadingOptions(program, reading);
    program.get_option("--map")->allow_extra_args(false);  // what follows may be the FILE
    std::vector<std::string> words;                        // what Qt left, the last one first
    for (const QString& word : arguments.mid(1)) words.insert(words.begin(), word.toStdString());
    try {
        program.parse(words);
        return {QString::fromStdString(file), QString::fromStdString(exportFolder),
                QString::fromStdString(reportFolder), decisionsFrom(reading)};
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) std::exit(program.exit(error));  // --help, --version
        std::fprintf(stderr, "dimscope: %s\n", error.what());
    } catch (const UsageError& error) {
        std::fprintf(stderr, "dimscope: %s\n", error.what());
    }
    std::exit(kWrongUsage);
}

}  // namespace dimscope::app
