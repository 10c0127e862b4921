// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analysis/head_source.h"
#include "io/dump/layer_metadata.h"
#include "io/dump/prompt_metadata.h"

namespace dimscope::io {

/// Reads heads of an open dump, one at a time, in slabs of about 32 MiB between which a person may cancel.
class DumpSource final : public analysis::HeadSource {
public:
    DumpSource(std::unique_ptr<ArrayFile> file, analysis::DumpInfo info, std::vector<LayerContents> layers,
               PromptMetadata prompts);

    const analysis::DumpInfo& info() const override { return info_; }
    std::shared_ptr<const analysis::LoadedTensor> load(analysis::TensorKind kind, kernels::LayerIndex layer,
                                                       kernels::PromptIndex prompt, int head,
                                                       const kernels::RunControl& control) override;
    std::shared_ptr<const std::vector<std::uint8_t>> validity(kernels::PromptIndex prompt) override;
    std::optional<double> sink(kernels::LayerIndex layer, kernels::HeadIndex head) override;
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(kernels::LayerIndex layer,
                                                                    const kernels::RunControl& control) override;
    std::shared_ptr<const analysis::HiddenState> hiddenState(kernels::LayerIndex layer, kernels::PromptIndex prompt,
                                                             const kernels::RunControl& control) override;

private:
    const LayerContents& find(kernels::LayerIndex layer) const;
    const StoredTensor& tensorOf(analysis::TensorKind kind, const LayerContents& layer) const;
    void checkPrompt(kernels::PromptIndex prompt) const;
    /// Open, from the last few that were read: their chunk caches are what makes the next head quick.
    std::shared_ptr<const StoredArray> open(const TensorPart& part);
    /// The matrix of one prompt and head in the precision it is stored in, with what is not finite among valid rows.
    analysis::LoadedTensor readPositions(const StoredTensor& tensor, int prompt, kernels::Index head,
                                         const kernels::RunControl& control);
    /// The matrix of the last two axes, decoded; rows that the file does not have are 0 (and not valid).
    template <class T>
    kernels::Matrix<T> readMatrix(const StoredTensor& tensor, int prompt, kernels::Index head,
                                  const kernels::RunControl& control);

    std::unique_ptr<ArrayFile> file_;
    analysis::DumpInfo info_;
    std::vector<LayerContents> layers_;
    PromptMetadata prompts_;
    std::mutex mutex_;                                                              ///< one call at a time
    std::list<std::pair<std::string, std::shared_ptr<const StoredArray>>> recent_;  ///< latest first
};

}  // namespace dimscope::io
