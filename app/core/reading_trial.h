// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/doctor/reading_preview.h"
#include "app/core/backend_slot.h"
#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// A file read once in one way, to look at.
struct ReadingTrial {
    std::optional<analysis::ReadingPreview> preview;  ///< empty: something else is to be decided before
    std::string nextQuestion;                         ///< that follows then
};

/// Throws what openDumpSafely and previewReading throw, but for questions.
ReadingTrial tryReading(const std::filesystem::path& path, const io::ReadingDecisions& decisions, BackendSlot& slot,
                        const kernels::RunControl& control);

}  // namespace dimscope::app
