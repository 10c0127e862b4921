// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/matrix_reading.h"

#include <algorithm>
#include <vector>

namespace dimscope::io {
namespace {

using kernels::Index;

ArrayBox boxOf(const MatrixPart& matrix, Index first, Index count) {
    ArrayBox box;
    for (const ArrayAxis& axis : matrix.part.axes) {
        Index offset = axis.offset, extent = 1;
        switch (axis.role) {
            case AxisRole::Prompt: offset += matrix.prompt; break;
            case AxisRole::Head: offset += matrix.head * axis.stride; break;
            case AxisRole::HeadDim:
                offset += matrix.head * axis.stride;
                extent = matrix.columns;
                break;
            case AxisRole::Position:
                offset += first;
                extent = count;
                break;
            case AxisRole::Dim: extent = matrix.columns; break;
            case AxisRole::Hidden:
            case AxisRole::Layer:
            case AxisRole::Fused: break;
        }
        box.offset.push_back(static_cast<std::uint64_t>(offset));
        box.count.push_back(static_cast<std::uint64_t>(extent));
    }
    return box;
}

/// Whether the axis of the columns comes before that of the rows.
bool isTransposed(const MatrixPart& matrix) {
    for (const ArrayAxis& axis : matrix.part.axes) {
        if (axis.role == AxisRole::Position) return false;
        if (axis.role == AxisRole::Dim || axis.role == AxisRole::HeadDim) return true;
    }
    return false;
}

template <class T>
void decodeBox(const StoredArray& array, const NumberFormat& format, const ArrayBox& box, std::span<T> out) {
    if (format.encoding == NumberEncoding::Converted) {
        std::vector<double> numbers(out.size());
        array.readConverted(box, numbers);
        std::transform(numbers.begin(), numbers.end(), out.begin(), [](double x) { return static_cast<T>(x); });
        return;
    }
    std::vector<std::byte> raw(out.size() * format.bytes());
    array.readBytes(box, raw);
    decodeNumbers(format, raw, out);
}

template <class T>
void readTo(const StoredArray& array, const MatrixPart& matrix, const NumberFormat& format, Index first, Index count,
            std::span<T> out) {
    const ArrayBox box = boxOf(matrix, first, count);
    if (!isTransposed(matrix)) return decodeBox(array, format, box, out);
    std::vector<T> columns(out.size());
    decodeBox<T>(array, format, box, columns);
    for (Index row = 0; row < count; ++row)
        for (Index col = 0; col < matrix.columns; ++col)
            out[static_cast<std::size_t>(row * matrix.columns + col)] =
                columns[static_cast<std::size_t>(col * count + row)];
}

}  // namespace

void readRows(const StoredArray& array, const MatrixPart& matrix, const NumberFormat& format, Index first, Index count,
              std::span<float> out) {
    readTo(array, matrix, format, first, count, out);
}
void readRows(const StoredArray& array, const MatrixPart& matrix, const NumberFormat& format, Index first, Index count,
              std::span<double> out) {
    readTo(array, matrix, format, first, count, out);
}

template <class T>
kernels::Matrix<T> readMatrix(const StoredArray& array, const StoredTensor& tensor, const TensorPart& part, int prompt,
                              Index head, const kernels::RunControl& control) {
    const Index cols = tensor.shape.back();
    kernels::Matrix<T> matrix(tensor.shape.size() > 2 ? tensor.shape[tensor.shape.size() - 2] : part.positions, cols);
    const MatrixPart wanted{part, part.prompt < 0 ? prompt : 0, part.head < 0 ? head : 0, cols};
    const double factor = tensor.scaleFactor(head);
    for (Index first = 0; first < part.positions; first += part.slabRows) {
        control.throwIfCancelled();
        const Index count = std::min(part.slabRows, part.positions - first);
        const std::span<T> out(matrix.row(part.firstRow + first), static_cast<std::size_t>(count * cols));
        readRows(array, wanted, tensor.format, first, count, out);
        if (factor != 1.0)
            for (T& value : out) value = static_cast<T>(static_cast<double>(value) * factor);
        control.report(static_cast<float>(first + count) / static_cast<float>(part.positions));
    }
    return matrix;
}

template kernels::Matrix<float> readMatrix(const StoredArray&, const StoredTensor&, const TensorPart&, int, Index,
                                           const kernels::RunControl&);
template kernels::Matrix<double> readMatrix(const StoredArray&, const StoredTensor&, const TensorPart&, int, Index,
                                            const kernels::RunControl&);

}  // namespace dimscope::io
