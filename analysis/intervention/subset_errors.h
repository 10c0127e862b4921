// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/retained_error.h"

namespace dimscope::analysis {

/// Squared error and how many coordinates it is over.
struct SubsetSum {
    double error = 0.0, values = 0.0;
};

/// Errors with one of many subsets approximated, head by head and prompt by prompt; equal subsets of a head are
/// evaluated once in the whole run. Subsets are known by their number within (fold, head), in the order first asked
/// for.
class SubsetErrors {
public:
    /// Subsets of every head, per fold.
    using Lists = std::vector<std::map<HeadPlace, std::vector<std::vector<int>>>>;

    /// All arguments outlive this.
    SubsetErrors(const RetainedParams& params, const RetainedChoices& choices, HeadSource& source,
                 kernels::Backend& backend, Pieces& pieces);

    /// Evaluates what it has not evaluated yet. Pieces "STAGE/L05/P0/H3", one deal per layer and prompt. Throws
    /// ShapeError, FormatError, Cancelled.
    void evaluate(const std::string& stage, const Lists& lists, const RunControl& control);

    const std::vector<LayerInfo>& layers() const { return layers_; }
    std::size_t folds() const { return choices_.size(); }
    /// Heads of one layer that can be evaluated, ascending.
    const std::vector<HeadIndex>& headsOf(std::size_t layer) const { return heads_[layer]; }
    /// Throws nothing for a subset that was evaluated.
    std::size_t numberOf(std::size_t fold, const HeadPlace& head, const std::vector<int>& subset) const;
    std::size_t distinct() const;  ///< subsets evaluated, over all heads

    /// Sums of one head and prompt by kernel and number; null where the head is not finite in that prompt.
    const std::vector<std::vector<SubsetSum>>* sumsOf(const HeadPlace& head, std::size_t prompt) const;
    /// Mean squared error of a kernel in one layer and prompt, `numbers` in the order of headsOf(layer).
    double cellError(std::size_t kernel, std::size_t layer, std::size_t prompt,
                     const std::vector<std::size_t>& numbers) const;

private:
    struct Known {
        std::map<std::vector<int>, std::size_t> numbers;
        std::vector<std::vector<int>> subsets;
        std::vector<std::vector<kernels::KernelSpec>> specs;  // [kernel][draw]
    };
    struct Sums {
        bool usable = true;
        std::vector<std::vector<SubsetSum>> kernels;  // [kernel][number]
    };
    Known& knownOf(std::size_t fold, const LayerInfo& layer, HeadIndex head);
    void addPiece(const std::string& key, const Piece& piece, std::size_t subsets, Sums& sums) const;

    const RetainedParams& params_;
    const RetainedChoices& choices_;
    HeadSource& source_;
    kernels::Backend& backend_;
    Pieces& pieces_;
    std::vector<LayerInfo> layers_;
    std::vector<std::vector<HeadIndex>> heads_;      // [layer]
    std::vector<std::map<HeadPlace, Known>> known_;  // [fold]
    std::map<HeadPlace, std::vector<Sums>> sums_;    // [prompt]
};

}  // namespace dimscope::analysis
