// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "analysis/head_source.h"
#include "io/dump/reading_decisions.h"

namespace dimscope::io {

/// Opens a dump: format 1, or any of the layouts, names and encodings that resources/docs/formats.md lists, in HDF5,
/// safetensors or npz. Reads metadata only, whatever the size of the tensors; heads are read one by one in slabs.
/// Throws FileError (missing, empty, cut off, not a dump) and FormatError (no q or k, shapes that disagree, unknown
/// type, two readings of which nothing chooses one), each with file, object, cause and advice. Odd but usable content
/// becomes a warning in info(), a choice that was made a note in info().readings. The source may be called from any
/// thread; calls are serialised.
std::shared_ptr<analysis::HeadSource> openDump(const std::filesystem::path& path,
                                               const ReadingDecisions& decisions = {});

}  // namespace dimscope::io
