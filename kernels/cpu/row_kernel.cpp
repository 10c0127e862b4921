// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/row_kernel.h"

#include <algorithm>
#include <cmath>

namespace dimscope::kernels::cpu {

KeyRange candidateKeys(const AttentionMask& mask, Index i, Index keys) {
    if (!mask.isValid(i)) return {0, 0};
    if (!mask.causal) return {0, keys};
    return {mask.window > 0 ? std::max<Index>(0, i - mask.window + 1) : 0, std::min(i + 1, keys)};
}

Index rowsBefore(const AttentionMask& mask, std::span<const Index> rows, Index first) {
    if (!mask.causal) return 0;
    const auto sees = std::find_if(rows.begin(), rows.end(), [&](Index row) { return row >= first; });
    return static_cast<Index>(sees - rows.begin());
}

RowMajor<float> gatherRows(const MatrixView<float>& tensor, std::span<const Index> rows) {
    RowMajor<float> out(static_cast<Eigen::Index>(rows.size()), tensor.cols());
    for (std::size_t n = 0; n < rows.size(); ++n) out.row(static_cast<Eigen::Index>(n)) = eigen(tensor).row(rows[n]);
    return out;
}

RowMajor<float> unitRows(RowMajor<float> x) {
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
        const double norm = std::sqrt(x.row(r).cast<double>().squaredNorm());
        x.row(r) *= static_cast<float>(1.0 / std::max(norm, 1e-12));
    }
    return x;
}

const std::vector<double>& FloatHead::squaredKeyNorms() const {
    std::call_once(normsOnce_, [this] {
        const MatrixView<float>& k = key.view();
        norms_.resize(static_cast<std::size_t>(k.rows()));
        lanes.rows.squaredNorms(k.data(), nullptr, k.stride(), 0, k.rows(), k.cols(), norms_.data());
    });
    return norms_;
}

namespace {

void fillProducts(const FloatHead& head, const RowMajor<float>& query, std::span<const Index> rows, Index keys,
                  MatrixSpan<double> out) {
    const PackedRows packed(head.lanes, view(query));
    forKeyBlocks(keys, [&](Index first, Index count) {
        packed.products(middleRows(head.key.view(), first, count), middleColumns(out, first, count),
                        rowsBefore(head.mask, rows, first));
    });
}

}  // namespace

void fillLogits(const FloatHead& head, std::span<const Index> rows, Index keys, MatrixSpan<double> out) {
    const RowMajor<float> query = gatherRows(head.query.view(), rows) * static_cast<float>(head.scale);
    fillProducts(head, query, rows, keys, out);
}

std::vector<double> inverseKeyNorms(const FloatHead& head) {
    std::vector<double> inverse = head.squaredKeyNorms();
    for (double& x : inverse) x = 1.0 / std::max(std::sqrt(x), 1e-12);
    return inverse;
}

void fillCosines(const FloatHead& head, const std::vector<double>& inverseKeyNorms, std::span<const Index> rows,
                 Index keys, MatrixSpan<double> out) {
    const RowMajor<float> query = unitRows(gatherRows(head.query.view(), rows));
    fillProducts(head, query, rows, keys, out);
    eigen(out).array().rowwise() *= Eigen::Map<const Eigen::ArrayXd>(inverseKeyNorms.data(), keys).transpose();
}

namespace {

struct Make {
    const FloatHead& head;
    using Result = std::unique_ptr<RowKernel>;
    Result operator()(const Softmax&) const { return makeLogitKernel(Softmax{}, head); }
    Result operator()(const Performer& s) const { return makePerformer(s, head); }
    Result operator()(const SpectraFormer& s) const { return makeSpectraFormer(s, head); }
    Result operator()(const SpectraFormerUnbiased& s) const { return makeSpectraFormerUnbiased(s, head); }
    Result operator()(const DiJiang& s) const { return makeDiJiang(s, head); }
    Result operator()(const TaylorShift& s) const { return makeLogitKernel(s, head); }
    Result operator()(const Taylor&) const { return makeLogitKernel(Taylor{}, head); }
    Result operator()(const GlobalQuadratic& s) const {
        return makeQuadraticKernel(asOal(s, head.key.view().cols()), head);
    }
    Result operator()(const Oal& s) const { return makeQuadraticKernel(s, head); }
    Result operator()(const ZerosSm& s) const { return makeZerosSm(s, head); }
    Result operator()(const LinearZeros& s) const { return makeLinearZeros(s, head); }
    Result operator()(const Elu&) const { return makeElu(head); }
    Result operator()(const CosFormer& s) const { return makeCosFormer(s, head); }
    Result operator()(const Rfa& s) const { return makeRfa(s, head); }
    Result operator()(const Hedgehog& s) const { return makeHedgehog(s, head); }
    Result operator()(const Based&) const { return makeLogitKernel(Taylor{}, head); }
    Result operator()(const ReBased& s) const { return makeReBased(s, head); }
    Result operator()(const Power& s) const { return makeLogitKernel(s, head); }
    Result operator()(const PolySketch& s) const { return makePolySketch(s, head); }
    Result operator()(const Lolcats& s) const { return makeLolcats(s, head); }
    Result operator()(const RetNet& s) const { return makeRetNet(s, head); }
    Result operator()(const Uniform& s) const { return makeLogitKernel(s, head); }
    Result operator()(const Zero& s) const { return makeLogitKernel(s, head); }
    Result operator()(const FirstValue& s) const { return makeLogitKernel(s, head); }
};

}  // namespace

std::unique_ptr<RowKernel> makeRowKernel(const KernelSpec& spec, const FloatHead& head) {
    return std::visit(Make{head}, spec);
}

}  // namespace dimscope::kernels::cpu
