// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/reading_preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/doctor/output_readings.h"
#include "analysis/row_sampling.h"
#include "analysis/selection.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr Index kMostPositions = 1024;
constexpr Index kMostShownPositions = 3, kMostShownDims = 4;
constexpr Index kMostNumbers = Index{1} << 25;  ///< of k or v of a layer and prompt that a quick look reads
constexpr int kOutputRows = 16;
constexpr double kFitting = 0.02, kFarBetter = 0.1;
constexpr double kFarApart = 1e4;  ///< of the largest |q| over the median: heads with outliers stay below 1000

/// Magnitudes of q over its first positions.
void describeQuery(const kernels::Tensor& query, ReadingPreview& preview) {
    std::visit(
        [&](const auto& values) {
            const Index rows = std::min(values.rows(), kMostPositions);
            preview.numbers = rows * values.cols();
            std::vector<double> magnitudes;
            for (Index n = 0; n < rows; ++n)
                for (Index d = 0; d < values.cols(); ++d)
                    if (const auto value = static_cast<double>(values(n, d)); std::isfinite(value))
                        magnitudes.push_back(std::abs(value));
            preview.nonFinite = preview.numbers - static_cast<Index>(magnitudes.size());
            if (!magnitudes.empty()) {
                const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
                std::nth_element(magnitudes.begin(), middle, magnitudes.end());
                preview.median = *middle;
                preview.largest = *std::max_element(magnitudes.begin(), magnitudes.end());
            }
            preview.firstQuery = kernels::Matrix<double>(std::min(values.rows(), kMostShownPositions),
                                                         std::min(values.cols(), kMostShownDims));
            for (Index n = 0; n < preview.firstQuery.rows(); ++n)
                for (Index d = 0; d < preview.firstQuery.cols(); ++d)
                    preview.firstQuery(n, d) = static_cast<double>(values(n, d));
        },
        query);
}

double residualOf(HeadSource& source, const ReadingPreview& preview, const RunControl& control) {
    const LayerInfo& layer = preview.layer;
    if (!layer.hasValue || !layer.hasOutput) return kNaN;
    if (layer.positions * std::max(layer.headDim, layer.valueDim) * layer.nKvHeads > kMostNumbers) return kNaN;
    try {
        std::vector<Warning> fewerRows;  // a short prompt has fewer, and all of them are looked at
        const auto rows = sampleRows({preview.prompt}, source, layer.positions, kOutputRows, 0, fewerRows);
        OutputResiduals residuals(layer, {candidateReadings(layer).front()});
        const HeadIndex last{layer.nHeads - 1};
        residuals.add(source, preview.prompt,
                      last == preview.head ? std::vector{last} : std::vector{preview.head, last}, rows.front(),
                      control);
        return residuals.statedResidual();
    } catch (const kernels::Error&) {
        return kNaN;  // v or o cannot be read so: that says nothing about q and k
    }
}

}  // namespace

ReadingPreview previewReading(HeadSource& source, kernels::Backend& backend, const RunControl& control) {
    ReadingPreview preview;
    preview.layer = source.info().layers.front();
    const std::vector<PromptIndex> usable = selectedPrompts({}, source.info());
    const std::vector<PromptIndex> present = presentPrompts(usable, preview.layer);
    preview.prompt = present.empty() ? usable.front() : present.front();  // a prompt that is missing is named by load
    preview.head = HeadIndex{preview.layer.nHeads / 2};
    const auto query = source.load(TensorKind::Query, preview.layer.layer, preview.prompt, preview.head.value,
                                   control.slice(0.0F, 0.3F));
    describeQuery(query->values, preview);
    const Selection selection{
        {preview.layer.layer}, {preview.head}, {preview.prompt}, std::min(preview.layer.positions, kMostPositions)};
    preview.profile = profileHeads(selection, source, backend, control.slice(0.3F, 0.7F));
    preview.residual = residualOf(source, preview, control.slice(0.7F, 1.0F));
    control.throwIfCancelled();
    return preview;
}

std::vector<std::string> concernsAbout(const ReadingPreview& preview) {
    std::vector<std::string> concerns;
    if (preview.nonFinite > 0)
        concerns.push_back(fmt::format("{} of {} numbers are NaN or infinite", preview.nonFinite, preview.numbers));
    if (preview.largest > kFarApart * preview.median)
        concerns.push_back(preview.median > 0.0
                               ? fmt::format("the largest number is {:.0e} times the median: these may be other "
                                             "numbers, misread",
                                             preview.largest / preview.median)
                               : std::string("more than half of the numbers are 0"));
    if (preview.largest == 0.0) concerns.emplace_back("all numbers are 0");
    return concerns;
}

std::string outputText(const ReadingPreview& preview) {
    if (std::isnan(preview.residual)) return {};
    const double percent = 100.0 * preview.residual;
    const std::string off = percent < 0.01    ? "by less than 0.01 %"
                            : percent >= 10.0 ? fmt::format("by {:.0f} %", percent)
                                              : fmt::format("by {:.2g} %", percent);
    return fmt::format("o {} from q, k and v (off {})", preview.residual <= kFitting ? "follows" : "does not follow",
                       off);
}

std::optional<std::size_t> likeliestReading(const std::vector<std::optional<ReadingPreview>>& previews) {
    std::optional<std::size_t> best;
    for (std::size_t n = 0; n < previews.size(); ++n)
        if (previews[n] &&
            (best ? previews[n]->residual < previews[*best]->residual : previews[n]->residual <= kFitting))
            best = n;
    if (!best) return std::nullopt;
    for (std::size_t n = 0; n < previews.size(); ++n) {
        if (n == *best || !previews[n]) continue;
        if (!(previews[*best]->residual <= kFarBetter * previews[n]->residual))
            return std::nullopt;  // NaN: not compared
    }
    return best;
}

}  // namespace dimscope::analysis
