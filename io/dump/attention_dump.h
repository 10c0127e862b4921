// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "analysis/head_source.h"

namespace dimscope::io {

/// Opens a dump in format 1 (resources/docs/formats.md). Reads metadata only, whatever the size of the tensors;
/// heads are read one by one in slabs. Throws FileError (missing, empty, cut off, not HDF5) and FormatError (no q or k,
/// wrong ranks, shapes that disagree, heads that do not divide, unknown type), each with file, object, cause and
/// advice. Odd but usable content becomes a warning in info(). The source may be called from any thread; calls are
/// serialised.
std::shared_ptr<analysis::HeadSource> openDump(const std::filesystem::path& path);

}  // namespace dimscope::io
