// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/layer_facts.h"

#include <algorithm>
#include <cmath>

#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"
#include "analysis/statistics.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr std::ptrdiff_t kDriftRows = 32;  // fewer vectors of random direction often have a mean of some length

/// Gathers the facts of one layer; every step goes on where another one could not read its tensor.
class LayerExamination {
public:
    LayerExamination(const DoctorParams& params, const std::vector<PromptIndex>& prompts, const LayerInfo& layer,
                     HeadSource& source, kernels::Backend& backend, const RunControl& control)
        : params_(params),
          prompts_(presentPrompts(prompts, layer)),
          layer_(layer),
          length_(selectedLength(params.selection, layer)),
          heads_(selectedHeads(params.selection, layer)),
          source_(source),
          backend_(backend),
          control_(control) {
        facts_.layer = layer;
        for (const HeadIndex head : heads_) facts_.masses.push_back({layer.layer, head});
    }

    LayerFacts run() {
        for (const PromptIndex prompt : prompts_) {
            std::vector<Warning> fewerRows;  // a short prompt has fewer, and all of them are looked at
            const auto sampled = sampleRows({prompt}, source_, length_, params_.rows, params_.seed, fewerRows);
            rows_.push_back(sampled.front());
        }
        scan(control_.slice(0.0F, 0.3F));
        examineKeys();
        examineLogits(control_.slice(0.3F, 0.4F));
        examineSinks(control_.slice(0.4F, 0.6F));
        if (layer_.hasValue && layer_.hasOutput) examineOutput(control_.slice(0.6F, 1.0F));
        control_.report(1.0F);
        return std::move(facts_);
    }

private:
    template <class Step>
    void reading(Step step) {
        control_.throwIfCancelled();
        try {
            step();
        } catch (const kernels::FormatError& error) {
            const std::string text = error.what();
            if (std::find(facts_.unreadable.begin(), facts_.unreadable.end(), text) == facts_.unreadable.end())
                facts_.unreadable.push_back(text);
        }
    }
    Validity validityOf(PromptIndex prompt) {
        validity_ = source_.validity(prompt);
        return validity_ ? Validity(*validity_) : Validity{};
    }
    std::vector<Index> realRows(PromptIndex prompt) {
        const Validity valid = validityOf(prompt);
        std::vector<Index> rows;
        for (Index i = 0; i < length_; ++i)
            if (isReal(valid, i)) rows.push_back(i);
        return rows;
    }

    void scan(const RunControl& control) {
        const std::pair<TensorKind, int> kinds[] = {{TensorKind::Query, layer_.nHeads},
                                                    {TensorKind::Key, layer_.nKvHeads},
                                                    {TensorKind::Value, layer_.hasValue ? layer_.nKvHeads : 0},
                                                    {TensorKind::Output, layer_.hasOutput ? layer_.nHeads : 0}};
        const int total = kinds[0].second + kinds[1].second + kinds[2].second + kinds[3].second;
        for (const auto& [kind, heads] : kinds)
            for (int head = 0; head < heads; ++head) {
                TensorFacts found;
                found.kind = kind;
                found.head = head;
                reading([&, kind = kind] {
                    for (const PromptIndex prompt : prompts_) {
                        const auto tensor = source_.load(kind, layer_.layer, prompt, head, control_);
                        control_.throwIfCancelled();
                        const bool ofQueries = kind == TensorKind::Query || kind == TensorKind::Output;
                        addFacts(*tensor, prompt, validityOf(prompt), length_,
                                 ofQueries ? layer_.queries : kernels::PositionRange{}, found);
                    }
                    facts_.tensors.push_back(found);
                });
                control.report(static_cast<float>(facts_.tensors.size()) / static_cast<float>(total));
            }
    }

    void examineKeys() {
        RotaryForm half = statedForm(layer_, 1e4);
        half.layout = "half";
        const RotaryForm interleaved{half.theta, "interleaved", half.dim};
        std::vector<double> stored, turnedBack;
        for (const PromptIndex prompt : prompts_)
            reading([&] {
                const std::vector<Index> rows = realRows(prompt);
                std::optional<EdgeRuns> common;
                for (int kv = 0; kv < layer_.nKvHeads; ++kv) {
                    const auto keys = source_.load(TensorKind::Key, layer_.layer, prompt, kv, control_);
                    addRuns(edgeRuns(*keys, validityOf(prompt), length_), common);
                    if (half.dim < 2 || keys->nonFinite > 0 || std::ssize(rows) < kDriftRows) continue;
                    const double halfBack = fastPairDrift(keys->values, half, -1.0, rows);
                    const double otherBack = fastPairDrift(keys->values, interleaved, -1.0, rows);
                    turnedBack.push_back(std::max(halfBack, otherBack));
                    stored.push_back(
                        fastPairDrift(keys->values, halfBack >= otherBack ? half : interleaved, 0.0, rows));
                }
                if (common) facts_.runs.push_back({prompt, *common});
            });
        facts_.rotation = {medianOf(stored), medianOf(turnedBack)};
    }
    /// The runs that all heads have; a head whose keys are all the same says nothing about positions.
    static void addRuns(const EdgeRuns& runs, std::optional<EdgeRuns>& common) {
        if (runs.leading == runs.valid) return;
        if (!common) {
            common = runs;
            return;
        }
        common->leading = std::min(common->leading, runs.leading);
        common->trailing = std::min(common->trailing, runs.trailing);
    }

    void examineLogits(const RunControl& control) {
        std::vector<double> spreads;
        for (std::size_t p = 0; p < prompts_.size(); ++p) {
            reading([&] {
                HeadLoader loader(source_, layer_, prompts_[p], length_, false);
                for (const HeadIndex head : heads_) {
                    control_.throwIfCancelled();
                    const kernels::HeadInputs inputs = loader.inputs(head, control_);
                    if (loader.nonFinite(head) == 0) spreads.push_back(logitSpread(inputs, rows_[p]));
                }
            });
            control.part(p, prompts_.size()).report(1.0F);
        }
        std::erase_if(spreads, [](double spread) { return std::isnan(spread); });
        facts_.logitSpread = medianOf(spreads);
    }
    /// RMS over rows of the standard deviation of a row's logits; rows that see one key have none.
    static double logitSpread(const kernels::HeadInputs& head, const std::vector<Index>& rows) {
        double variances = 0.0, counted = 0.0;
        std::visit(
            [&](const auto& q, const auto& k) {
                for (const Index i : rows) {
                    std::vector<double> logits;
                    for (Index j = 0; j < k.rows(); ++j) {
                        if (!head.mask.visible(i, j)) continue;
                        double dot = 0.0;
                        for (Index c = 0; c < k.cols(); ++c)
                            dot += static_cast<double>(q(i, c)) * static_cast<double>(k(j, c));
                        logits.push_back(head.scale * dot);
                    }
                    const double deviation = standardDeviationOf(logits);
                    if (std::isnan(deviation)) continue;
                    variances += deviation * deviation;
                    counted += 1.0;
                }
            },
            head.query, head.key);
        return counted > 0.0 ? std::sqrt(variances / counted) : kNaN;
    }

    void examineSinks(const RunControl& control) {
        for (std::size_t p = 0; p < prompts_.size(); ++p)
            reading([&] {
                addSinks(params_.sinks, source_, layer_, prompts_[p], length_, heads_, rows_[p], backend_,
                         control.part(p, prompts_.size()), facts_.sinks, facts_.masses);
            });
    }

    void examineOutput(const RunControl& control) {
        OutputResiduals residuals(layer_, candidateReadings(layer_));
        for (std::size_t p = 0; p < prompts_.size(); ++p)
            reading([&] { residuals.add(source_, prompts_[p], heads_, rows_[p], control.part(p, prompts_.size())); });
        if (residuals.rows() == 0) return;
        facts_.output = {residuals.readings(), residuals.statedResidual(), residuals.rows()};
    }

    const DoctorParams& params_;
    std::vector<PromptIndex> prompts_;  ///< that the layer has
    LayerInfo layer_;
    Index length_;
    std::vector<HeadIndex> heads_;
    HeadSource& source_;
    kernels::Backend& backend_;
    RunControl control_;
    std::shared_ptr<const std::vector<std::uint8_t>> validity_;  // of the prompt asked for last
    std::vector<std::vector<Index>> rows_;                       // by prompt
    LayerFacts facts_;
};

}  // namespace

int LayerFacts::mantissaBits(TensorKind kind) const {
    int bits = 0;
    for (const TensorFacts& tensor : tensors)
        if (tensor.kind == kind) bits = std::max(bits, tensor.mantissaBits);
    return bits;
}

LayerFacts factsOf(const DoctorParams& params, const std::vector<PromptIndex>& prompts, const LayerInfo& layer,
                   HeadSource& source, kernels::Backend& backend, const RunControl& control) {
    return LayerExamination(params, prompts, layer, source, backend, control).run();
}

}  // namespace dimscope::analysis
