// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/layer_magnitudes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/common_prompts.h"
#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "analysis/statistics.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kLargest = 3;

/// Mean |x| of every column over the valid rows among `counted`.
std::vector<double> meanMagnitudes(const kernels::TensorView& tensor, std::span<const std::uint8_t> valid,
                                   const kernels::PositionRange& counted = {}) {
    return std::visit(
        [&](const auto& view) {
            std::vector<double> mean(static_cast<std::size_t>(view.cols()), 0.0);
            double count = 0.0;
            for (Index i = 0; i < view.rows(); ++i) {
                if (!counted.holds(i) || (!valid.empty() && valid[static_cast<std::size_t>(i)] == 0)) continue;
                count += 1.0;
                const auto* row = view.row(i);
                for (std::size_t r = 0; r < mean.size(); ++r) mean[r] += std::abs(static_cast<double>(row[r]));
            }
            for (double& value : mean) value = count > 0.0 ? value / count : kNaN;
            return mean;
        },
        tensor);
}

/// Mean magnitudes of heads side by side (or of the model as one head), summed over prompts of equal weight.
class MagnitudeSums {
public:
    MagnitudeSums(std::vector<int> heads, Index dim, std::size_t prompts)
        : heads_(std::move(heads)),
          dim_(static_cast<std::size_t>(dim)),
          weight_(1.0 / static_cast<double>(prompts)),
          sums_(heads_.size() * dim_, 0.0) {}

    void add(std::size_t head, const std::vector<double>& mean) {
        for (std::size_t r = 0; r < dim_; ++r) sums_[head * dim_ + r] += weight_ * mean[r];
    }
    MagnitudeSummary summary() const {
        std::vector<LargeDimension> found;
        std::vector<double> values;
        for (std::size_t n = 0; n < sums_.size(); ++n) {
            if (!std::isfinite(sums_[n])) continue;
            found.push_back({sums_[n], heads_[n / dim_], static_cast<int>(n % dim_)});
            values.push_back(sums_[n]);
        }
        const std::size_t kept = std::min(kLargest, found.size());
        std::stable_sort(found.begin(), found.end(),
                         [](const LargeDimension& a, const LargeDimension& b) { return a.value > b.value; });
        found.resize(kept);
        return {std::move(found), medianOf(std::move(values))};
    }

private:
    std::vector<int> heads_;
    std::size_t dim_;
    double weight_;
    std::vector<double> sums_;  // (heads * dim)
};

std::vector<int> numbersOf(const std::vector<HeadIndex>& heads) {
    std::vector<int> numbers;
    for (const HeadIndex head : heads) numbers.push_back(head.value);
    return numbers;
}

/// One layer, prompt by prompt, key/value head by key/value head: its query heads share one read of k and v.
class LayerReading {
public:
    LayerReading(const LayerInfo& layer, const Selection& selection, HeadSource& source, kernels::Backend& backend,
                 const std::vector<std::vector<Index>>& positions, LayerMagnitudesResult& result)
        : layer_(layer),
          source_(source),
          backend_(backend),
          positions_(positions),
          result_(result),
          heads_(selectedHeads(selection, layer)),
          length_(selectedLength(selection, layer)),
          kvHeads_(kvHeadsOf()),
          query_(numbersOf(heads_), layer.headDim, result.prompts.size()),
          key_(kvHeads_, layer.headDim, result.prompts.size()),
          value_(kvHeads_, layer.valueDim, result.prompts.size()),
          marked_(heads_.size(), false) {}

    LayerMagnitudes run(const RunControl& control) {
        if (layer_.hasValue && layer_.hasOutputProjection && static_cast<int>(heads_.size()) == layer_.nHeads)
            projection_ = source_.outputProjection(layer_.layer, control);
        if (projection_) output_.emplace(std::vector{-1}, projection_->rows(), result_.prompts.size());
        const std::size_t prompts = result_.prompts.size();
        for (std::size_t p = 0; p < prompts; ++p) {
            readHeads(p, control.part(2 * p, 2 * prompts));
            readHidden(result_.prompts[p], control.part(2 * p + 1, 2 * prompts));
        }
        LayerMagnitudes out;
        out.layer = layer_.layer;
        out.query = query_.summary();
        out.key = key_.summary();
        if (layer_.hasValue) out.value = value_.summary();
        if (output_) out.output = output_->summary();
        if (hidden_) out.hidden = hidden_->summary();
        out.hiddenIsMaximum = hiddenIsMaximum_;
        return out;
    }

private:
    int kvOf(HeadIndex head) const { return kernels::kvHeadOf(head, layer_.nHeads, layer_.nKvHeads).value; }
    std::vector<int> kvHeadsOf() const {
        std::vector<int> kvHeads;
        for (const HeadIndex head : heads_)
            if (kvHeads.empty() || kvHeads.back() != kvOf(head)) kvHeads.push_back(kvOf(head));
        return kvHeads;
    }

    void readHeads(std::size_t prompt, const RunControl& control) {
        HeadLoader loader(source_, layer_, result_.prompts[prompt], length_, layer_.hasValue);
        std::optional<ProjectedRows> projected;
        if (projection_)
            projected.emplace(*projection_, static_cast<Index>(positions_[prompt].size()), layer_.valueDim);
        for (std::size_t kv = 0; kv < kvHeads_.size(); ++kv) {
            readGroup(kv, positions_[prompt], loader, projected ? &*projected : nullptr,
                      control.part(kv, kvHeads_.size()));
            loader.release();
        }
        if (projected) output_->add(0, projected->meanAbs());
    }

    /// The query heads of one key/value head.
    void readGroup(std::size_t kv, const std::vector<Index>& rows, HeadLoader& loader, ProjectedRows* projected,
                   const RunControl& control) {
        const std::vector<kernels::KernelSpec> exact{kernels::Softmax{}};
        std::vector<kernels::RowsJob> jobs;
        std::vector<std::size_t> owners;
        for (std::size_t n = 0; n < heads_.size(); ++n) {
            if (kvOf(heads_[n]) != kvHeads_[kv]) continue;
            control.throwIfCancelled();
            const kernels::HeadInputs inputs = loader.inputs(heads_[n], control);
            if (loader.nonFinite(heads_[n]) > 0) markHead(loader, n);
            query_.add(n, meanMagnitudes(inputs.query, inputs.mask.valid, inputs.mask.queries));
            if (owners.empty()) {
                key_.add(kv, meanMagnitudes(inputs.key, inputs.mask.valid));
                if (layer_.hasValue) value_.add(kv, meanMagnitudes(inputs.value, inputs.mask.valid));
            }
            jobs.push_back({inputs, rows, exact});
            owners.push_back(n);
        }
        if (!projected) return;
        const auto outputs = backend_.attendRows(jobs, control);
        for (std::size_t n = 0; n < owners.size(); ++n)
            projected->setOutput(heads_[owners[n]].value, outputs[n].front());
    }

    void markHead(const HeadLoader& loader, std::size_t n) {
        if (!marked_[n]) result_.warnings.push_back(loader.nonFiniteWarning(heads_[n]));
        marked_[n] = true;
    }

    void readHidden(PromptIndex prompt, const RunControl& control) {
        const std::shared_ptr<const HiddenState> state = source_.hiddenState(layer_.layer, prompt, control);
        if (!state) return;
        std::vector<double> magnitudes = state->meanAbs;
        if (state->positions) {
            const auto validity = source_.validity(prompt);
            std::span<const std::uint8_t> valid;
            if (validity) valid = *validity;
            magnitudes = meanMagnitudes(kernels::topOf(kernels::viewOf(state->positions->values), length_), valid);
        } else if (length_ < layer_.positions && !hidden_) {
            result_.warnings.push_back({"whole_prompts", fmt::format("layer {}", layer_.layer.value),
                                        "the dump's summary of the residual stream covers whole prompts, not the "
                                        "selected length"});
        }
        if (magnitudes.empty()) {
            magnitudes = state->maxAbs;
            hiddenIsMaximum_ = true;
        }
        if (!hidden_) hidden_.emplace(std::vector{-1}, static_cast<Index>(magnitudes.size()), result_.prompts.size());
        hidden_->add(0, magnitudes);
    }

    const LayerInfo& layer_;
    HeadSource& source_;
    kernels::Backend& backend_;
    const std::vector<std::vector<Index>>& positions_;
    LayerMagnitudesResult& result_;
    std::vector<HeadIndex> heads_;
    Index length_;
    std::vector<int> kvHeads_;
    MagnitudeSums query_, key_, value_;
    std::optional<MagnitudeSums> output_, hidden_;
    std::shared_ptr<const kernels::Matrix<double>> projection_;
    std::vector<bool> marked_;  // (heads) warned about
    bool hiddenIsMaximum_ = false;
};

/// What the dump could not tell, in one sentence each.
void warnAboutAbsent(LayerMagnitudesResult& result) {
    const auto warn = [&](const char* code, const char* text, const auto& isAbsent) {
        std::vector<int> layers;
        for (const LayerMagnitudes& layer : result.layers)
            if (isAbsent(layer)) layers.push_back(layer.layer.value);
        if (!layers.empty()) result.warnings.push_back({code, fmt::format("layers {}", fmt::join(layers, ", ")), text});
    };
    warn("no_values", "without v there are no magnitudes of values and outputs",
         [](const LayerMagnitudes& layer) { return !layer.value; });
    warn("no_projected_output", "y W_o needs v, w_o and all heads of a layer",
         [](const LayerMagnitudes& layer) { return layer.value && !layer.output; });
    warn("no_residual_stream", "the dump has neither h nor h_mean_abs nor h_max_abs",
         [](const LayerMagnitudes& layer) { return !layer.hidden; });
}

}  // namespace

LayerMagnitudesResult layerMagnitudes(const LayerMagnitudesParams& params, HeadSource& dump, kernels::Backend& backend,
                                      const RunControl& control) {
    CommonPrompts source(dump, params.selection);
    RunRecord record("layers", &backend, params.rowSeed);
    describe(params.selection, source.info(), record.provenance());
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    LayerMagnitudesResult result;
    result.warnings = source.info().warnings;
    result.prompts = selectedPrompts(params.selection, source.info());
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    const auto positions = sampleRows(result.prompts, source, length, params.rows, params.rowSeed, result.warnings);
    result.rows = static_cast<Index>(positions.front().size());
    for (std::size_t n = 0; n < layers.size(); ++n)
        result.layers.push_back(LayerReading(layers[n], params.selection, source, backend, positions, result)
                                    .run(control.part(n, layers.size())));
    warnAboutAbsent(result);
    record.provenance().parameters = {{"rows", result.rows}};
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
