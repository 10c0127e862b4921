// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memory_source.h"

#include <cmath>
#include <limits>
#include <random>

namespace dimscope::tests {

using namespace analysis;

MemorySource::MemorySource(Shape shape) : shape_(shape) {
    info_.path = "memory.h5";
    info_.identity = {"memory.h5", 1, "0123456789abcdef"};
    for (const int number : {3, 7}) {
        LayerInfo layer;
        layer.layer = LayerIndex{number};
        layer.nHeads = 4;
        layer.nKvHeads = 2;
        layer.headDim = shape.headDim;
        layer.valueDim = shape.valueDim;
        layer.positions = shape.positions;
        layer.prompts = shape.prompts;
        layer.scale = 1.0 / std::sqrt(static_cast<double>(shape.headDim));
        layer.encoding = "float64";
        layer.hasValue = true;
        layer.hasOutputProjection = shape.withProjection;
        info_.layers.push_back(layer);
    }
    for (int p = 0; p < shape.prompts; ++p) info_.prompts.push_back({shape.positions, "", false});
}

std::shared_ptr<const LoadedTensor> MemorySource::load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                                       const RunControl&) {
    ++loads_;
    const auto seed =
        static_cast<unsigned>(((layer.value * 16 + prompt.value) * 16 + head) * 4 + static_cast<int>(kind));
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    kernels::Matrix<double> values(shape_.positions, kind == TensorKind::Value ? shape_.valueDim : shape_.headDim);
    for (double& x : values.values()) x = normal(random);
    auto tensor = std::make_shared<LoadedTensor>();
    if (kind == TensorKind::Query && poisoned_ == std::pair(layer.value, head)) {
        values(2, 1) = std::numeric_limits<double>::quiet_NaN();
        tensor->nonFinite = 1;
        tensor->firstRow = 2;
        tensor->firstColumn = 1;
    }
    tensor->values = std::move(values);
    return tensor;
}

std::shared_ptr<const std::vector<std::uint8_t>> MemorySource::validity(PromptIndex prompt) {
    const auto found = validity_.find(prompt.value);
    return found == validity_.end() ? nullptr : std::make_shared<const std::vector<std::uint8_t>>(found->second);
}

std::shared_ptr<const kernels::Matrix<double>> MemorySource::outputProjection(LayerIndex layer, const RunControl&) {
    if (!shape_.withProjection) return nullptr;
    std::mt19937 random(static_cast<unsigned>(layer.value));
    std::normal_distribution<double> normal;
    kernels::Matrix<double> w(5, 4 * shape_.valueDim);
    for (double& x : w.values()) x = normal(random);
    return std::make_shared<const kernels::Matrix<double>>(std::move(w));
}

}  // namespace dimscope::tests
