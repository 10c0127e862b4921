// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::io {

class ArrayFile;

struct RepackOptions {
    bool skipDamaged = false;  ///< go on where a head cannot be read: it becomes NaN, and a warning says so
    const ArrayFile* original =
        nullptr;  ///< the file of the source: its x, ids and tokens are copied where it has them
};

struct RepackResult {
    std::int64_t bytes = 0;  ///< of the new file
    std::vector<analysis::Warning> warnings;
};

/// Writes all that a source offers in format 1 (formats.md, section 1), chunks (1, 1, min(N, 1024), D) with shuffle and
/// gzip 4, one head in memory at a time; every number reads back with the same bits. q, k, v, o and h are stored as the
/// dump's encoding where that holds every value of the tensor, else as float32 or float64; w_o, sinks and summaries as
/// float32 where that holds them, else as float64. With fewer queries than keys q and o have the rows of the queries,
/// and the attribute align says which these are. Heads that are skipped are listed in the attribute damaged of their
/// tensor
/// ("prompt:head, .."). A prompt that is left out, or that one of the layers lacks, gets
/// length 0 and no data. Beside `path` and renamed. Throws ArgumentError (`path` is the dump itself, no prompt that all
/// layers have), FormatError (a head that is not skipped, or nothing but damaged heads), FileError, Cancelled and what
/// the source throws.
RepackResult repackDump(const std::filesystem::path& path, analysis::HeadSource& source,
                        const kernels::RunControl& control, const RepackOptions& options = {});

}  // namespace dimscope::io
