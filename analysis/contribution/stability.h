// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/selection.h"
#include "analysis/table.h"

namespace dimscope::analysis {

struct StabilityParams {
    Selection selection = {};
    std::vector<Index> lengths = {};  ///< prefixes in positions, at least 1; empty: powers of two from 16. All
                                      ///< positions come last in any case
    int top = 5;                      ///< strongest dimensions that are followed, at least 1
    int replicates = 1000;            ///< bootstrap replicates of the prompts
    std::uint64_t seed = 0;
};

/// One prompt against the mean of all others.
struct PromptAgreement {
    PromptIndex prompt;
    double rho = kNaN;         ///< Spearman's rho of chi
    double topOverlap = kNaN;  ///< share of the strongest dimensions that both have
};

/// chi (kernel-math section 6) of one query head across prompts and prefix lengths. All numbers are NaN where the head
/// is not usable, and where there is one prompt those that need two.
struct HeadStability {
    LayerIndex layer;
    HeadIndex head;
    bool usable = true;                       ///< false: values that are not finite, or an unreadable head
    std::vector<double> chi;                  ///< (head_dim) mean over prompts
    std::vector<double> chiFirst, chiSecond;  ///< (head_dim) means over the two parts of the prompts
    double rho = kNaN, topOverlap = kNaN;     ///< between the parts
    std::vector<int> top;                     ///< the strongest at full length, descending
    kernels::Matrix<double> topShares;        ///< (lengths, top) share of each of them, by prefix length
    std::vector<double> fixedShare;           ///< (lengths) share of `top`
    std::vector<double> reselectedShare;      ///< (lengths) share of the strongest at that length
    std::vector<double> lengthOverlap;        ///< (lengths) share of `top` among the strongest at that length
    std::vector<double> topFrequency;         ///< (head_dim) replicates in which a dimension is among the strongest
    double setFrequency = kNaN;               ///< replicates with exactly the set `top`
    std::vector<PromptAgreement> prompts;     ///< as the result's prompts
};

/// Means over the usable heads of a layer.
struct LayerStability {
    LayerIndex layer;
    int usableHeads = 0;
    double rho = kNaN, topOverlap = kNaN;
    /// 95 % over resampled prompts, all heads of one together; none with fewer than 8 prompts.
    std::optional<std::pair<double, double>> rhoInterval, topOverlapInterval;
    std::vector<double> fixedShare, reselectedShare, lengthOverlap;  ///< (lengths)
    std::vector<PromptAgreement> prompts;                            ///< as the result's prompts
};

struct StabilityResult {
    std::vector<PromptIndex> prompts;        ///< all selected
    std::vector<PromptIndex> first, second;  ///< the parts; empty with one prompt
    std::string parts;                       ///< "calibration and the rest", "halves", or "" with one prompt
    std::vector<Index> lengths = {};         ///< ascending
    int top = 0;
    std::vector<LayerStability> layers;
    std::vector<HeadStability> heads;  ///< layers ascending, heads ascending
    std::vector<Warning> warnings;
    Provenance provenance;

    const HeadStability* find(LayerIndex layer, HeadIndex head) const;
};

/// Whether the same dimensions carry a head on other prompts and at other lengths: chi of the calibration prompts
/// against the others (where all selected prompts are of one kind: of the first half against the second), of every
/// prefix length, and of bootstrap replicates of the prompts. A prompt counts in a prefix as far as it reaches; one
/// without a visible pair there is left out of the mean. In double, whatever the backend. Throws ArgumentError,
/// FormatError (no head can be read), Cancelled.
StabilityResult contributionStability(const StabilityParams& params, HeadSource& source, const RunControl& control);

/// One row per layer.
Table stabilityTable(const StabilityResult& result);
/// One row per head.
Table headStabilityTable(const StabilityResult& result);
/// One row per head, strongest dimension and prefix length.
Table prefixShareTable(const StabilityResult& result);
/// One row per layer and prompt: the prompt against the mean of the others.
Table promptAgreementTable(const StabilityResult& result);

}  // namespace dimscope::analysis
