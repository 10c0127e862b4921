// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figures/findings.h"
#include "app/core/dump_jobs.h"
#include "app/report/page_content.h"
#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// Every figure and table of a dump: overview, kernel errors pooled, groups of every layer, and profile, grouping and
/// kernels of the strongest head of each layer. Nothing is drawn here.
class DumpReport {
public:
    struct Step {
        std::string title;
        std::function<PageContent(const RunControl&)> content;  ///< throws what the analysis throws
    };

    /// Opens the dump. Throws FileError, FormatError.
    explicit DumpReport(const std::filesystem::path& file, const std::string& backend = "cpu", int seed = 0,
                        const io::ReadingDecisions& decisions = {});

    /// Attention sinks are neither queries nor keys of what follows. Throws Cancelled.
    void excludeSinks(const RunControl& control);

    const analysis::DumpInfo& info() const { return workspace_.info(); }
    const JobContext& context() const { return context_; }
    ExperimentKey experimentKey(const std::string& name) const { return workspace_.experimentKey(name); }

    /// In the order in which they have to be run; they refer to this object.
    std::vector<Step> steps();

    // Once every step has run.
    std::vector<analysis::Finding> findings() const;  ///< about the strongest head of all and its kernels
    std::vector<std::string> limits() const;          ///< what the dump could not support, one clause each

private:
    PageContent overview(const RunControl& control);
    PageContent layerContent(const analysis::LayerInfo& layer, const RunControl& control);
    PageContent kernelErrors(const RunControl& control) const;
    void addTokens(PageContent& content, const analysis::HeadProfile& head, const analysis::ProfileResult& profile,
                   const RunControl& control) const;
    const analysis::HeadGrouping* groupsOf(LayerIndex layer, HeadIndex head) const;  ///< null: none
    void addKernels(PageContent& content, HeadChoice choice, const RunControl& control);

    Workspace workspace_;
    JobContext context_;
    analysis::ProfileResult profile_;
    std::vector<std::shared_ptr<const analysis::GroupingResult>> groupings_;  ///< by layer, as far as done
    std::vector<std::pair<HeadChoice, std::shared_ptr<const analysis::ComparisonResult>>> comparisons_;
};

}  // namespace dimscope::app
