// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

/// Products of float features of queries and keys. A derived class gives the maps, and turns the products into kappa
/// where they are not yet.
class FeatureRows : public RowKernel {
public:
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override;

protected:
    FeatureRows(const FloatHead& head, Index features) : head_(head), features_(features) {}
    /// out: (rows of x, features); it may be written up to a whole number of lanes, what is there does not matter.
    virtual void queryFeatures(const MatrixView<float>& x, std::span<const Index> rows,
                               MatrixSpan<float> out) const = 0;
    /// Of the keys from position `first` on.
    virtual void keyFeatures(const MatrixView<float>& x, Index first, MatrixSpan<float> out) const = 0;
    const FloatHead& head() const { return head_; }
    Index features() const { return features_; }

private:
    const FloatHead& head_;
    Index features_;
};

/// One map for queries and keys, wherever they stand.
class CommonFeatureRows : public FeatureRows {
protected:
    using FeatureRows::FeatureRows;
    virtual void map(const MatrixView<float>& x, MatrixSpan<float> out) const = 0;

private:
    void queryFeatures(const MatrixView<float>& x, std::span<const Index>, MatrixSpan<float> out) const override {
        map(x, out);
    }
    void keyFeatures(const MatrixView<float>& x, Index, MatrixSpan<float> out) const override { map(x, out); }
};

/// The same in double throughout, for kernels that float cannot hold.
class WideFeatureRows : public RowKernel {
public:
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override;

protected:
    explicit WideFeatureRows(const FloatHead& head) : head_(head) {}
    virtual RowMajor<double> queryFeatures(RowMajor<double> x) const = 0;
    virtual RowMajor<double> keyFeatures(RowMajor<double> x) const = 0;
    const FloatHead& head() const { return head_; }

private:
    const FloatHead& head_;
};

}  // namespace dimscope::kernels::cpu
