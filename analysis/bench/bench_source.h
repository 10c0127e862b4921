// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <utility>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// "9/3x64": query heads, key/value heads and head dimension.
struct BenchShape {
    int heads = 9, kvHeads = 3;
    Index headDim = 64;
};

/// One layer and prompt in memory, seeded N(0, 1) in float32. Loading costs nothing, so that times are those of what is
/// measured.
class BenchSource : public HeadSource {
public:
    BenchSource(const BenchShape& shape, Index positions, std::uint64_t seed);

    const DumpInfo& info() const override { return info_; }
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex) override { return nullptr; }
    std::optional<double> sink(LayerIndex, HeadIndex) override { return std::nullopt; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(LayerIndex, const RunControl&) override {
        return nullptr;
    }

private:
    DumpInfo info_;
    std::map<std::pair<TensorKind, int>, std::shared_ptr<const LoadedTensor>> tensors_;
};

}  // namespace dimscope::analysis
