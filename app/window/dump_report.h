// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/core/dump_jobs.h"
#include "app/window/export_files.h"

namespace dimscope::app {

/// Every figure and table of a dump: overview, kernel errors pooled, groups of every layer, and profile, grouping and
/// kernels of the strongest head of each layer. Nothing is drawn here.
class DumpReport {
public:
    struct Step {
        std::string title;
        std::function<PageContent()> content;  ///< throws what the analysis throws
    };

    /// Opens the dump. Throws FileError, FormatError.
    explicit DumpReport(const std::filesystem::path& file);

    /// In the order in which they have to be run; they refer to this object.
    std::vector<Step> steps();

private:
    PageContent overview();
    PageContent layerContent(const analysis::LayerInfo& layer);
    PageContent kernelErrors() const;
    void addTokens(PageContent& content, const analysis::HeadProfile& head,
                   const analysis::ProfileResult& profile) const;
    void addKernels(PageContent& content, HeadChoice choice);

    Workspace workspace_;
    JobContext context_;
    analysis::ProfileResult profile_;
    std::vector<std::shared_ptr<const analysis::GroupingResult>> groupings_;  ///< by layer, as far as done
    std::vector<std::pair<HeadChoice, std::shared_ptr<const analysis::ComparisonResult>>> comparisons_;
};

}  // namespace dimscope::app
