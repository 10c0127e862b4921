// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// A dump as another source has it; a source that changes something of it overrides that.
class ForwardingSource : public HeadSource {
public:
    /// `source` outlives it.
    explicit ForwardingSource(HeadSource& source) : source_(source) {}

    const DumpInfo& info() const override { return source_.info(); }
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override {
        return source_.load(kind, layer, prompt, head, control);
    }
    std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex prompt) override {
        return source_.validity(prompt);
    }
    std::optional<double> sink(LayerIndex layer, HeadIndex head) override { return source_.sink(layer, head); }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(LayerIndex layer,
                                                                    const RunControl& control) override {
        return source_.outputProjection(layer, control);
    }
    std::shared_ptr<const HiddenState> hiddenState(LayerIndex layer, PromptIndex prompt,
                                                   const RunControl& control) override {
        return source_.hiddenState(layer, prompt, control);
    }

protected:
    HeadSource& source() const { return source_; }

private:
    HeadSource& source_;
};

}  // namespace dimscope::analysis
