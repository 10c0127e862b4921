// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"
#include "analysis/figures/figure_options.h"
#include "analysis/grouping.h"
#include "analysis/head_profile.h"

namespace dimscope::analysis {

// Figures of the Profile page. A null grouping is allowed everywhere: the five strongest dimensions then stand in for
// the outlier groups. Hover keys are dimensions. A head with NaN or Inf gives a figure that says so and has no marks.

Figure magnitudeFigure(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer,
                       const HeadGrouping* grouping, const FigureOptions& options);
Figure contributionFigure(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer,
                          const HeadGrouping* grouping, const FigureOptions& options);
/// Also on the Grouping page; the grouping adds cuts, candidate range and support bars. With the parameters of the
/// grouping the cut's text says out of how many draws its support comes.
Figure sortedProfileFigure(const ProfileResult& result, const HeadProfile& head, const HeadGrouping* grouping,
                           const FigureOptions& options, const GroupingParams* params = nullptr);
/// |q| and |k| as token x dimension maps; rows reduced by their maximum above 1000.
/// \p query and \p key: one prompt's tensors, (positions, head_dim).
Figure tokenMapFigure(const HeadProfile& head, PromptIndex prompt, const kernels::TensorView& query,
                      const kernels::TensorView& key, const Provenance& provenance);

}  // namespace dimscope::analysis
