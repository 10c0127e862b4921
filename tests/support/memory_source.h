// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "analysis/head_source.h"

namespace dimscope::tests {

/// A dump in memory with seeded tensors: layers 3 and 7, four query and two key/value heads.
class MemorySource : public analysis::HeadSource {
public:
    struct Shape {
        int prompts = 3;
        analysis::Index positions = 24, headDim = 8, valueDim = 6;
        bool withProjection = true;
    };
    explicit MemorySource(Shape shape);

    const analysis::DumpInfo& info() const override { return info_; }
    analysis::DumpInfo& editInfo() { return info_; }
    std::shared_ptr<const analysis::LoadedTensor> load(analysis::TensorKind kind, analysis::LayerIndex layer,
                                                       analysis::PromptIndex prompt, int head,
                                                       const analysis::RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(analysis::PromptIndex prompt) override;
    std::optional<double> sink(analysis::LayerIndex, analysis::HeadIndex) override { return std::nullopt; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(analysis::LayerIndex layer,
                                                                    const analysis::RunControl& control) override;

    /// Marks positions of one prompt as padding.
    void setValidity(int prompt, std::vector<std::uint8_t> valid) { validity_[prompt] = std::move(valid); }
    /// Puts a NaN into one query head.
    void poison(int layer, int head) { poisoned_ = {layer, head}; }
    int loads() const { return loads_; }

private:
    Shape shape_;
    analysis::DumpInfo info_;
    std::map<int, std::vector<std::uint8_t>> validity_;
    std::pair<int, int> poisoned_{-1, -1};
    int loads_ = 0;
};

}  // namespace dimscope::tests
