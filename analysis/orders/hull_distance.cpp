// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/hull_distance.h"

#include <algorithm>
#include <cmath>

#include "analysis/calibration/prompt_tensors.h"
#include "analysis/common_prompts.h"
#include "analysis/head_loader.h"
#include "analysis/kernel_comparison.h"
#include "analysis/orders/nearest_hull_point.h"
#include "analysis/run_record.h"
#include "analysis/table_rows.h"
#include "analysis/warning_list.h"
#include "kernels/cpu/worker_pool.h"

namespace dimscope::analysis {
namespace {

/// Of one row: distance and gap in units of the values' spread; NaN where the row has none.
struct RowHull {
    double distance = kNaN, gap = kNaN;
    bool outside = false;
};

/// (value_dim, visible keys)
Eigen::MatrixXd visibleValues(const PromptTensors& tensors, Index position) {
    const PromptTensors::Visible keys = tensors.visible(position);
    Eigen::MatrixXd values(tensors.valueDim(), static_cast<Index>(keys.mask.sum()));
    Index count = 0;
    for (Index n = 0; n < keys.count; ++n)
        if (keys.mask[n] > 0.0)
            values.col(count++) = tensors.valueAndOne.row(keys.first + n).head(tensors.valueDim()).transpose();
    return values;
}

RowHull rowHull(const PromptTensors& tensors, Index position, const Eigen::VectorXd& output,
                const RunControl& control) {
    const Eigen::MatrixXd values = visibleValues(tensors, position);
    if (values.cols() == 0 || !output.allFinite()) return {};
    const Eigen::VectorXd mean = values.rowwise().mean();
    const double spread = std::sqrt((values.colwise() - mean).squaredNorm() / static_cast<double>(values.cols()));
    const double longest = std::sqrt(values.colwise().squaredNorm().maxCoeff());
    // Values that are the same but for rounding have no spread.
    if (!(spread > 1e-12 * longest)) return {};
    const HullDistance found = nearestHullPoint(values, output, control);
    return {found.distance / spread, found.gap() / spread, found.distance > kOutsideTolerance * longest};
}

/// Sums over the rows of one head and kernel.
struct HullSums {
    double distance = 0.0, most = 0.0, gap = 0.0;
    Index rows = 0, outside = 0, leftOut = 0;

    void add(const RowHull& row) {
        if (!(row.distance >= 0.0)) {
            ++leftOut;
            return;
        }
        distance += row.distance;
        most = std::max(most, row.distance);
        gap = std::max(gap, row.gap);
        outside += row.outside ? 1 : 0;
        ++rows;
    }
    HeadHull concluded(LayerIndex layer, HeadIndex head, const std::string& kernel) const {
        HeadHull hull{layer, head, kernel};
        hull.rows = rows;
        hull.leftOut = leftOut;
        hull.usable = rows > 0;
        if (!hull.usable) return hull;
        hull.distance = distance / static_cast<double>(rows);
        hull.maxDistance = most;
        hull.outsideShare = static_cast<double>(outside) / static_cast<double>(rows);
        hull.gap = gap;
        return hull;
    }
};

/// Outputs of one kernel in one layer at a prompt, head and row; the number of prompts, heads and rows stands in front
/// of the value coordinates.
Eigen::VectorXd outputAt(const KernelOutputs& outputs, std::size_t prompt, std::size_t head, std::size_t row) {
    const std::size_t axes = outputs.shape.size();
    const auto heads = static_cast<std::size_t>(outputs.shape[axes - 3]);
    const auto rows = static_cast<std::size_t>(outputs.shape[axes - 2]);
    const Index dim = outputs.shape[axes - 1];
    const std::size_t start = ((prompt * heads + head) * rows + row) * static_cast<std::size_t>(dim);
    return Eigen::Map<const Eigen::VectorXd>(outputs.values.data() + start, dim);
}

/// All kernels of one layer on one head.
std::vector<HullSums> headSums(const std::vector<const KernelOutputs*>& outputs, const LayerInfo& layer,
                               std::size_t head, HeadIndex index, const ComparisonResult& compared, Index length,
                               HeadSource& source, kernels::cpu::WorkerPool& pool, const RunControl& control) {
    std::vector<HullSums> sums(outputs.size());
    for (std::size_t p = 0; p < compared.prompts.size(); ++p) {
        HeadLoader loader(source, layer, compared.prompts[p], length, true);
        const PromptTensors tensors(loader.inputs(index, control));
        if (loader.nonFinite(index) > 0) return std::vector<HullSums>(outputs.size());
        const std::size_t rows = compared.positions[p].size();
        std::vector<RowHull> hulls(outputs.size() * rows);
        // Late rows see more keys and take longest.
        pool.run(static_cast<Index>(hulls.size()), control.part(p, compared.prompts.size()), [&](Index task) {
            const std::size_t row = rows - 1 - static_cast<std::size_t>(task) / outputs.size();
            const std::size_t kernel = static_cast<std::size_t>(task) % outputs.size();
            hulls[kernel * rows + row] =
                rowHull(tensors, compared.positions[p][row], outputAt(*outputs[kernel], p, head, row), control);
        });
        for (std::size_t n = 0; n < hulls.size(); ++n) sums[n / rows].add(hulls[n]);
    }
    return sums;
}

ComparisonParams comparisonFor(const HullParams& params) {
    ComparisonParams comparison;
    comparison.selection = params.selection;
    comparison.kernels = params.kernels;
    comparison.rows = params.rows;
    comparison.positions = params.positions;
    comparison.seeds = {params.seed};
    comparison.rowSeed = params.rowSeed;
    comparison.keepOutputs = true;
    comparison.afterProjection = false;
    return comparison;
}

/// Outputs of the kernels asked for; exact attention, which a comparison always has, only where it is one of them.
std::vector<const KernelOutputs*> outputsOf(const ComparisonResult& compared) {
    std::vector<const KernelOutputs*> found;
    for (const std::string& kernel : compared.kernels)
        for (const KernelOutputs& outputs : compared.outputs)
            if (outputs.kernel == kernel) found.push_back(&outputs);
    return found;
}

/// Prompts, rows, kernels and warnings of one layer's comparison, each once.
void takeOver(const ComparisonResult& compared, HullResult& result) {
    result.prompts = compared.prompts;
    result.positions = compared.positions;
    for (const std::string& kernel : compared.kernels)
        if (std::find(result.kernels.begin(), result.kernels.end(), kernel) == result.kernels.end())
            result.kernels.push_back(kernel);
    addOnce(compared.warnings, result.warnings);
}

}  // namespace

HullResult hullDistances(const HullParams& params, const KernelFactory& factory, HeadSource& dump,
                         kernels::Backend& backend, const RunControl& control, bool skipUnsupported) {
    CommonPrompts source(dump, params.selection);
    RunRecord record("orders", &backend, params.rowSeed);
    describe(params.selection, source.info(), record.provenance());
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    ComparisonParams comparison = comparisonFor(params);
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    comparison.selection.length = length;
    HullResult result;
    kernels::cpu::WorkerPool pool(params.threads);
    for (std::size_t n = 0; n < layers.size(); ++n) {  // outputs of one layer are held at a time
        const RunControl part = control.part(n, layers.size());
        comparison.selection.layers = {layers[n].layer};
        const ComparisonResult compared =
            compareKernels(comparison, factory, source, backend, part.slice(0.0F, 0.3F), skipUnsupported);
        takeOver(compared, result);
        if (n == 0) record.provenance().parameters = compared.provenance.parameters;
        const std::vector<const KernelOutputs*> outputs = outputsOf(compared);
        const std::vector<HeadIndex> heads = selectedHeads(params.selection, layers[n]);
        std::vector<std::vector<HullSums>> sums;
        for (std::size_t h = 0; h < heads.size(); ++h)
            sums.push_back(headSums(outputs, layers[n], h, heads[h], compared, length, source, pool,
                                    part.slice(0.3F, 1.0F).part(h, heads.size())));
        for (std::size_t k = 0; k < outputs.size(); ++k)
            for (std::size_t h = 0; h < heads.size(); ++h)
                result.heads.push_back(sums[h][k].concluded(layers[n].layer, heads[h], outputs[k]->kernel));
    }
    result.provenance = record.finished();
    return result;
}

Table hullTable(const HullResult& result) {
    Table table{.name = "hull-distance",
                .caption =
                    "Distance of kernel outputs to the convex hull of the visible values at sampled query rows, "
                    "in units of the values' RMS distance from their mean, per head",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("kernel", "Kernel"),
                     plainColumn("distance", "Mean distance"),
                     plainColumn("max_distance", "Largest"),
                     percentColumn("outside_share", "Rows outside"),
                     plainColumn("rows", "Rows"),
                     plainColumn("left_out", "Left out"),
                     plainColumn("gap", "Largest gap")};
    for (const HeadHull& h : result.heads)
        appendRow(table, {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, h.kernel, h.distance, h.maxDistance,
                          h.outsideShare, std::int64_t{h.rows}, std::int64_t{h.leftOut}, h.gap});
    return table;
}

}  // namespace dimscope::analysis
