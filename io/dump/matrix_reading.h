// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "io/dump/stored_tensor.h"

namespace dimscope::io {

/// The matrix (positions, columns) of one prompt and head inside an array.
struct MatrixPart {
    const TensorPart& part;
    kernels::Index prompt = 0, head = 0;  ///< along the array's own axes
    kernels::Index columns = 0;
};

/// Rows first .. first + count of the matrix as numbers, row major whatever the order of the array's axes. Throws
/// FormatError, std::bad_alloc.
void readRows(const StoredArray& array, const MatrixPart& matrix, const NumberFormat& format, kernels::Index first,
              kernels::Index count, std::span<float> out);
void readRows(const StoredArray& array, const MatrixPart& matrix, const NumberFormat& format, kernels::Index first,
              kernels::Index count, std::span<double> out);

}  // namespace dimscope::io
