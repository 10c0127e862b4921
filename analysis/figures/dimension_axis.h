// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "analysis/figure.h"
#include "analysis/figures/figure_options.h"
#include "analysis/grouping.h"
#include "analysis/head_profile.h"

namespace dimscope::analysis {

/// RoPE partner of a dimension, or -1; never outside 0 .. headDim - 1.
int partnerOf(int dimension, int headDim, const LayerInfo& layer);
/// Dimensions with RoPE partners side by side, those without a partner last: a permutation of 0 .. headDim - 1.
std::vector<int> foldedOrder(int headDim, const LayerInfo& layer);

/// Where each dimension stands on the x axis: natural order, or partners side by side. Dimension positions are
/// 0 .. d - 1, each taking the unit around its position.
class DimensionAxis {
public:
    DimensionAxis(int headDim, const LayerInfo& layer, bool fold);

    int headDim() const { return static_cast<int>(position_.size()); }
    double position(int dimension) const { return position_[static_cast<std::size_t>(dimension)]; }
    int partner(int dimension) const { return partnerOf(dimension, headDim(), *layer_); }
    Axis axis() const;
    /// Pale ground under brushed dimensions.
    void addBands(const std::vector<int>& brushed, Panel& panel) const;
    /// Thin rules between the halves that rotate together, with their names where \p labels.
    void addHalves(bool labels, Panel& panel) const;

private:
    const LayerInfo* layer_;
    bool fold_;
    std::vector<int> order_;        // (headDim) dimension at each position
    std::vector<double> position_;  // (headDim) position of each dimension
};

/// The n dimensions with the largest contribution, descending; those without any contribution are left out.
std::vector<int> strongest(const HeadProfile& head, int n);
/// Dimensions in outlier colours: the grouping's outliers, without a usable grouping the top five. Descending in chi.
std::vector<int> markedDimensions(const HeadProfile& head, const HeadGrouping* grouping);
/// Least and largest entry of a column over prompts; nothing for one prompt or where a value is not finite.
std::optional<std::pair<double, double>> promptRange(const kernels::Matrix<double>& prompts, int dimension);
/// Colour of a dimension: hovered, partner of the hovered one, outlier, bulk.
Ink dimensionInk(int dimension, bool outlier, bool key, const DimensionAxis& axis, const FigureOptions& options);
/// Frame of a figure of one head: name, title, caption, warnings, provenance.
Figure headFigure(const std::string& stem, const std::string& title, const std::string& what,
                  const ProfileResult& result, const HeadProfile& head);
/// "12 values of q or k are NaN or infinite: this head has no profile".
std::string nonFiniteText(const HeadProfile& head);

}  // namespace dimscope::analysis
