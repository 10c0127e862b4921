// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "io/dump/stored_tensor.h"
#include "kernels/matrix.h"
#include "kernels/run_control.h"

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

/// The matrix of the last two axes of a tensor for one prompt and head, from the array that holds it; rows that `part`
/// does not have are 0. In slabs, between which a person may cancel. T: float or double. Throws FormatError, Cancelled,
/// std::bad_alloc.
template <class T>
kernels::Matrix<T> readMatrix(const StoredArray& array, const StoredTensor& tensor, const TensorPart& part, int prompt,
                              kernels::Index head, const kernels::RunControl& control);

}  // namespace dimscope::io
