// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cpu/feature_rows.h"

namespace dimscope::kernels::cpu {
namespace {

/// Random Fourier features (section 9), in double: where kappa changes sign a row's sum loses digits that float has not
/// got.
class RfaRows : public WideFeatureRows {
public:
    RfaRows(const Rfa& spec, const FloatHead& head)
        : WideFeatureRows(head), floor_(spec.floor), transposed_(eigen(*spec.projection).transpose()) {}
    double denominator(double sum) const override { return floor_ > 0.0 ? std::max(sum, floor_) : sum; }

private:
    RowMajor<double> queryFeatures(RowMajor<double> x) const override { return features(std::move(x)); }
    RowMajor<double> keyFeatures(RowMajor<double> x) const override { return features(std::move(x)); }

    /// 0.1 (sin, cos) of the projections of x / (|x| + 1e-3).
    RowMajor<double> features(RowMajor<double> x) const {
        for (Eigen::Index r = 0; r < x.rows(); ++r) x.row(r) /= x.row(r).norm() + 1e-3;
        const RowMajor<double> angles = x * transposed_;
        const Eigen::Index count = angles.cols();
        RowMajor<double> out(angles.rows(), 2 * count);
        for (Eigen::Index r = 0; r < angles.rows(); ++r)
            sineCosine(angles.row(r).data(), count, out.row(r).data(), out.row(r).data() + count);
        return 0.1 * out;
    }
    void sineCosine(const double* angles, Index count, double* sine, double* cosine) const {
        constexpr double kLargest = 1e6;  // beyond it the library's
        head().lanes.rows.sineCosine(angles, count, sine, cosine);
        for (Index n = 0; n < count; ++n)
            if (!(std::abs(angles[n]) < kLargest)) {
                sine[n] = std::sin(angles[n]);
                cosine[n] = std::cos(angles[n]);
            }
    }
    double floor_;
    RowMajor<double> transposed_;  // (head_dim, features)
};

}  // namespace

std::unique_ptr<RowKernel> makeRfa(const Rfa& spec, const FloatHead& head) {
    return std::make_unique<RfaRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
