// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/evaluated_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exact_part.h"

namespace dimscope::kernels::cpu {
namespace {

/// What a kernel sees of queries and keys: keys centred, then the dimensions of one side of a restriction alone.
class KernelTensors {
public:
    KernelTensors(const HeadInputs& inputs, const Evaluation& how) : inputs_(inputs), how_(how) {}
    Matrix<float> query(int side) const { return sideOf(inputs_.query, side, nullptr); }
    Matrix<float> key(int side) const { return sideOf(inputs_.key, side, how_.keyMean.get()); }

private:
    using FloatRow = Eigen::Array<float, 1, Eigen::Dynamic>;

    Matrix<float> sideOf(const TensorView& view, int side, const std::vector<double>* mean) const {
        return std::visit(
            [&](const auto& source) {
                const FloatRow factors = kept(source.cols(), side);
                const auto from = eigen(source).array();
                Matrix<float> out(source.rows(), source.cols());
                auto to = eigen(out).array();
                for (Index r = 0; r < source.rows(); ++r)
                    if (mean)
                        to.row(r) = (from.row(r).template cast<double>() -
                                     Eigen::Map<const Eigen::ArrayXd>(mean->data(), source.cols()).transpose())
                                        .template cast<float>() *
                                    factors;
                    else
                        to.row(r) = from.row(r).template cast<float>() * factors;
                return out;
            },
            view);
    }
    FloatRow kept(Index dim, int side) const {
        FloatRow factors = FloatRow::Ones(dim);
        for (Index c = 0; how_.approximated && c < dim; ++c)
            factors[c] = (*how_.approximated)[static_cast<std::size_t>(c)] == side ? 1.0F : 0.0F;
        return factors;
    }

    const HeadInputs& inputs_;
    const Evaluation& how_;
};

/// x = ln x + logits of neighbouring keys.
void addLogarithms(const RowLanes& lanes, double* x, const double* logits, Index keys) {
    const std::vector<double> kappa(x, x + keys);
    const bool finite = lanes.largest(x, keys) < std::numeric_limits<double>::infinity();
    if (finite && lanes.logarithms(x, logits, keys, std::numeric_limits<double>::min()) == 0) return;
    for (Index k = 0; k < keys; ++k) x[k] = std::log(kappa[static_cast<std::size_t>(k)]) + logits[k];  // of 0: -inf
}

/// Section 7: ln kappa on a subset of the dimensions plus the exact logit of the others.
class RestrictedRows : public RowKernel {
public:
    RestrictedRows(const KernelSpec& spec, const HeadInputs& inputs, const KernelTensors& tensors)
        : masked_(inputs, tensors.query(1), tensors.key(1)),
          complement_(inputs, tensors.query(0), tensors.key(0)),
          kernel_(makeRowKernel(spec, masked_)) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowForm form = kernel_->fill(rows, keys, out);
        RowMajor<double> logits(out.rows(), keys);
        fillLogits(complement_, rows, keys, {logits.data(), logits.rows(), keys});
        for (Index r = 0; r < out.rows(); ++r) {
            const auto [begin, end] = candidateKeys(masked_.mask, rows[static_cast<std::size_t>(r)], keys);
            if (form == RowForm::Kernel)
                addLogarithms(masked_.lanes.rows, out.row(r) + begin, logits.row(r).data() + begin, end - begin);
            else
                eigen(out).row(r) += logits.row(r);
        }
        return RowForm::LogKernel;
    }

private:
    FloatHead masked_, complement_;
    std::unique_ptr<RowKernel> kernel_;
};

RowsOutput rowsOfKernel(const RowsJob& job, const KernelSpec& spec, const Evaluation& how, const HeadInputs& inputs,
                        const RunControl& control, RowScratch& scratch) {
    const KernelTensors tensors(inputs, how);
    if (how.approximated) {
        const FloatHead head(inputs);  // the mask and the values
        return attendRows(spec, RestrictedRows(spec, inputs, tensors), head, job.rows, job.wantWeights, control,
                          scratch);
    }
    const FloatHead head(inputs, tensors.query(1), tensors.key(1));
    return attendRows(spec, *makeRowKernel(spec, head), head, job.rows, job.wantWeights, control, scratch);
}

/// Exact attention over the exact keys, with the mass of every row.
RowsOutput rowsOfExactKeys(const RowsJob& job, const HeadInputs& inputs, const RunControl& control,
                           RowScratch& scratch) {
    const FloatHead head(inputs);
    RowsOutput out = attendRows(Softmax{}, *makeRowKernel(Softmax{}, head), head, job.rows, true, control, scratch);
    for (Index r = 0; r < out.weights.rows(); ++r) {
        const float* weights = out.weights.row(r);
        const double largest = static_cast<double>(*std::max_element(weights, weights + out.weights.cols()));
        out.exactMass.push_back(largest > 0.0 ? 1.0 / largest : 0.0);  // exp(0) / a; 0: no key
    }
    return out;
}

}  // namespace

RowsOutput attendRows(const RowsJob& job, std::size_t kernel, const FloatHead& plain, const RunControl& control,
                      RowScratch& scratch) {
    const KernelSpec& spec = job.kernels[kernel];
    const Evaluation how = job.evaluation(kernel);
    if (how.plain() || std::holds_alternative<Softmax>(spec))
        return attendRows(spec, *makeRowKernel(spec, plain), plain, job.rows, job.wantWeights, control, scratch);
    if (how.exact.empty()) return rowsOfKernel(job, spec, how, job.head, control, scratch);
    const SplitMasks masks = splitMasks(job.head.mask, how.exact, job.head.rows());
    HeadInputs rest = job.head;
    rest.mask = masks.rest;
    return joinExactPart(rowsOfKernel(job, spec, how, rest, control, scratch),
                         rowsOfExactKeys(job, exactKeysOf(job.head, masks.exact), control, scratch), masks.rest,
                         job.rows, job.head.rows(), gateOf(spec, how.exact));
}

}  // namespace dimscope::kernels::cpu
