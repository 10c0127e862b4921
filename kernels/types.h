// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "kernels/indices.h"

namespace dimscope::kernels {

/// Non-owning, row-major, read-only matrix; rows may be further apart than cols (stride in elements).
template <class T>
class MatrixView {
public:
    MatrixView() = default;
    MatrixView(const T* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}
    MatrixView(const T* data, Index rows, Index cols, Index stride)
        : data_(data), rows_(rows), cols_(cols), stride_(stride) {}

    const T* data() const { return data_; }
    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    Index stride() const { return stride_; }
    const T* row(Index r) const {
        assert(r >= 0 && r < rows_);
        return data_ + r * stride_;
    }
    const T& operator()(Index r, Index c) const { return row(r)[c]; }
    /// The first `count` rows.
    MatrixView top(Index count) const {
        assert(count <= rows_);
        return {data_, count, cols_, stride_};
    }

private:
    const T* data_ = nullptr;
    Index rows_ = 0;
    Index cols_ = 0;
    Index stride_ = 0;
};

/// Non-owning, row-major, writable matrix.
template <class T>
class MatrixSpan {
public:
    MatrixSpan() = default;
    MatrixSpan(T* data, Index rows, Index cols) : MatrixSpan(data, rows, cols, cols) {}
    MatrixSpan(T* data, Index rows, Index cols, Index stride)
        : data_(data), rows_(rows), cols_(cols), stride_(stride) {}

    T* data() const { return data_; }
    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    Index stride() const { return stride_; }
    T* row(Index r) const {
        assert(r >= 0 && r < rows_);
        return data_ + r * stride_;
    }
    T& operator()(Index r, Index c) const { return row(r)[c]; }
    operator MatrixView<T>() const { return {data_, rows_, cols_, stride_}; }

private:
    T* data_ = nullptr;
    Index rows_ = 0;
    Index cols_ = 0;
    Index stride_ = 0;
};

/// A tensor in the precision its dump stores without loss: float for float16, bf16 and float32, double for float64.
/// Backends convert once on entry, so the reference backend loses nothing and cpu pays nothing.
using TensorView = std::variant<MatrixView<float>, MatrixView<double>>;

inline Index rowsOf(const TensorView& view) {
    return std::visit([](const auto& v) { return v.rows(); }, view);
}
inline Index colsOf(const TensorView& view) {
    return std::visit([](const auto& v) { return v.cols(); }, view);
}

/// The keys of a query in two parts (section 13.6): the first of the prompt and the latest up to the query, and all
/// others.
struct KeySplit {
    enum class Part { All, Exact, Rest };
    Part part = Part::All;
    Index firstEnd = 0;  ///< keys before this position are among the first
    Index window = 0;    ///< keys j with 0 <= i - j < window are among the latest

    constexpr bool holds(Index i, Index j) const {
        if (part == Part::All) return true;
        const bool exact = j < firstEnd || (j <= i && i - j < window);
        return exact == (part == Part::Exact);
    }
};

/// Positions [first, end) of a prompt.
struct PositionRange {
    Index first = 0, end = std::numeric_limits<Index>::max();

    bool holds(Index i) const { return i >= first && i < end; }
    bool holdsAll(Index count) const { return first <= 0 && end >= count; }
    friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// Which keys a query sees. Key j is visible to query i when both are valid, j <= i (causal), i - j < window, and the
/// split keeps it.
struct AttentionMask {
    bool causal = true;
    Index window = 0;                     ///< 0: no window
    std::span<const std::uint8_t> valid;  ///< (rows), 1 = real token; empty: all valid
    KeySplit split = {};
    PositionRange queries = {};  ///< positions that have a query; the others are keys alone, and their query rows are 0

    /// Whether a position is a real token, and so a key.
    bool isValid(Index i) const { return valid.empty() || valid[static_cast<std::size_t>(i)] != 0; }
    bool isQuery(Index i) const { return queries.holds(i) && isValid(i); }
    /// What is left to ask where j <= i and the window are known to hold.
    bool picks(Index i, Index j) const { return isValid(j) && split.holds(i, j); }
    bool picksAll() const { return valid.empty() && split.part == KeySplit::Part::All; }
    bool visible(Index i, Index j) const {
        if (!isQuery(i) || !picks(i, j)) return false;
        if (!causal) return true;
        return j <= i && (window == 0 || i - j < window);
    }
};

/// Whoever keeps a tensor as it is: as long as it lives, a backend may keep what it made of the tensor. Empty: nobody.
using TensorOwner = std::weak_ptr<const void>;

/// One query head of one prompt: everything that exact attention needs.
struct HeadInputs {
    TensorView query;  ///< (rows, head_dim), post-RoPE
    TensorView key;    ///< (rows, head_dim)
    TensorView value;  ///< (rows, value_dim); 0 columns where only profiles are wanted
    AttentionMask mask;
    double scale = 1.0;          ///< logit = scale * q.k
    double softcap = 0.0;        ///< 0: none; exact attention alone uses softcap * tanh(logit / softcap)
    std::optional<double> sink;  ///< learned sink logit; exact attention alone uses it
    TensorOwner queryOwner = {}, keyOwner = {}, valueOwner = {};

    Index rows() const { return rowsOf(query); }
    Index headDim() const { return colsOf(query); }
    Index valueDim() const { return colsOf(value); }
};

/// Sizes of a head, for questions about support.
struct HeadShape {
    Index rows = 0;
    Index headDim = 0;
    Index valueDim = 0;
    bool everyQuery = true;  ///< every position has a query
};

}  // namespace dimscope::kernels
