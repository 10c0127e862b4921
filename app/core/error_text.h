// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "kernels/error.h"

namespace dimscope::app {

/// Why a job failed: one sentence for a person, and the parts of it where a file was refused.
struct JobFailure {
    std::string text;
    std::optional<kernels::FormatError::Parts> parts;
};

/// Any exception in words; never empty, one line.
JobFailure failureOf(const std::exception_ptr& error);

/// "smollm2.h5 could not be opened. /layers/04/k: 3 heads do not divide 8. Export q and k with ..." for a dialog or
/// banner.
std::string openFailureSentence(const std::string& fileName, const JobFailure& failure);

}  // namespace dimscope::app
