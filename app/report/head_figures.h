// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figures/figure_options.h"
#include "app/core/workspace.h"
#include "app/report/page_content.h"

namespace dimscope::app {

/// Results about one head that pages and exports draw.
struct HeadResults {
    const analysis::LayerInfo& layer;
    const analysis::ProfileResult& profile;
    const analysis::HeadProfile& head;
    const analysis::GroupingResult* grouping = nullptr;  ///< null: none yet
    const analysis::HeadGrouping* headGrouping() const;
};

analysis::FigureOptions figureOptions(const Parameters& parameters, const std::vector<int>& brushed);

analysis::Figure magnitudeOf(const HeadResults& results, const analysis::FigureOptions& options);
analysis::Figure contributionOf(const HeadResults& results, const analysis::FigureOptions& options);
analysis::Figure sortedOf(const HeadResults& results, const analysis::FigureOptions& options);

/// Everything about profile and grouping of one head, for an export without a window.
PageContent profileContent(const HeadResults& results, const analysis::FigureOptions& options);
PageContent groupingContent(const HeadResults& results);

}  // namespace dimscope::app
