// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "io/hdf5_write.h"
#include "kernels/types.h"

namespace dimscope::io {

/// Whether every number, NaN with its payload too, reads back with the same bits when it is stored so.
bool isExactAs(StoredNumber number, const kernels::TensorView& values);

/// The numbers as they are stored, row-major, in this machine's byte order. Exact where isExactAs says so; else
/// float32 rounds to nearest, and float16 and bf16 must not be asked for.
std::vector<std::byte> encoded(StoredNumber number, const kernels::TensorView& values);

}  // namespace dimscope::io
