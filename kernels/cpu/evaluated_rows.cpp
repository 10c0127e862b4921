// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/evaluated_rows.h"

#include <algorithm>

#include "kernels/exact_part.h"

namespace dimscope::kernels::cpu {
namespace {

/// A tensor as float with something done to each entry: change(value, column) in double.
template <class Change>
Matrix<float> changed(const TensorView& view, Change change) {
    return std::visit(
        [&](const auto& source) {
            Matrix<float> out(source.rows(), source.cols());
            for (Index r = 0; r < source.rows(); ++r)
                for (Index c = 0; c < source.cols(); ++c)
                    out(r, c) = static_cast<float>(change(static_cast<double>(source(r, c)), c));
            return out;
        },
        view);
}

/// Queries and keys of a kernel: keys centred, then the dimensions of `side` alone.
struct KernelTensors {
    const Evaluation& how;

    Matrix<float> query(const HeadInputs& inputs, int side) const {
        return changed(inputs.query, [&](double q, Index c) { return keeps(c, side) ? q : 0.0; });
    }
    Matrix<float> key(const HeadInputs& inputs, int side) const {
        return changed(inputs.key, [&](double k, Index c) {
            const double mean = how.keyMean ? (*how.keyMean)[static_cast<std::size_t>(c)] : 0.0;
            return keeps(c, side) ? k - mean : 0.0;
        });
    }

private:
    bool keeps(Index c, int side) const {
        return !how.approximated || (*how.approximated)[static_cast<std::size_t>(c)] == side;
    }
};

/// Section 7: ln kappa on a subset of the dimensions plus the exact logit of the others.
class RestrictedRows : public RowKernel {
public:
    RestrictedRows(const KernelSpec& spec, const HeadInputs& inputs, const Evaluation& how)
        : masked_(inputs, KernelTensors{how}.query(inputs, 1), KernelTensors{how}.key(inputs, 1)),
          complement_(inputs, KernelTensors{how}.query(inputs, 0), KernelTensors{how}.key(inputs, 0)),
          kernel_(makeRowKernel(spec, masked_)) {}
    RowForm form() const override { return RowForm::LogKernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        kernel_->fill(rows, keys, out);
        if (kernel_->form() == RowForm::Kernel) eigen(out) = eigen(out).array().log().matrix();
        RowMajor<double> logits(out.rows(), keys);
        fillLogits(complement_, rows, keys, {logits.data(), logits.rows(), keys});
        eigen(out) += logits;
    }

private:
    FloatHead masked_, complement_;
    std::unique_ptr<RowKernel> kernel_;
};

RowsOutput rowsOfKernel(const RowsJob& job, const KernelSpec& spec, const Evaluation& how, const HeadInputs& inputs,
                        const RunControl& control, RowScratch& scratch) {
    if (how.approximated) {
        const FloatHead head(inputs);  // the mask and the values
        return attendRows(spec, RestrictedRows(spec, inputs, how), head, job.rows, job.wantWeights, control, scratch);
    }
    const FloatHead head(inputs, KernelTensors{how}.query(inputs, 1), KernelTensors{how}.key(inputs, 1));
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
