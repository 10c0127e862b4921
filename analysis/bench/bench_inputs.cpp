// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/checks.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using kernels::Matrix;

void checkOperable(const BenchInputs& inputs, Index positions) {
    const LayerInfo& layer = inputs.layer;
    const std::string place = fmt::format("layer {}", layer.layer.value);
    if (!layer.causal || layer.window > 0)
        throw kernels::ArgumentError(place + " is not causal or has a window; operators are measured on causal layers");
    const auto validity = inputs.source.validity(inputs.params.prompt);
    if (validity && std::find(validity->begin(), validity->begin() + positions, 0) != validity->begin() + positions)
        throw kernels::ArgumentError(
            fmt::format("prompt {} has padding among its first {} positions; choose another prompt or a shorter length",
                        inputs.params.prompt.value, positions));
}

Matrix<float> firstRows(const kernels::Tensor& tensor, Index positions) {
    return std::visit(
        [&](const auto& stored) {
            Matrix<float> values(positions, stored.cols());
            std::transform(stored.data(), stored.data() + positions * stored.cols(), values.data(),
                           [](auto x) { return static_cast<float>(x); });
            return values;
        },
        tensor);
}

}  // namespace

std::vector<kernels::KernelSpec> BenchInputs::specsOf(const std::string& kernel) const {
    std::vector<kernels::KernelSpec> specs;
    for (int h = 0; h < layer.nHeads; ++h)
        specs.push_back(factory.make(kernel, layer, HeadIndex{h}, 0, result.warnings));
    const kernels::Support support = kernels::fits(specs.front(), shape(layer.positions));
    if (support.supported) return specs;
    if (!skipUnsupported) throw kernels::ShapeError(fmt::format("layer {}: {}", layer.layer.value, support.reason));
    warn("unsupported", kernel, support.reason);
    return {};
}

void BenchInputs::warn(const std::string& code, const std::string& kernel, const std::string& text) const {
    const Warning warning{code, kernel, text};
    if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end())
        result.warnings.push_back(warning);
}

BenchTensors::BenchTensors(const BenchInputs& inputs, Index positions, const RunControl& control)
    : layer_(inputs.layer) {
    checkOperable(inputs, positions);
    const auto load = [&](TensorKind kind, int heads, std::vector<Matrix<float>>& into) {
        for (int h = 0; h < heads; ++h)
            into.push_back(
                firstRows(inputs.source.load(kind, layer_.layer, inputs.params.prompt, h, control)->values, positions));
    };
    load(TensorKind::Query, layer_.nHeads, query_);
    load(TensorKind::Key, layer_.nKvHeads, key_);
    load(TensorKind::Value, layer_.nKvHeads, value_);
    for (int h = 0; h < layer_.nHeads; ++h) output_.emplace_back(positions, layer_.valueDim);
}

kernels::SequenceTensors BenchTensors::sequence(Index positions) {
    kernels::SequenceTensors tensors;
    tensors.scale = layer_.scale;
    for (const Matrix<float>& m : query_) tensors.query.push_back(m.view().top(positions));
    for (const Matrix<float>& m : key_) tensors.key.push_back(m.view().top(positions));
    for (const Matrix<float>& m : value_) tensors.value.push_back(m.view().top(positions));
    for (Matrix<float>& m : output_) tensors.output.emplace_back(m.data(), positions, m.cols());
    return tensors;
}

kernels::HeadInputs BenchTensors::head(HeadIndex head, Index positions) const {
    const auto kv = static_cast<std::size_t>(kernels::kvHeadOf(head, layer_.nHeads, layer_.nKvHeads).value);
    kernels::HeadInputs inputs;
    inputs.query = query_[static_cast<std::size_t>(head.value)].view().top(positions);
    inputs.key = key_[kv].view().top(positions);
    inputs.value = value_[kv].view().top(positions);
    inputs.scale = layer_.scale;
    return inputs;
}

}  // namespace dimscope::analysis
