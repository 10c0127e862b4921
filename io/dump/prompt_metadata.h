// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analysis/head_source.h"
#include "io/hdf5_read.h"

namespace dimscope::io {

/// Which positions of each prompt hold real tokens.
class PromptMetadata {
public:
    /// Reads /prompts/length, /prompts/mask and /prompts/split of an HDF5 file (null: another kind, which has none);
    /// without them every stored position is valid. `stored`: positions that the file has, per prompt; `positions`: the
    /// most. `valid`: "length" or "mask", which counts where the two disagree; other words decide nothing here. Throws
    /// FormatError where they do not fit the tensors, or disagree and nothing decides.
    PromptMetadata(const Hdf5Group* root, const std::vector<kernels::Index>& stored, kernels::Index positions,
                   std::string valid, std::vector<analysis::Warning>& warnings);

    const std::vector<analysis::PromptInfo>& prompts() const { return prompts_; }
    /// (N), 1 = real token; null: all positions are valid.
    std::shared_ptr<const std::vector<std::uint8_t>> validity(kernels::PromptIndex prompt) const;
    /// Makes positions at the ends of a prompt's valid ones invalid; without any left the prompt is left out.
    void leaveOut(int prompt, kernels::Index leading, kernels::Index trailing);
    /// Datasets that were read, as paths.
    const std::vector<std::string>& usedPaths() const { return usedPaths_; }

private:
    using Warnings = std::vector<analysis::Warning>;
    void readLengths(const Hdf5Group& group, Warnings& warnings);
    void readMasks(const Hdf5Group& group, bool hasLength, Warnings& warnings);
    void readSplits(const Hdf5Group& group, Warnings& warnings);
    void warnLeftOut(Warnings& warnings);

    kernels::Index positions_ = 0;
    std::string valid_;
    std::vector<analysis::PromptInfo> prompts_;
    std::vector<std::shared_ptr<const std::vector<std::uint8_t>>>
        masks_;  ///< null: the leading validPositions are valid
    std::vector<std::string> usedPaths_;
};

}  // namespace dimscope::io
