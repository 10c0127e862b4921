// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/experiments/experiment_catalog.h"
#include "app/report/dump_report.h"

namespace dimscope::app {

/// One experiment of a report.
struct ReportSection {
    std::string name;  ///< "profiles", "kernels", or that of the experiment
    std::string title;
    std::string about;                ///< one sentence
    std::string absent;               ///< why it is not there, as a clause; empty: it is
    std::vector<std::string> limits;  ///< what the dump could not support
    std::vector<analysis::Finding> findings;
    std::vector<analysis::Warning> warnings;
    analysis::Provenance provenance;
    PageContent content;
};

struct ReportParams {
    std::filesystem::path file;
    std::string backend = "cpu";
    int seed = 0;
    io::ReadingDecisions decisions = {};  ///< about the file
    bool excludeSinks = false;            ///< attention sinks are neither queries nor keys of anything
};

/// Everything that the program can say about a dump: profiles, groups and kernels, then every experiment of the
/// catalogue.
class Report {
public:
    struct Step {
        std::string title;
        /// A part that fails says so in its section; the others go on. Throws Cancelled.
        std::function<ReportSection(const RunControl&)> run;
    };

    /// Opens the dump, and looks for its sinks where they are excluded. Throws FileError, FormatError, Cancelled.
    explicit Report(const ReportParams& params, const kernels::RunControl& control = {});

    const analysis::DumpInfo& info() const { return dump_.info(); }
    /// In the order in which they have to be run; they refer to this object.
    std::vector<Step> steps();

private:
    ReportSection dumpSection(const RunControl& control);
    ReportSection experimentSection(const analysis::Experiment& experiment, const RunControl& control);

    ReportParams params_;
    DumpReport dump_;
};

}  // namespace dimscope::app
