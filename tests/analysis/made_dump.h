// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <set>

#include "analysis/head_source.h"

namespace dimscope::tests {

/// A dump in memory, one layer of four query heads, every number of which a test may change. Its output is made by a
/// plain loop, as a test wants it made.
class MadeDump : public analysis::HeadSource {
public:
    using Tensor = kernels::Matrix<double>;
    /// How the output is made.
    struct Attention {
        double scale = 0.25;
        bool strided = false, causal = true;
        analysis::Index window = 0;
        double softcap = 0.0;
        double theta = 0.0;  ///< > 0: q and k are rotated first, halves of all dimensions together
        std::optional<double> sink = std::nullopt;
    };

    static constexpr analysis::Index kPositions = 64, kDim = 16;

    /// N(0, 1) tensors.
    explicit MadeDump(int kvHeads = 2, int prompts = 2);

    analysis::LayerInfo& layer() { return info_.layers.front(); }
    analysis::DumpInfo& editInfo() { return info_; }
    /// Head of a prompt; created on demand for the output.
    Tensor& at(analysis::TensorKind kind, int head, int prompt = 0) { return tensors_[{kind, prompt, head}]; }
    /// For every head of a kind, in every prompt.
    void change(analysis::TensorKind kind, const std::function<void(Tensor&)>& how);

    void makeOutput(const Attention& attention);
    /// Rounds all tensors to numbers of so many bits, the leading one counted.
    void storeAs(const char* encoding, int bits);
    void setValidity(int prompt, std::vector<std::uint8_t> valid) { validity_[prompt] = std::move(valid); }
    void setSink(double logit) {
        sink_ = logit;
        layer().hasSink = true;
    }
    void makeUnreadable(analysis::TensorKind kind) { unreadable_.insert(kind); }

    const analysis::DumpInfo& info() const override { return info_; }
    std::shared_ptr<const analysis::LoadedTensor> load(analysis::TensorKind kind, analysis::LayerIndex layer,
                                                       analysis::PromptIndex prompt, int head,
                                                       const analysis::RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(analysis::PromptIndex prompt) override;
    std::optional<double> sink(analysis::LayerIndex, analysis::HeadIndex) override { return sink_; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(analysis::LayerIndex,
                                                                    const analysis::RunControl&) override {
        return nullptr;
    }

private:
    Tensor outputOf(const Attention& attention, int prompt, int head);
    analysis::DumpInfo info_;
    std::map<std::tuple<analysis::TensorKind, int, int>, Tensor> tensors_;  // kind, prompt, head
    std::map<int, std::vector<std::uint8_t>> validity_;
    std::optional<double> sink_;
    std::set<analysis::TensorKind> unreadable_;
};

/// RoPE by halves of all dimensions, one number at a time.
kernels::Matrix<double> turned(const kernels::Matrix<double>& m, double theta);

}  // namespace dimscope::tests
