// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/bench_source.h"

#include <random>

namespace dimscope::benchmarks {

using analysis::TensorKind;

BenchSource::BenchSource(analysis::Index positions) {
    analysis::LayerInfo layer;
    layer.layer = analysis::LayerIndex{0};
    layer.nHeads = 9;
    layer.nKvHeads = 3;
    layer.headDim = layer.valueDim = 64;
    layer.positions = positions;
    layer.prompts = 1;
    layer.scale = 0.125;
    layer.hasValue = true;
    info_.layers.push_back(layer);
    info_.prompts.resize(1);

    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value})
        for (int head = 0; head < (kind == TensorKind::Query ? layer.nHeads : layer.nKvHeads); ++head) {
            kernels::Matrix<float> values(positions, layer.headDim);
            for (analysis::Index r = 0; r < positions; ++r)
                for (analysis::Index c = 0; c < layer.headDim; ++c) values(r, c) = normal(generator);
            tensors_[{kind, head}] =
                std::make_shared<const analysis::LoadedTensor>(analysis::LoadedTensor{std::move(values)});
        }
}

std::shared_ptr<const analysis::LoadedTensor> BenchSource::load(TensorKind kind, analysis::LayerIndex,
                                                                analysis::PromptIndex, int head,
                                                                const analysis::RunControl&) {
    return tensors_.at({kind, head});
}

}  // namespace dimscope::benchmarks
