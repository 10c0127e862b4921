// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/types.h"

namespace dimscope::kernels {

/// Owning, row-major, dense matrix; zero-initialised.
template <class T>
class Matrix {
public:
    Matrix() = default;
    Matrix(Index rows, Index cols) : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols)) {}
    Matrix(Index rows, Index cols, std::vector<T> values) : rows_(rows), cols_(cols), values_(std::move(values)) {
        assert(static_cast<Index>(values_.size()) == rows * cols);
    }

    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    bool empty() const { return values_.empty(); }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    T* row(Index r) { return values_.data() + r * cols_; }
    const T* row(Index r) const { return values_.data() + r * cols_; }
    T& operator()(Index r, Index c) { return row(r)[c]; }
    const T& operator()(Index r, Index c) const { return row(r)[c]; }
    MatrixView<T> view() const { return {values_.data(), rows_, cols_}; }
    MatrixSpan<T> span() { return {values_.data(), rows_, cols_}; }
    std::vector<T>& values() { return values_; }
    const std::vector<T>& values() const { return values_; }

private:
    Index rows_ = 0;
    Index cols_ = 0;
    std::vector<T> values_;
};

/// Owning counterpart of TensorView.
using Tensor = std::variant<Matrix<float>, Matrix<double>>;

inline TensorView viewOf(const Tensor& tensor) {
    return std::visit([](const auto& m) -> TensorView { return m.view(); }, tensor);
}
/// The first `rows` rows of a tensor.
inline TensorView topOf(const TensorView& view, Index rows) {
    return std::visit([rows](const auto& v) -> TensorView { return v.top(rows); }, view);
}

}  // namespace dimscope::kernels
