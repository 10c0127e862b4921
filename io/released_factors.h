// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/provenance.h"
#include "kernels/parameter_set.h"

namespace dimscope::io {

/// Groups and factors as the public OAL release has them: JSON with model_name, head_dim, epsilon and
/// layers.LL.heads.h with group_count, groups, packed_lower_triangular, expanded_quadratic_matrix and
/// validation_output_mse. They become the "oal" groups of a parameter file; validation_output_mse is kept beside.
///
/// Throws FileError, FormatError naming the first head that cannot be used. With `skipBroken` such a head is named in a
/// warning and gets one group and the Taylor factor (section 5.3), as a head without parameters has.
kernels::ParameterSet readReleasedFactors(const std::filesystem::path& path, bool skipBroken,
                                          std::vector<analysis::Warning>& warnings);

/// The reverse, beside and renamed. Throws FormatError where the parameters hold no "oal" group or a broken one.
void writeReleasedFactors(const kernels::ParameterSet& parameters, const std::filesystem::path& path);

}  // namespace dimscope::io
