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

class TaylorShiftRows : public RowKernel {
public:
    TaylorShiftRows(const TaylorShift& spec, const FloatHead& head)
        : spec_(spec), head_(head), unitKeys_(unitRows(eigen(head.key.view()))) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<float> query = unitRows(gatherRows(head_.query.view(), rows));
        eigen(out) =
            (query * unitKeys_.topRows(keys).transpose()).cast<double>().unaryExpr([tau = spec_.tau](double s) {
                return taylorQuadratic(tau * s);
            });
    }

private:
    TaylorShift spec_;
    const FloatHead& head_;
    RowMajor<float> unitKeys_;  // (rows, head_dim)
};

/// eps + |L^T (1, s_1, .., s_G)|^2. Columns of query and key are gathered by group, so that all group sums together
/// cost one product.
class QuadraticRows : public RowKernel {
public:
    QuadraticRows(const Oal& spec, const FloatHead& head) : spec_(spec), head_(head) {
        for (int g = 0; g < spec.groups; ++g) {
            std::vector<Index>& dims = members_.emplace_back();
            for (std::size_t r = 0; r < spec.label.size(); ++r)
                if (spec.label[r] == g) dims.push_back(static_cast<Index>(r));
            keys_.push_back(columns(eigen(head.key.view()), dims));
        }
    }
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<float> query = gatherRows(head_.query.view(), rows) * static_cast<float>(head_.scale);
        std::vector<RowMajor<double>> sums;
        for (std::size_t g = 0; g < members_.size(); ++g)
            sums.push_back((columns(query, members_[g]) * keys_[g].topRows(keys).transpose()).template cast<double>());
        auto kappa = eigen(out);
        kappa.setConstant(spec_.epsilon);
        for (int col = 0; col <= spec_.groups; ++col) {
            RowMajor<double> entry =
                RowMajor<double>::Constant(kappa.rows(), kappa.cols(), col == 0 ? factor(0, 0) : 0.0);
            for (int row = std::max(col, 1); row <= spec_.groups; ++row)
                entry += factor(row, col) * sums[static_cast<std::size_t>(row - 1)];
            kappa += entry.cwiseAbs2();
        }
    }

private:
    template <class Source>
    static RowMajor<float> columns(const Source& source, const std::vector<Index>& dims) {
        RowMajor<float> out(source.rows(), static_cast<Eigen::Index>(dims.size()));
        for (std::size_t c = 0; c < dims.size(); ++c) out.col(static_cast<Eigen::Index>(c)) = source.col(dims[c]);
        return out;
    }
    double factor(int row, int col) const { return spec_.factor[static_cast<std::size_t>(packedIndex(row, col))]; }

    Oal spec_;
    const FloatHead& head_;
    std::vector<std::vector<Index>> members_;
    std::vector<RowMajor<float>> keys_;  // per group: (rows, members)
};

/// Section 9: the logit to an integer power.
class PowerRows : public RowKernel {
public:
    PowerRows(const Power& spec, const FloatHead& head) : spec_(spec), head_(head) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        const RowMajor<double> logits = eigen(out);
        for (int factor = 1; factor < spec_.exponent; ++factor) eigen(out).array() *= logits.array();
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
