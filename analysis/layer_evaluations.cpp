// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/layer_evaluations.h"

#include <fmt/format.h>

#include "analysis/head_loader.h"
#include "analysis/parameter_reader.h"
#include "analysis/selection.h"

namespace dimscope::analysis {
namespace {

/// Name of a kernel by the group that holds its parameters.
std::string kernelOfGroup(const std::string& group) { return group == "zeros" ? "zeros_sm" : group; }

/// Mean of the valid keys of one KV head over all prompts, each position alike.
std::vector<double> meanKey(HeadSource& source, const LayerInfo& layer, int kvHead,
                            const std::vector<PromptIndex>& prompts, Index length, const RunControl& control) {
    std::vector<double> sum(static_cast<std::size_t>(layer.headDim), 0.0);
    double count = 0.0;
    for (const PromptIndex prompt : prompts) {
        const auto key = source.load(TensorKind::Key, layer.layer, prompt, kvHead, control);
        const auto validity = source.validity(prompt);
        std::visit(
            [&](const auto& values) {
                for (Index j = 0; j < std::min(length, values.rows()); ++j) {
                    if (validity && (*validity)[static_cast<std::size_t>(j)] == 0) continue;
                    for (Index r = 0; r < values.cols(); ++r)
                        sum[static_cast<std::size_t>(r)] += static_cast<double>(values(j, r));
                    count += 1.0;
                }
            },
            key->values);
    }
    for (double& v : sum) v /= count;
    return sum;
}

}  // namespace

LayerEvaluations::LayerEvaluations(const EvaluationParams& params,
                                   std::shared_ptr<const kernels::ParameterSet> parameters, HeadSource& source,
                                   const LayerInfo& layer, Index length, std::vector<Warning>& warnings,
                                   const RunControl& control)
    : params_(params), layer_(layer) {
    train_ = params.train.empty() ? promptsOfSplits(source.info(), {"train", "calibration"})
                                  : selectedPrompts({{}, {}, params.train, 0}, source.info());
    if (parameters) {
        readFile(*parameters, warnings);
        readKeyMeans(*parameters);
    }
    if (params.centreKeys && keyMeans_.empty()) computeKeyMeans(source, length, control);
    if (!keyMeans_.empty()) warnAboutRotation(warnings);
}

void LayerEvaluations::readFile(const kernels::ParameterSet& parameters, std::vector<Warning>& warnings) {
    const auto layer = parameters.layers.find(layer_.layer);
    if (layer == parameters.layers.end()) return;
    for (const auto& [group, content] : layer->second) {
        if (group.empty()) continue;
        const ParameterReader reader(parameters.name, layer_.layer, group, content);
        const bool stated = content.attributes.contains("exact_first") || content.attributes.contains("exact_window");
        FilePart part{reader.integer("exact_first", 0), reader.integer("exact_window", 0), {}};
        if (part.first < 0 || part.window < 0) reader.refuse("exact_first and exact_window must not be negative");
        if (reader.find("gate")) part.gates = reader.require("gate", {layer_.nHeads}).values;
        const bool differs = stated && params_.hasExactPart() &&
                             (part.first != params_.exactFirst || part.window != params_.exactWindow);
        if (differs && !part.gates.empty()) {
            warnings.push_back({"gate", fmt::format("layer {} {}", layer_.layer.value, group),
                                fmt::format("the gate of {} belongs to {} first and {} latest keys; it is fitted anew",
                                            parameters.name, part.first, part.window)});
            part.gates.clear();
        }
        if (params_.hasExactPart()) {
            part.first = params_.exactFirst;
            part.window = params_.exactWindow;
        }
        if (part.first > 0 || part.window > 0) file_[kernelOfGroup(group)] = std::move(part);
    }
}

void LayerEvaluations::readKeyMeans(const kernels::ParameterSet& parameters) {
    const auto layer = parameters.layers.find(layer_.layer);
    if (layer == parameters.layers.end()) return;
    const auto own = layer->second.find("");
    if (own == layer->second.end()) return;
    const ParameterReader reader(parameters.name, layer_.layer, "", own->second);
    if (!reader.find("key_mean")) return;
    const kernels::ParameterArray& means = reader.require("key_mean", {layer_.nKvHeads, layer_.headDim});
    for (int kv = 0; kv < layer_.nKvHeads; ++kv)
        keyMeans_.push_back(
            std::make_shared<const std::vector<double>>(arrayPart(means, kv * layer_.headDim, layer_.headDim)));
}

void LayerEvaluations::computeKeyMeans(HeadSource& source, Index length, const RunControl& control) {
    for (int kv = 0; kv < layer_.nKvHeads; ++kv) {
        control.throwIfCancelled();
        keyMeans_.push_back(
            std::make_shared<const std::vector<double>>(meanKey(source, layer_, kv, train_, length, control)));
    }
}

/// Only behind the rotation is one vector per head the same at every position.
void LayerEvaluations::warnAboutRotation(std::vector<Warning>& warnings) const {
    if (layer_.rope == "pre")
        warnings.push_back(
            {"centred-keys", fmt::format("layer {}", layer_.layer.value),
             "keys are stored before their rotation; centring them changes exact attention of the model"});
}

kernels::Evaluation LayerEvaluations::of(const std::string& kernel, HeadIndex head) const {
    kernels::Evaluation how;
    how.exact = {params_.exactFirst, params_.exactWindow, 1.0};
    if (const auto found = file_.find(kernel); found != file_.end()) {
        how.exact = {found->second.first, found->second.window, 1.0};
        if (!found->second.gates.empty()) how.exact.gate = found->second.gates[static_cast<std::size_t>(head.value)];
    }
    if (!keyMeans_.empty())
        how.keyMean = keyMeans_[static_cast<std::size_t>(kvHeadOf(head, layer_.nHeads, layer_.nKvHeads).value)];
    return how;
}

bool LayerEvaluations::needsGate(const std::string& kernel) const {
    if (kernel == "zero" || kernel == "softmax") return false;  // no rest, and nothing to approximate
    const auto found = file_.find(kernel);
    if (found != file_.end()) return found->second.gates.empty();
    return params_.hasExactPart();
}

}  // namespace dimscope::analysis
