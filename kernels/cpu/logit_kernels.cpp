// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/attention_math.h"
#include "kernels/cpu/row_kernel.h"

// Kernels of the logit or of group sums: one product of the query rows with all keys, then a scalar function.

namespace dimscope::kernels::cpu {
namespace {

/// ln kappa = the logit, with its soft cap (exact attention).
class SoftmaxRows : public RowKernel {
public:
    explicit SoftmaxRows(const FloatHead& head) : head_(head) {}
    RowForm form() const override { return RowForm::LogKernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        if (head_.softcap > 0.0)
            eigen(out) = eigen(out).unaryExpr([cap = head_.softcap](double s) { return softCapped(s, cap); });
    }

private:
    const FloatHead& head_;
};

class TaylorRows : public RowKernel {
public:
    explicit TaylorRows(const FloatHead& head) : head_(head) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([](double s) { return taylorQuadratic(s); });
    }

private:
    const FloatHead& head_;
};

/// Products with the unit queries, divided by the norms of the keys.
class TaylorShiftRows : public RowKernel {
public:
    TaylorShiftRows(const TaylorShift& spec, const FloatHead& head)
        : spec_(spec), head_(head), inverseNorms_(inverseKeyNorms(head)) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillCosines(head_, inverseNorms_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([tau = spec_.tau](double s) { return taylorQuadratic(tau * s); });
    }

private:
    TaylorShift spec_;
    const FloatHead& head_;
    std::vector<double> inverseNorms_;
};

/// eps + |L^T (1, s_1, .., s_G)|^2. Columns of query and key are gathered by group, so that all group sums together
/// cost one product.
class QuadraticRows : public RowKernel {
public:
    QuadraticRows(const Oal& spec, const FloatHead& head) : spec_(spec), head_(head) {
        for (int g = 0; g < spec.groups; ++g) {
            groupFrom_.push_back(static_cast<Index>(dims_.size()));
            for (std::size_t r = 0; r < spec.label.size(); ++r)
                if (spec.label[r] == g) dims_.push_back(static_cast<Index>(r));
        }
        groupFrom_.push_back(static_cast<Index>(dims_.size()));
    }
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<float> scaled = gatherRows(head_.query.view(), rows) * static_cast<float>(head_.scale);
        RowMajor<float> query, key;
        byGroup(view(scaled), query);
        std::vector<PackedRows> packed;
        for (int g = 0; g < spec_.groups; ++g) packed.emplace_back(head_.lanes, group(query, g));
        RowMajor<double> sums(query.rows(), spec_.groups * kKeyBlock);  // of each row: (groups, keys of a block)
        forKeyBlocks(keys, [&](Index first, Index count) {
            byGroup(middleRows(head_.key.view(), first, count), key);
            const Index hidden = rowsBefore(head_.mask, rows, first);
            for (int g = 0; g < spec_.groups; ++g)
                packed[static_cast<std::size_t>(g)].products(group(key, g),
                                                             middleColumns(span(sums), g * kKeyBlock, count), hidden);
            for (Index i = hidden; i < query.rows(); ++i)
                head_.lanes.rows.quadratic({sums.row(i).data(), kKeyBlock, count, spec_.groups, spec_.factor.data(),
                                            spec_.epsilon, out.row(i) + first});
        });
    }

private:
    /// Columns in the order of dims_.
    void byGroup(const MatrixView<float>& x, RowMajor<float>& out) const {
        out.resize(x.rows(), static_cast<Eigen::Index>(dims_.size()));
        for (Index r = 0; r < x.rows(); ++r) {
            const float* from = x.row(r);
            float* to = out.row(r).data();
            for (std::size_t c = 0; c < dims_.size(); ++c) to[c] = from[dims_[c]];
        }
    }
    MatrixView<float> group(const RowMajor<float>& x, int g) const {
        const Index from = groupFrom_[static_cast<std::size_t>(g)], to = groupFrom_[static_cast<std::size_t>(g) + 1];
        return {x.data() + from, x.rows(), to - from, x.cols()};
    }

    Oal spec_;
    const FloatHead& head_;
    std::vector<Index> dims_;       // ordered by group
    std::vector<Index> groupFrom_;  // (groups + 1) in dims_
};

/// Section 9: the logit to an integer power.
class PowerRows : public RowKernel {
public:
    PowerRows(const Power& spec, const FloatHead& head) : spec_(spec), head_(head) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([exponent = spec_.exponent](double s) {
            double power = s;
            for (int factor = 1; factor < exponent; ++factor) power *= s;
            return power;
        });
    }

private:
    Power spec_;
    const FloatHead& head_;
};

/// kappa = 1; masks and normalisation do the rest.
class ConstantRows : public RowKernel {
public:
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index>, Index, MatrixSpan<double> out) const override { eigen(out).setOnes(); }
};

}  // namespace

std::unique_ptr<RowKernel> makeQuadraticKernel(const Oal& spec, const FloatHead& head) {
    return std::make_unique<QuadraticRows>(spec, head);
}

std::unique_ptr<RowKernel> makeLogitKernel(const KernelSpec& spec, const FloatHead& head) {
    if (std::holds_alternative<Softmax>(spec)) return std::make_unique<SoftmaxRows>(head);
    if (std::holds_alternative<Taylor>(spec)) return std::make_unique<TaylorRows>(head);
    if (const auto* shift = std::get_if<TaylorShift>(&spec)) return std::make_unique<TaylorShiftRows>(*shift, head);
    if (const auto* power = std::get_if<Power>(&spec)) return std::make_unique<PowerRows>(*power, head);
    return std::make_unique<ConstantRows>();
}

}  // namespace dimscope::kernels::cpu
