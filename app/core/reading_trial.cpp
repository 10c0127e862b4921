// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/reading_trial.h"

#include "app/core/dump_opening.h"
#include "io/dump/reading_question.h"

namespace dimscope::app {

ReadingTrial tryReading(const std::filesystem::path& path, const io::ReadingDecisions& decisions, BackendSlot& slot,
                        const kernels::RunControl& control) {
    try {
        const auto source = openDumpSafely(path, decisions, control);
        return slot.with("cpu", [&](kernels::Backend& backend) {
            return ReadingTrial{analysis::previewReading(*source, backend, control), {}};
        });
    } catch (const io::AmbiguousReading& ambiguity) {
        return {std::nullopt, ambiguity.question().text};
    }
}

}  // namespace dimscope::app
