// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <utility>
#include <vector>

namespace dimscope::app {

/// Title and path of every bundled sample that is found: where the build took them from, beside the program, or where
/// an installation puts them.
std::vector<std::pair<QString, QString>> bundledSamples();

}  // namespace dimscope::app
