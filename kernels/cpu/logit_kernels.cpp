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
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        if (head_.softcap > 0.0)
            eigen(out) = eigen(out).unaryExpr([cap = head_.softcap](double s) { return softCapped(s, cap); });
        return RowForm::LogKernel;
    }

private:
    const FloatHead& head_;
};

class TaylorRows : public RowKernel {
public:
    explicit TaylorRows(const FloatHead& head) : head_(head) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([](double s) { return taylorQuadratic(s); });
        return RowForm::Kernel;
    }

private:
    const FloatHead& head_;
};

/// Products with the unit queries, divided by the norms of the keys.
class TaylorShiftRows : public RowKernel {
public:
    TaylorShiftRows(const TaylorShift& spec, const FloatHead& head)
        : spec_(spec), head_(head), inverseNorms_(inverseKeyNorms(head)) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillCosines(head_, inverseNorms_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([tau = spec_.tau](double s) { return taylorQuadratic(tau * s); });
        return RowForm::Kernel;
    }

private:
    TaylorShift spec_;
    const FloatHead& head_;
    std::vector<double> inverseNorms_;
};

/// eps + |L^T (1, s_1, .., s_G)|^2. Columns of query and key stand by group, so that all group sums together cost one
/// product.
class QuadraticRows : public RowKernel {
public:
    QuadraticRows(const Oal& spec, const FloatHead& head) : spec_(spec), head_(head), place_(spec.label.size()) {
        Index next = 0;
        for (int g = 0; g < spec.groups; ++g) {
            groupFrom_.push_back(next);
            for (std::size_t r = 0; r < spec.label.size(); ++r)
                if (spec.label[r] == g) place_[r] = next++;
        }
        groupFrom_.push_back(next);
    }
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<float> query = byGroup(gatherRows(head_.query.view(), rows) * static_cast<float>(head_.scale));
        PackedRows packed(head_.lanes);
        RowMajor<double> sums(query.rows(), spec_.groups * kKeyBlock);  // of each row: (groups, keys of a block)
        forKeyBlocks(keys, [&](Index first, Index count) {
            const Index hidden = rowsBefore(head_.mask, rows, first);
            if (hidden == query.rows()) return;
            packed.assign(middleRows(head_.key.view(), first, count), place_.data());
            for (int g = 0; g < spec_.groups; ++g) groupSums(query, hidden, packed, g, sums);
            for (Index i = hidden; i < query.rows(); ++i)
                head_.lanes.rows.quadratic({sums.row(i).data(), kKeyBlock, count, spec_.groups, spec_.factor.data(),
                                            spec_.epsilon, out.row(i) + first});
        });
        return RowForm::Kernel;
    }

private:
    RowMajor<float> byGroup(const RowMajor<float>& x) const {
        RowMajor<float> out(x.rows(), x.cols());
        for (std::size_t r = 0; r < place_.size(); ++r) out.col(place_[r]) = x.col(static_cast<Eigen::Index>(r));
        return out;
    }
    void groupSums(const RowMajor<float>& query, Index firstRow, const PackedRows& keys, int group,
                   RowMajor<double>& sums) const {
        const auto g = static_cast<std::size_t>(group);
        const Index from = groupFrom_[g], lanes = head_.lanes.lanes;
        head_.lanes.rows.panelProducts({query.row(firstRow).data() + from, query.cols(), query.rows() - firstRow,
                                        groupFrom_[g + 1] - from, keys.panel(0) + from * lanes, keys.depth() * lanes,
                                        keys.rows(), sums.row(firstRow).data() + group * kKeyBlock, sums.cols()});
    }

    Oal spec_;
    const FloatHead& head_;
    std::vector<Index> place_;      // (head_dim) of a dimension, ordered by group
    std::vector<Index> groupFrom_;  // (groups + 1) among the places
};

/// Section 9: the logit to an integer power.
class PowerRows : public RowKernel {
public:
    PowerRows(const Power& spec, const FloatHead& head) : spec_(spec), head_(head) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        eigen(out) = eigen(out).unaryExpr([exponent = spec_.exponent](double s) {
            double power = s;
            for (int factor = 1; factor < exponent; ++factor) power *= s;
            return power;
        });
        return RowForm::Kernel;
    }

private:
    Power spec_;
    const FloatHead& head_;
};

/// kappa = 1; masks and normalisation do the rest.
class ConstantRows : public RowKernel {
public:
    RowForm fill(std::span<const Index>, Index, MatrixSpan<double> out) const override {
        eigen(out).setOnes();
        return RowForm::Kernel;
    }
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
