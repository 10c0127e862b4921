// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

namespace dimscope::analysis {

/// Runs body(0) .. body(count - 1), each once, on `threads` threads (0: all cores). The first exception ends the loop
/// and is rethrown here.
void forEachHead(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace dimscope::analysis
