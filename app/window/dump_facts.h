// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::app {

/// Name and value of what a person wants to know about a dump, in reading order.
std::vector<std::pair<QString, QString>> dumpFacts(const analysis::DumpInfo& info);

}  // namespace dimscope::app
