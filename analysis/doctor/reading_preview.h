// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/head_profile.h"

namespace dimscope::analysis {

/// How one head looks when a dump is read in one of several ways: enough for a person to tell numbers of attention from
/// others. Of the first layer, a query head in the middle
/// (the first one may be the first position under a wrong order of axes) and the first usable prompt; at most 1024
/// positions.
struct ReadingPreview {
    LayerInfo layer;
    HeadIndex head;
    PromptIndex prompt;
    ProfileResult profile;                 ///< of that head and prompt: mean |q| and |k| per dimension
    kernels::Matrix<double> firstQuery;    ///< the beginning of q: up to 3 positions, 4 dimensions
    Index numbers = 0, nonFinite = 0;      ///< of q
    double median = kNaN, largest = kNaN;  ///< of |q| over finite numbers
    /// Of the stored o against exact attention on q, k and v as they are read, at some rows, over RMS of o
    /// (OutputResiduals); NaN: there is no v or o, or they are too large for a quick look.
    double residual = kNaN;
};

/// Throws FormatError where the head cannot be read, ArgumentError where no prompt is usable; Cancelled, DeviceError.
ReadingPreview previewReading(HeadSource& source, kernels::Backend& backend, const RunControl& control);

/// What makes the numbers unlike those of attention, one clause each: NaN and infinities, magnitudes far apart.
std::vector<std::string> concernsAbout(const ReadingPreview& preview);
/// "o follows from q, k and v (off by 0.03 %)"; empty where that was not looked at.
std::string outputText(const ReadingPreview& preview);

/// The one preview under which o follows from q, k and v while it does so under none of the others: a residual below
/// 0.02 and a tenth of every other. Nothing where they do not tell. An empty preview is a reading that failed.
std::optional<std::size_t> likeliestReading(const std::vector<std::optional<ReadingPreview>>& previews);

}  // namespace dimscope::analysis
