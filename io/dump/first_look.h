// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>

#include "io/dump/reading_decisions.h"

namespace dimscope::io {

/// Touches what the HDF5 library may stumble over in a file too large to read: of every array of its tensors, in turn
/// until `longest` is over, the index of its chunks, and the first and the last row, so the first and the last chunk.
/// Where the library survives it, nothing is said: what is damaged is refused where it is used. Other files than HDF5
/// are decoded by this program and left alone. Throws what openArrayFile throws, and FormatError.
void touchEnds(const std::filesystem::path& path, const ReadingDecisions& decisions, std::chrono::milliseconds longest);

}  // namespace dimscope::io
