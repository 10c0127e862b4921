// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run_control.h"

namespace dimscope::app {

/// How a process ended, and the beginning of what it wrote to its standard output.
struct ProcessEnd {
    std::optional<int> state;  ///< as waitpid gives it; nothing: time ran out
    std::string output;
};

/// Starts this program once more, with these arguments and nothing to read, and waits for it; what it writes to
/// standard error is lost. Nothing where it cannot be started. Throws Cancelled; the process is then gone.
std::optional<ProcessEnd> runOwnProcess(const std::vector<std::string>& arguments, std::chrono::seconds longest,
                                        const kernels::RunControl& control);

}  // namespace dimscope::app
