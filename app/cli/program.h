// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace dimscope::app {

/// The command line from its arguments to its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
/// Results go to stdout, everything else to stderr.
int runProgram(int argumentCount, char** arguments);

}  // namespace dimscope::app
