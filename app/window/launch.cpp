// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/launch.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace dimscope::app {
namespace {

constexpr int kWrongUsage = 2;

bool needsNoDisplay(std::string_view argument) {
    return argument.starts_with("--export") || argument.starts_with("--report") || argument == "--help" ||
           argument == "-h" || argument == "--help-all" || argument == "--version" || argument == "-v";
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

Launch parseLaunch(const QCoreApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        "Dimscope: which dimensions carry an attention head, and what linear-attention kernels lose there.");
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption exportOption(
        "export", "Write every figure and table of FILE into <folder>; needs no display.", "folder");
    const QCommandLineOption reportOption(
        "report", "Write the whole report of FILE, a page with every experiment, into <folder>; needs no display.",
        "folder");
    parser.addOption(exportOption);
    parser.addOption(reportOption);
    parser.addPositionalArgument(
        "FILE", "HDF5 dump with q, k and v. With --export and --report the default is the bundled sample.", "[FILE]");
    parser.process(application);
    if (parser.positionalArguments().size() > 1) {
        std::fputs("dimscope: one FILE at most\n", stderr);
        std::exit(kWrongUsage);
    }
    if (parser.isSet(exportOption) && parser.isSet(reportOption)) {
        std::fputs("dimscope: --export or --report, not both\n", stderr);
        std::exit(kWrongUsage);
    }
    return {parser.positionalArguments().value(0), parser.value(exportOption), parser.value(reportOption)};
}

}  // namespace dimscope::app
