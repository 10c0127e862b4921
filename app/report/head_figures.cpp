// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/head_figures.h"

#include "analysis/figures/grouping_figures.h"
#include "analysis/figures/profile_figures.h"

namespace dimscope::app {
const analysis::HeadGrouping* HeadResults::headGrouping() const {
    const analysis::HeadGrouping* found = grouping == nullptr ? nullptr : grouping->find(head.layer, head.head);
    return found != nullptr && found->usable ? found : nullptr;
}

analysis::FigureOptions figureOptions(const Parameters& parameters, const std::vector<int>& brushed) {
    return {.brushed = brushed, .hovered = -1, .foldPairs = parameters.foldPairs, .maximum = parameters.maximum};
}

analysis::Figure magnitudeOf(const HeadResults& r, const analysis::FigureOptions& options) {
    return analysis::magnitudeFigure(r.profile, r.head, r.layer, r.headGrouping(), options);
}

analysis::Figure contributionOf(const HeadResults& r, const analysis::FigureOptions& options) {
    return analysis::contributionFigure(r.profile, r.head, r.layer, r.headGrouping(), options);
}

analysis::Figure sortedOf(const HeadResults& r, const analysis::FigureOptions& options) {
    return analysis::sortedProfileFigure(r.profile, r.head, r.headGrouping(), options,
                                         r.grouping == nullptr ? nullptr : &r.grouping->params);
}

PageContent profileContent(const HeadResults& r, const analysis::FigureOptions& options) {
    PageContent content;
    content.add(magnitudeOf(r, options));
    content.add(contributionOf(r, options));
    content.add(sortedOf(r, options));
    if (r.head.usable()) content.add(analysis::topDimensionsTable(r.profile, r.head, r.layer));
    return content;
}

PageContent groupingContent(const HeadResults& r) {
    PageContent content;
    if (r.headGrouping() == nullptr) return content;
    content.add(analysis::supportFigure(*r.grouping, *r.headGrouping()));
    content.add(analysis::cutsTable(*r.grouping, *r.headGrouping()));
    return content;
}

}  // namespace dimscope::app
