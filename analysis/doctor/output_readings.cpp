// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/output_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/backend_registry.h"
#include "kernels/kernel_spec.h"

namespace dimscope::analysis {
namespace {

constexpr int kSharedRowStep = 4;                   // readings are compared at every fourth row
constexpr double kSameScale = 1e-6;                 // relative
constexpr double kUsualThetas[] = {1e4, 5e5, 1e6};  // tried where none is stated: Llama, Llama 3, Qwen2.5

std::vector<double> candidateScales(const LayerInfo& layer) {
    const auto dim = static_cast<double>(layer.headDim);
    std::vector<double> scales{layer.scale};
    for (const double scale : {1.0 / std::sqrt(dim), 1.0, 1.0 / dim})
        if (std::none_of(scales.begin(), scales.end(),
                         [&](double known) { return std::abs(known - scale) <= kSameScale * scale; }))
            scales.push_back(scale);
    return scales;
}

/// As stored, and rotated as stated; where q and k are said to be from before RoPE without a theta, by usual ones.
std::vector<std::optional<RotaryForm>> candidateRotations(const LayerInfo& layer) {
    std::vector<std::optional<RotaryForm>> rotations{std::nullopt};
    if (layer.headDim < 2) return rotations;
    if (layer.ropeTheta > 0.0)
        rotations.emplace_back(statedForm(layer, layer.ropeTheta));
    else
        for (const double theta : kUsualThetas) rotations.emplace_back(statedForm(layer, theta));
    if (layer.rope != "pre") return rotations;
    for (std::size_t n = rotations.size() - 1; n > 0; --n) {
        RotaryForm other = *rotations[n];
        other.layout = other.layout == "half" ? "interleaved" : "half";
        rotations.emplace_back(other);
    }
    return rotations;
}

std::string rotationText(const RotaryForm& form) {
    return fmt::format("rotated by theta {:g}, {}, {} dimensions", form.theta, form.layout, form.dim);
}

}  // namespace

std::string readingText(const OutputReading& reading) {
    std::string text = fmt::format("scale {:.6g}, {}, {}", reading.scale, reading.strided ? "strided" : "contiguous",
                                   reading.causal ? "causal" : "not causal");
    if (reading.window > 0 && reading.causal) text += fmt::format(", window {}", reading.window);
    if (reading.softcap > 0.0) text += fmt::format(", softcap {:g}", reading.softcap);
    if (reading.sink) text += ", sink logits";
    return text + ", " + (reading.rope ? rotationText(*reading.rope) : "as stored");
}

std::string correctionText(const OutputReading& stated, const OutputReading& better) {
    std::vector<std::string> parts;
    if (better.strided != stated.strided)
        parts.push_back(fmt::format("gqa=\"{}\" (query head h reads KV head {})",
                                    better.strided ? "strided" : "contiguous",
                                    better.strided ? "h mod Hkv" : "h / (Hq / Hkv)"));
    if (std::abs(better.scale - stated.scale) > kSameScale * stated.scale)
        parts.push_back(fmt::format("scale={:.9g}", better.scale));
    if (better.causal != stated.causal) parts.push_back(fmt::format("causal={}", better.causal ? 1 : 0));
    if (better.window != stated.window) parts.push_back("window=0");
    if (better.softcap != stated.softcap) parts.push_back("softcap=0");
    if (better.sink != stated.sink) parts.push_back("no sink");
    if (better.rope && !stated.rope)
        parts.push_back(fmt::format("rope=\"pre\" (q and k are {} first)", rotationText(*better.rope)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<OutputReading> candidateReadings(const LayerInfo& layer) {
    std::vector<OutputReading> readings;
    const int stored = layer.kvHeadsOfFile();
    const bool grouped = stored > 1 && stored < layer.nHeads, strided = layer.nKvHeads != stored;
    for (const auto& rope : candidateRotations(layer))
        for (const bool order : grouped ? std::vector<bool>{strided, !strided} : std::vector<bool>{false})
            for (const bool causal : {layer.causal, !layer.causal})
                for (const double scale : candidateScales(layer))
                    readings.push_back({layer.layer, scale, order, causal, layer.window, layer.softcap, layer.hasSink,
                                        rope, readings.empty()});
    const OutputReading stated = readings.front();
    const auto without = [&](auto change) {
        OutputReading reading = stated;
        reading.stated = false;
        change(reading);
        readings.push_back(reading);
    };
    if (layer.window > 0) without([](OutputReading& r) { r.window = 0; });
    if (layer.softcap > 0.0) without([](OutputReading& r) { r.softcap = 0.0; });
    if (layer.hasSink) without([](OutputReading& r) { r.sink = false; });
    return readings;
}

/// What one prompt of a layer holds: key/value heads all, query heads one at a time.
struct OutputResiduals::PromptTensors {
    /// The rotation made last: readings that differ in scale and mask follow each other and share it.
    class LatestRotation {
    public:
        const kernels::Matrix<double>& of(const std::shared_ptr<const LoadedTensor>& tensor, const RotaryForm& form) {
            if (tensor_ != tensor || !(form_ == form)) {
                values_ = rotated(tensor->values, form);
                tensor_ = tensor;
                form_ = form;
            }
            return values_;
        }

    private:
        std::shared_ptr<const LoadedTensor> tensor_;
        RotaryForm form_;
        kernels::Matrix<double> values_;
    };

    HeadSource& source;
    PromptIndex prompt;
    std::shared_ptr<const std::vector<std::uint8_t>> validity;
    std::vector<std::shared_ptr<const LoadedTensor>> keys, values;  // by KV head
    std::shared_ptr<const LoadedTensor> query, output;
    LatestRotation turnedQuery, turnedKey;
};

double OutputResiduals::Sums::relativeRms() const { return output > 0.0 ? std::sqrt(difference / output) : kNaN; }

OutputResiduals::OutputResiduals(const LayerInfo& layer, std::vector<OutputReading> readings)
    : layer_(layer), readings_(std::move(readings)), sums_(readings_.size()) {}

OutputResiduals::Sums OutputResiduals::sumsOf(const OutputReading& reading, HeadIndex head,
                                              const std::vector<Index>& rows, PromptTensors& tensors,
                                              const RunControl& control) const {
    const int kvHeads = layer_.kvHeadsOfFile();  // the first of the presented heads are these
    const int kv = reading.strided ? head.value % kvHeads : head.value / (layer_.nHeads / kvHeads);
    const std::shared_ptr<const LoadedTensor>& key = tensors.keys[static_cast<std::size_t>(kv)];
    kernels::HeadInputs inputs;
    inputs.query = kernels::viewOf(tensors.query->values);
    inputs.key = kernels::viewOf(key->values);
    if (reading.rope) {
        inputs.query = tensors.turnedQuery.of(tensors.query, *reading.rope).view();
        inputs.key = tensors.turnedKey.of(key, *reading.rope).view();
    }
    inputs.value = kernels::viewOf(tensors.values[static_cast<std::size_t>(kv)]->values);
    inputs.mask = {reading.causal, reading.window, {}, {}, layer_.queries};
    if (tensors.validity) inputs.mask.valid = *tensors.validity;
    inputs.scale = reading.scale;
    inputs.softcap = reading.softcap;
    if (reading.sink) inputs.sink = tensors.source.sink(layer_.layer, head);

    const std::vector<kernels::KernelSpec> exact{kernels::Softmax{}};
    const kernels::RowsJob job{inputs, rows, exact};
    const auto computed = kernels::makeBackend("reference")->attendRows({&job, 1}, control.slice(0.0F, 0.0F));
    const kernels::Matrix<double>& mine = computed[0][0].values;
    Sums sums;
    std::visit(
        [&](const auto& stored) {
            for (std::size_t r = 0; r < rows.size(); ++r)
                for (Index c = 0; c < mine.cols(); ++c) {
                    const auto o = static_cast<double>(stored(rows[r], c));
                    const double difference = mine(static_cast<Index>(r), c) - o;
                    sums.difference += difference * difference;
                    sums.output += o * o;
                }
        },
        tensors.output->values);
    return sums;
}

void OutputResiduals::add(HeadSource& source, PromptIndex prompt, const std::vector<HeadIndex>& heads,
                          const std::vector<Index>& rows, const RunControl& control) {
    PromptTensors tensors{source, prompt, source.validity(prompt), {}, {}, nullptr, nullptr, {}, {}};
    for (int kv = 0; kv < layer_.nKvHeads; ++kv) {
        tensors.keys.push_back(source.load(TensorKind::Key, layer_.layer, prompt, kv, control));
        tensors.values.push_back(source.load(TensorKind::Value, layer_.layer, prompt, kv, control));
    }
    std::vector<Index> shared;
    for (std::size_t r = kSharedRowStep / 2; r < rows.size(); r += kSharedRowStep) shared.push_back(rows[r]);
    if (shared.empty()) shared = rows;
    for (std::size_t h = 0; h < heads.size(); ++h) {
        tensors.query = source.load(TensorKind::Query, layer_.layer, prompt, heads[h].value, control);
        tensors.output = source.load(TensorKind::Output, layer_.layer, prompt, heads[h].value, control);
        const auto kv = static_cast<std::size_t>(kernels::kvHeadOf(heads[h], layer_.nHeads, layer_.nKvHeads).value);
        if (tensors.query->nonFinite + tensors.output->nonFinite + tensors.keys[kv]->nonFinite +
                tensors.values[kv]->nonFinite >
            0)
            continue;
        const auto addTo = [](const Sums& more, Sums& sums) {
            sums.difference += more.difference;
            sums.output += more.output;
        };
        addTo(sumsOf(readings_.front(), heads[h], rows, tensors, control), stated_);
        rows_ += static_cast<Index>(rows.size());
        for (std::size_t n = 0; n < readings_.size(); ++n)
            addTo(sumsOf(readings_[n], heads[h], shared, tensors, control), sums_[n]);
        control.report(static_cast<float>(h + 1) / static_cast<float>(heads.size()));
    }
}

std::vector<OutputReading> OutputResiduals::readings() const {
    std::vector<OutputReading> found = readings_;
    for (std::size_t n = 0; n < found.size(); ++n) found[n].residual = sums_[n].relativeRms();
    std::stable_sort(found.begin(), found.end(), [](const OutputReading& a, const OutputReading& b) {
        return std::isnan(b.residual) ? !std::isnan(a.residual) : a.residual < b.residual;
    });
    return found;
}

double OutputResiduals::statedResidual() const { return stated_.relativeRms(); }

}  // namespace dimscope::analysis
