// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/row_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dimscope::kernels::cpu {
namespace {

/// Kernels map the keys again for every block; 128 rows of 32768 keys take 48 MB.
constexpr Index kBlockRows = 128;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

enum class RowState { Good, NegativeDenominator, Bad };

/// Turns one filled row into weights, 0 where a key is not visible.
class RowNormaliser {
public:
    RowNormaliser(const KernelSpec& spec, const FloatHead& head, const RowKernel& kernel)
        : head_(head),
          kernel_(kernel),
          zero_(std::holds_alternative<Zero>(spec)),
          firstOnly_(std::holds_alternative<FirstValue>(spec)) {
        if (std::holds_alternative<Softmax>(spec)) sink_ = head.sink;
    }

    /// row: (keys), used up. weights: (keys), written up to `end`, behind the last key that row i may see.
    RowState normalise(RowForm form, Index i, double* row, float* weights, Index keys, Index end) const {
        const KeyRange range = candidateKeys(head_.mask, i, keys);
        std::fill_n(weights, range.begin, 0.0F);
        std::fill(weights + range.end, weights + end, 0.0F);
        const Index count = range.end - range.begin;
        double* visible = row + range.begin;
        if (!hide(form, i, range, visible)) return RowState::Bad;
        if (zero_) std::fill_n(visible, count, 0.0);
        const double sum = zero_ ? 1.0 : divisor(form, visible, count);
        if (sum == 0.0 || !std::isfinite(sum)) return RowState::Bad;
        head_.lanes.rows.quotients(visible, count, sum, weights + range.begin);
        return sum > 0.0 ? RowState::Good : RowState::NegativeDenominator;
    }

private:
    static constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

    /// False: no key is visible.
    bool hide(RowForm form, Index i, const KeyRange& range, double* row) const {
        if (head_.mask.picksAll() && !firstOnly_) return range.begin < range.end;
        const double hidden = form == RowForm::LogKernel ? kMinusInfinity : 0.0;
        bool seen = false;
        for (Index j = range.begin; j < range.end; ++j) {
            if (!head_.mask.picks(i, j) || (firstOnly_ && seen))
                row[j - range.begin] = hidden;
            else
                seen = true;
        }
        return seen;
    }
    /// Logarithms become exponentials on the way.
    double divisor(RowForm form, double* row, Index count) const {
        switch (form) {
            case RowForm::LogKernel: return exponentiate(row, count);
            case RowForm::Kernel: return kernel_.denominator(head_.lanes.rows.sum(row, count));
            case RowForm::Weights: break;
        }
        return 1.0;
    }
    double exponentiate(double* row, Index count) const {
        const double largest = std::max(sink_.value_or(kMinusInfinity), head_.lanes.rows.largest(row, count));
        if (largest == kMinusInfinity) return 0.0;
        return (sink_ ? std::exp(*sink_ - largest) : 0.0) + head_.lanes.rows.shiftedExp(row, count, largest);
    }

    const FloatHead& head_;
    const RowKernel& kernel_;
    bool zero_, firstOnly_;
    std::optional<double> sink_;
};

/// A row stride of a whole, odd number of cache lines: rows that are a power of two apart would share few cache sets.
Index lineStride(Index columns) {
    constexpr Index kFloatsPerLine = 16;
    return ((columns + kFloatsPerLine - 1) / kFloatsPerLine | 1) * kFloatsPerLine;
}

/// (rows) ascending: behind the last key that a row or one before it may see.
std::vector<Index> endsOfKeys(const AttentionMask& mask, std::span<const Index> rows, Index keys) {
    std::vector<Index> ends;
    Index last = 0;
    for (const Index i : rows) ends.push_back(last = std::max(last, candidateKeys(mask, i, keys).end));
    return ends;
}

/// To the end of the tile of keys in which `end` is.
Index endOfTile(Index end, Index keys) { return std::min(keys, (end + kKeyTile - 1) / kKeyTile * kKeyTile); }

/// weights (block, keys) times values, skipping keys that are padding: a NaN there must not leak.
RowMajor<float> weightedValues(const MatrixView<float>& weights, const std::vector<Index>& ends,
                               const FloatHead& head) {
    const MatrixView<float>& value = head.value.view();
    const std::uint8_t* valid = head.mask.valid.empty() ? nullptr : head.mask.valid.data();
    RowMajor<float> out(weights.rows(), padded(head.lanes, value.cols()));
    head.lanes.rows.weighted({weights.data(), weights.stride(), weights.rows(), weights.cols(), value.data(),
                              value.stride(), value.cols(), valid, ends.data(), out.data(), out.cols()});
    return out;
}

}  // namespace

RowsOutput attendRows(const KernelSpec& spec, const RowKernel& kernel, const FloatHead& head,
                      std::span<const Index> rows, bool wantWeights, const RunControl& control, RowScratch& scratch) {
    const auto count = static_cast<Index>(rows.size());
    const Index positions = head.key.view().rows();
    RowsOutput out{Matrix<double>(count, head.value.view().cols()), std::vector<std::uint8_t>(rows.size(), 0), {}, 0};
    if (wantWeights) out.weights = Matrix<float>(count, positions);
    if (count == 0) return out;
    const RowNormaliser normaliser(spec, head, kernel);
    std::vector<RowState> states;
    for (Index start = 0; start < count; start += kBlockRows) {
        control.throwIfCancelled();
        const auto block = rows.subspan(static_cast<std::size_t>(start),
                                        static_cast<std::size_t>(std::min(kBlockRows, count - start)));
        const Index keys = head.mask.causal ? *std::max_element(block.begin(), block.end()) + 1 : positions;
        const auto blockRows = static_cast<Index>(block.size());
        const Index stride = lineStride(keys);
        scratch.filled.resize(std::max(scratch.filled.size(), static_cast<std::size_t>(blockRows * stride)));
        scratch.weights.resize(std::max(scratch.weights.size(), static_cast<std::size_t>(blockRows * stride)));
        const MatrixSpan<double> filled(scratch.filled.data(), blockRows, keys, stride);
        const MatrixSpan<float> weights(scratch.weights.data(), blockRows, keys, stride);
        const RowForm form = kernel.fill(block, keys, filled);
        const std::vector<Index> ends = endsOfKeys(head.mask, block, keys);
        for (Index r = 0; r < blockRows; ++r) {
            const auto n = static_cast<std::size_t>(r);
            const Index end = wantWeights ? keys : endOfTile(ends[n], keys);
            states.push_back(normaliser.normalise(form, block[n], filled.row(r), weights.row(r), keys, end));
            if (states.back() == RowState::Bad) std::fill_n(weights.row(r), keys, kNaN);
        }
        eigen(out.values).middleRows(start, blockRows) =
            weightedValues(weights, ends, head).leftCols(out.values.cols()).cast<double>();
        if (wantWeights) eigen(out.weights).block(start, 0, blockRows, keys) = eigen(weights);
    }
    for (Index r = 0; r < count; ++r)
        if (states[static_cast<std::size_t>(r)] == RowState::Bad || !eigen(out.values).row(r).allFinite()) {
            out.bad[static_cast<std::size_t>(r)] = 1;
            eigen(out.values).row(r).setConstant(std::numeric_limits<double>::quiet_NaN());
        } else if (states[static_cast<std::size_t>(r)] == RowState::NegativeDenominator) {
            ++out.negativeDenominators;
        }
    return out;
}

}  // namespace dimscope::kernels::cpu
