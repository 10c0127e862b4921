// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/provenance.h"
#include "io/dump/array_file.h"

namespace dimscope::io {

/// SHA-256 over the file's size and, for each dataset that is used (paths in alphabetical order), its path, type,
/// shape, attributes (its own and those it inherits), storage size and the first 64 KiB of its data as they are stored.
/// Independent of the file's name and place; a large file is never read whole.
analysis::DumpIdentity identifyDump(const std::filesystem::path& path, const ArrayFile& file,
                                    const std::vector<ArrayRef>& used, const std::vector<std::string>& usedPrompts);

}  // namespace dimscope::io
