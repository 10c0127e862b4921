// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

using kernels::Matrix;

constexpr Index kMostColumns = 1000;   // more keys are joined: nothing drawn is wider in pixels
constexpr Index kManyKeys = 64;        // from here on a single column is too thin to be seen
constexpr double kSinkWidthPx = 10.0;  // of key 0, which draws most of the attention in many heads
constexpr double kDecades = 1e3;       // span of the weights' scale

const Matrix<float>* findWeights(const ComparisonResult& result, const std::string& kernel) {
    for (const WeightRows& rows : result.weights)
        if (rows.kernel == kernel) return rows.weights.get();
    return nullptr;
}

// Column 0 holds key 0 alone, every other column `keysPerColumn` keys by their largest magnitude.
struct Columns {
    Index keys = 0, perColumn = 1;

    explicit Columns(Index keyCount)
        : keys(keyCount), perColumn(std::max<Index>(1, (keyCount - 2) / kMostColumns + 1)) {}
    Index count() const { return keys <= 1 ? keys : 1 + (keys - 2) / perColumn + 1; }
    Index of(Index key) const { return key == 0 ? 0 : 1 + (key - 1) / perColumn; }
};

// NaN (hatched) where a key lies behind the query and exact attention gives it nothing: it is not visible.
struct Visibility {
    const Matrix<float>& exact;
    const std::vector<Index>& positions;  // (rows); empty: everything is visible

    bool operator()(Index row, Index key) const {
        return positions.empty() || key <= positions[static_cast<std::size_t>(row)] || exact(row, key) != 0.0F;
    }
};

template <class Value>
std::shared_ptr<const Matrix<float>> reduced(Index rows, const Columns& columns, const Visibility& visible,
                                             Value&& value) {
    auto map = std::make_shared<Matrix<float>>(rows, columns.count());
    std::fill(map->values().begin(), map->values().end(), std::numeric_limits<float>::quiet_NaN());
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns.keys; ++j) {
            if (!visible(i, j)) continue;
            const float weight = value(i, j);
            float& cell = (*map)(i, columns.of(j));
            if (std::isfinite(weight) && !(std::abs(cell) >= std::abs(weight))) cell = weight;
        }
    return map;
}

double largestMagnitude(const Matrix<float>& map) {
    float most = 0.0F;
    for (float value : map.values())
        if (std::abs(value) > most) most = std::abs(value);
    return static_cast<double>(most);
}

class WeightMaps {
public:
    WeightMaps(const Matrix<float>& exact, const Matrix<float>& approximate, const std::vector<Index>& positions,
               std::string title)
        : rows_(exact.rows()), columns_(exact.cols()), positions_(positions), title_(std::move(title)) {
        const Visibility visible{exact, positions};
        exact_ = reduced(rows_, columns_, visible, [&](Index i, Index j) { return exact(i, j); });
        approximate_ = reduced(rows_, columns_, visible, [&](Index i, Index j) { return approximate(i, j); });
        difference_ =
            reduced(rows_, columns_, visible, [&](Index i, Index j) { return approximate(i, j) - exact(i, j); });
        // With many keys a tenth is much for one of them; above that the colour saturates.
        most_ = std::max(largestMagnitude(*exact_), largestMagnitude(*approximate_));
        if (columns_.keys > kManyKeys) most_ = std::min(most_, 0.1);
        if (!(most_ > 0.0)) most_ = 1.0;
    }

    std::vector<Panel> panels() const {
        return {panel(weightMap(exact_), "exact"), panel(weightMap(approximate_), title_),
                panel(differenceMap(), title_ + " − exact")};
    }

private:
    HeatMap weightMap(const std::shared_ptr<const Matrix<float>>& values) const {
        HeatMap map;
        map.values = values;
        map.scale = ColourScale::Log;
        map.from = most_ / kDecades;
        map.to = most_;
        map.barTitle = "weight";
        return map;
    }

    HeatMap differenceMap() const {
        HeatMap map;
        map.values = difference_;
        map.map = ColourMap::BlueWhiteVermilion;
        map.scale = ColourScale::SquareRoot;
        map.to = std::max(largestMagnitude(*difference_), 1e-12);
        map.from = -map.to;
        map.barTitle = "difference";
        return map;
    }

    Panel panel(HeatMap map, const std::string& name) const {
        Panel panel;
        panel.x.title = columns_.keys > kManyKeys ? "key position; key 0 drawn wide" : "key position";
        panel.x.to = static_cast<double>(std::max<Index>(columns_.count(), 1));
        panel.y.title = positions_.empty() ? "query row" : "query position";
        panel.y.to = static_cast<double>(std::max<Index>(rows_, 1));
        panel.x.grid = panel.y.grid = false;
        panel.note = name;
        addTicks(panel);
        if (columns_.keys > kManyKeys) map.firstColumnWidthPx = kSinkWidthPx;
        for (Index i = 0; i < rows_; ++i)
            map.rowNames.push_back(positions_.empty()
                                       ? fmt::format("row {}", i)
                                       : fmt::format("query {}", positions_[static_cast<std::size_t>(i)]));
        for (Index column = 0; column < columns_.count(); ++column) map.columnNames.push_back(columnName(column));
        panel.marks.push_back(std::move(map));
        return panel;
    }

    std::string columnName(Index column) const {
        if (column == 0) return "key 0";
        const Index first = 1 + (column - 1) * columns_.perColumn;
        const Index last = std::min(first + columns_.perColumn, columns_.keys) - 1;
        return first == last ? fmt::format("key {}", first) : fmt::format("keys {} to {}", first, last);
    }

    void addTicks(Panel& panel) const {
        for (int key : countTicks(static_cast<int>(columns_.keys), 5)) {
            panel.x.ticks.push_back(static_cast<double>(columns_.of(key)) + 0.5);
            panel.x.tickLabels.push_back(std::to_string(key));
        }
        for (Index row : {Index{0}, rows_ - 1}) {
            if (row < 0 || (row == 0 && !panel.y.ticks.empty())) continue;
            panel.y.ticks.push_back(static_cast<double>(row) + 0.5);
            panel.y.tickLabels.push_back(
                std::to_string(positions_.empty() ? row : positions_[static_cast<std::size_t>(row)]));
        }
    }

    Index rows_;
    Columns columns_;
    std::vector<Index> positions_;
    std::string title_;
    std::shared_ptr<const Matrix<float>> exact_, approximate_, difference_;
    double most_ = 1.0;
};

// Why there is nothing to draw; empty where there is.
std::string obstacle(const ComparisonResult& result, LayerIndex layer, HeadIndex head, const std::string& kernel) {
    if (result.weights.empty()) return "the comparison kept no weights";
    if (!result.heads.empty() && (result.heads.front().layer != layer || result.heads.front().head != head))
        return "weights are kept for " + placeText(result.heads.front().layer, result.heads.front().head) + " alone";
    const Matrix<float>* exact = findWeights(result, "softmax");
    const Matrix<float>* approximate = findWeights(result, kernel);
    if (!exact) return "the comparison kept no exact weights";
    if (!approximate) return "no weights of " + kernelTitle(kernel) + " are kept";
    if (exact->empty() || exact->rows() != approximate->rows() || exact->cols() != approximate->cols())
        return "the weight rows of " + kernelTitle(kernel) + " do not fit the exact ones";
    return {};
}

}  // namespace

Figure weightsFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head, const std::string& kernel) {
    std::string what = kernelTitle(kernel) + " against exact attention";
    if (!result.prompts.empty()) what += fmt::format(", prompt {}", result.prompts.front().value);
    Figure figure = comparisonFigure("weights", "Attention weights", what, result, layer, head);
    figure.name += "-" + kernel;
    figure.heightMm = 90.0;
    figure.sharedX = true;
    if (const std::string why = obstacle(result, layer, head, kernel); !why.empty()) {
        figure.panels.push_back(emptyPanel(why));
        return figure;
    }
    const Matrix<float>& exact = *findWeights(result, "softmax");
    std::vector<Index> positions;
    if (!result.positions.empty() && static_cast<Index>(result.positions.front().size()) == exact.rows())
        positions = result.positions.front();
    figure.panels = WeightMaps(exact, *findWeights(result, kernel), positions, kernelTitle(kernel)).panels();
    return figure;
}

}  // namespace dimscope::analysis
