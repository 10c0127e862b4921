// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <tuple>

#include "analysis/head_source.h"

namespace dimscope::benchmarks {

/// One layer in memory in the shape of SmolLM2-135M: 9 query and 3 key/value heads of 64 dimensions, one prompt, seeded
/// N(0, 1) float32. Loading costs nothing, so that times are those of the analysis.
class BenchSource : public analysis::HeadSource {
public:
    explicit BenchSource(analysis::Index positions);

    const analysis::DumpInfo& info() const override { return info_; }
    std::shared_ptr<const analysis::LoadedTensor> load(analysis::TensorKind kind, analysis::LayerIndex layer,
                                                       analysis::PromptIndex prompt, int head,
                                                       const analysis::RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(analysis::PromptIndex) override { return nullptr; }
    std::optional<double> sink(analysis::LayerIndex, analysis::HeadIndex) override { return std::nullopt; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(analysis::LayerIndex,
                                                                    const analysis::RunControl&) override {
        return nullptr;
    }

private:
    analysis::DumpInfo info_;
    std::map<std::pair<analysis::TensorKind, int>, std::shared_ptr<const analysis::LoadedTensor>> tensors_;
};

}  // namespace dimscope::benchmarks
