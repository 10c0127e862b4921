// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cpu/row_kernel.h"

// Kernels whose weights are not divided by a sum. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::cpu {
namespace {

/// Section 9: scale decay^(i - j) times the logit.
class RetNetRows : public RowKernel {
public:
    RetNetRows(const RetNet& spec, const FloatHead& head) : head_(head) {
        for (Index distance = 0; distance < head.key.view().rows(); ++distance)
            decays_.push_back(std::pow(spec.decay, static_cast<double>(distance)));
        scale_ = spec.scale;
    }
    RowForm form() const override { return RowForm::Weights; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) {
                const double decay = decays_[static_cast<std::size_t>(std::abs(rows[n] - j))];
                row[j] *= scale_ * (j <= rows[n] ? decay : 1.0 / decay);
            }
        }
    }

private:
    const FloatHead& head_;
    std::vector<double> decays_;  // by distance
    double scale_;
};

}  // namespace

std::unique_ptr<RowKernel> makeRetNet(const RetNet& spec, const FloatHead& head) {
    return std::make_unique<RetNetRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
