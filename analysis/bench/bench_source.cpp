// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench_source.h"

#include <cmath>

#include "kernels/random_stream.h"

namespace dimscope::analysis {

BenchSource::BenchSource(const BenchShape& shape, Index positions, std::uint64_t seed) {
    LayerInfo layer;
    layer.layer = LayerIndex{0};
    layer.nHeads = shape.heads;
    layer.nKvHeads = shape.kvHeads;
    layer.headDim = layer.valueDim = shape.headDim;
    layer.positions = positions;
    layer.prompts = 1;
    layer.scale = 1.0 / std::sqrt(static_cast<double>(shape.headDim));
    layer.hasValue = true;
    info_.layers.push_back(layer);
    info_.prompts.resize(1);
    info_.prompts.front().validPositions = positions;

    for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value})
        for (int head = 0; head < (kind == TensorKind::Query ? shape.heads : shape.kvHeads); ++head) {
            kernels::RandomStream random(seed, kernels::RandomPurpose::BenchTensors, static_cast<int>(kind), head);
            kernels::Matrix<float> values(positions, shape.headDim);
            for (float& x : values.values()) x = static_cast<float>(random.normal());
            tensors_[{kind, head}] = std::make_shared<const LoadedTensor>(LoadedTensor{std::move(values)});
        }
}

std::shared_ptr<const LoadedTensor> BenchSource::load(TensorKind kind, LayerIndex, PromptIndex, int head,
                                                      const RunControl&) {
    return tensors_.at({kind, head});
}

}  // namespace dimscope::analysis
