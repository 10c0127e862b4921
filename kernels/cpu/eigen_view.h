// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include "kernels/matrix.h"

namespace dimscope::kernels::cpu {

// The one place where our row-major views become Eigen objects.

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
using ConstMap = Eigen::Map<const RowMajor<T>, 0, Eigen::OuterStride<>>;
template <class T>
using Map = Eigen::Map<RowMajor<T>, 0, Eigen::OuterStride<>>;

template <class T>
ConstMap<T> eigen(const MatrixView<T>& view) {
    return {view.data(), view.rows(), view.cols(), Eigen::OuterStride<>(view.stride())};
}
template <class T>
Map<T> eigen(const MatrixSpan<T>& span) {
    return {span.data(), span.rows(), span.cols(), Eigen::OuterStride<>(span.stride())};
}
template <class T>
Map<T> eigen(Matrix<T>& matrix) {
    return eigen(matrix.span());
}
template <class T>
ConstMap<T> eigen(const Matrix<T>& matrix) {
    return eigen(matrix.view());
}

/// The way back, for what is not on Eigen.
template <class T>
MatrixView<T> view(const RowMajor<T>& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols()};
}
template <class T>
MatrixSpan<T> span(RowMajor<T>& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// A tensor as float: the dump's own memory where it is float already, a rounded copy where it is double.
class FloatTensor {
public:
    explicit FloatTensor(const TensorView& view) {
        if (const auto* single = std::get_if<MatrixView<float>>(&view)) {
            view_ = *single;
        } else {
            const auto& wide = std::get<MatrixView<double>>(view);
            copy_ = Matrix<float>(wide.rows(), wide.cols());
            eigen(copy_) = eigen(wide).template cast<float>();
            view_ = copy_.view();
        }
    }
    explicit FloatTensor(Matrix<float> own) : copy_(std::move(own)) { view_ = copy_.view(); }
    FloatTensor(const FloatTensor&) = delete;
    FloatTensor& operator=(const FloatTensor&) = delete;
    const MatrixView<float>& view() const { return view_; }

private:
    MatrixView<float> view_;
    Matrix<float> copy_;
};

}  // namespace dimscope::kernels::cpu
