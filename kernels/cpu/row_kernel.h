// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>

#include "kernels/cpu/packed_rows.h"
#include "kernels/kernel_spec.h"

namespace dimscope::kernels::cpu {

/// A head in float, and what several kernels of a job need of it.
struct FloatHead {
    explicit FloatHead(const HeadInputs& inputs, const LaneKernels& instructions = *usableLanes().front())
        : query(inputs.query),
          key(inputs.key),
          value(inputs.value),
          mask(inputs.mask),
          scale(inputs.scale),
          softcap(inputs.softcap),
          sink(inputs.sink),
          lanes(instructions) {}
    /// The same with other tensors in place of query and key.
    FloatHead(const HeadInputs& inputs, Matrix<float> otherQuery, Matrix<float> otherKey)
        : query(std::move(otherQuery)),
          key(std::move(otherKey)),
          value(inputs.value),
          mask(inputs.mask),
          scale(inputs.scale),
          softcap(inputs.softcap),
          sink(inputs.sink),
          lanes(*usableLanes().front()) {}
    /// (rows) |k|^2 in double, computed when first asked for; any thread.
    const std::vector<double>& squaredKeyNorms() const;

    FloatTensor query, key, value;  // (rows, dim)
    AttentionMask mask;
    double scale, softcap;
    std::optional<double> sink;
    const LaneKernels& lanes;  ///< instruction set of the inner loops

private:
    mutable std::once_flag normsOnce_;
    mutable std::vector<double> norms_;
};

/// What a kernel fills rows with.
enum class RowForm {
    LogKernel,  ///< ln kappa; divided by the sum of kappa
    Kernel,     ///< kappa of any sign; divided by denominator(sum of kappa)
    Weights,    ///< the weights themselves
};

/// One kernel on one head, evaluated for blocks of query rows.
class RowKernel {
public:
    virtual ~RowKernel() = default;
    /// Fills (rows, keys) and says with what; whatever at keys that are not visible. LogKernel and Kernel may leave out
    /// factors common to a row where denominator() is the sum.
    /// Products in float, sums over few terms in double. Features of keys are made here, block by block, and never
    /// stored: a block stays in the L2 cache between its map and its product, and 131 thousand pairs of 32 rows cost
    /// less than one pass over the memory of 250 features.
    virtual RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const = 0;
    /// Of RowForm::Kernel.
    virtual double denominator(double sum) const { return sum; }
};

/// Feature maps cost O(keys dim features) in every fill; `head` outlives the kernel.
std::unique_ptr<RowKernel> makeRowKernel(const KernelSpec& spec, const FloatHead& head);

// Parts of makeRowKernel, one file each.
std::unique_ptr<RowKernel> makeLogitKernel(const KernelSpec& spec,
                                           const FloatHead& head);  // softmax, taylor, taylorshift, power, constants
std::unique_ptr<RowKernel> makeQuadraticKernel(const Oal& spec, const FloatHead& head);  // global, oal
std::unique_ptr<RowKernel> makePerformer(const Performer& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeSpectraFormer(const SpectraFormer& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeSpectraFormerUnbiased(const SpectraFormerUnbiased& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeDiJiang(const DiJiang& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeZerosSm(const ZerosSm& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeLinearZeros(const LinearZeros& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeElu(const FloatHead& head);
std::unique_ptr<RowKernel> makeCosFormer(const CosFormer& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeRfa(const Rfa& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeHedgehog(const Hedgehog& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeReBased(const ReBased& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makePolySketch(const PolySketch& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeLolcats(const Lolcats& spec, const FloatHead& head);
std::unique_ptr<RowKernel> makeRetNet(const RetNet& spec, const FloatHead& head);

/// Keys [begin, end): all that row i may see among the first `keys`; inside AttentionMask::picks decides.
struct KeyRange {
    Index begin, end;
};
KeyRange candidateKeys(const AttentionMask& mask, Index i, Index keys);

/// How many of the first rows see no key from position `first` on.
Index rowsBefore(const AttentionMask& mask, std::span<const Index> rows, Index first);

/// The rows of a tensor gathered into one matrix: (rows.size(), cols).
RowMajor<float> gatherRows(const MatrixView<float>& tensor, std::span<const Index> rows);

/// Rows divided by max(|x|, 1e-12).
RowMajor<float> unitRows(RowMajor<float> x);

/// (rows) 1 / max(|k|, 1e-12).
std::vector<double> inverseKeyNorms(const FloatHead& head);

/// out = cosine of q and k for the rows and the first keys.
void fillCosines(const FloatHead& head, const std::vector<double>& inverseKeyNorms, std::span<const Index> rows,
                 Index keys, MatrixSpan<double> out);

/// out = scale q.k for the rows and the first keys.
void fillLogits(const FloatHead& head, std::span<const Index> rows, Index keys, MatrixSpan<double> out);

}  // namespace dimscope::kernels::cpu
