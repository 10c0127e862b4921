// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::io {

struct RepackResult {
    std::int64_t bytes = 0;  ///< of the new file
    std::vector<analysis::Warning> warnings;
};

/// Writes all that a source offers in format 1 (formats.md, section 1), chunks (1, 1, min(N, 1024), D) with shuffle and
/// gzip 4, one head in memory at a time; every number reads back with the same bits. q, k, v, o and h are stored as the
/// dump's encoding where that holds every value of the tensor, else as float32 or float64; w_o, sinks and summaries as
/// float32 where that holds them, else as float64. A prompt that is left out, or that one of the layers lacks, gets
/// length 0 and no data. Beside `path` and renamed. Throws ArgumentError (`path` is the dump itself, no prompt that all
/// layers have), FileError, Cancelled and what the source throws.
RepackResult repackDump(const std::filesystem::path& path, analysis::HeadSource& source,
                        const kernels::RunControl& control);

}  // namespace dimscope::io
