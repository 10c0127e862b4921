// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/matrix.h"

namespace dimscope::kernels {

// One struct per kernel, holding everything random or learned that the kernel needs for ONE query head, so that two
// backends given the same spec have no freedom to differ. A new kernel is a new alternative: it does not compile until
// every backend has answered for it. Section numbers are those of resources/docs/kernels.md.

/// Exact attention: exp(scale q.k), with softcap and sink where the dump has them.
struct Softmax {};

/// FAVOR+ positive orthogonal random features (section 1).
struct Performer {
    enum class Shift { LogFeature, Projection };
    std::shared_ptr<const Matrix<double>> projection;  ///< (features, head_dim), rows ~ N(0, I)
    double epsilon = 0.0;                              ///< 0: log domain, unbiased; > 0 as upstream
    Shift shift = Shift::Projection;                   ///< where the key maximum is taken when epsilon > 0
};

/// Optimal positive random features on FastFood projections (section 2.2).
struct SpectraFormer {
    enum class Statistic { Position, Sequence, Calibrated };
    enum class Scaling { Upstream, Single };
    std::shared_ptr<const std::vector<double>> b, g, s;   ///< (head_dim) each
    std::shared_ptr<const std::vector<int>> permutation;  ///< output g takes input permutation[g]
    Statistic statistic = Statistic::Position;
    Scaling scaling = Scaling::Upstream;
    double epsilon = 1e-4;
    double phi = 0.0;  ///< the constant of Statistic::Calibrated
};

/// The estimator that SpectraFormer's features come from, unbiased for exp(scale q.k): one constant for q and k, the
/// norms kept (section 2.1).
struct SpectraFormerUnbiased {
    enum class Statistic { Sequence, Calibrated };
    std::shared_ptr<const std::vector<double>> b, g, s;   ///< (head_dim) each
    std::shared_ptr<const std::vector<int>> permutation;  ///< output g takes input permutation[g]
    Statistic statistic = Statistic::Sequence;
    double phi = 0.0;  ///< the constant of Statistic::Calibrated
};

/// Frequency-domain softmax features (section 3).
struct DiJiang {
    enum class Orientation { Inverse, Forward };       ///< C^T x (upstream) or C x
    std::shared_ptr<const std::vector<double>> t;      ///< (head_dim)
    std::shared_ptr<const std::vector<double>> theta;  ///< (head_dim) log weights; null: all 0
    Orientation orientation = Orientation::Inverse;
};

/// 1 + s + s^2/2 of tau times the cosine of q and k (section 4).
struct TaylorShift {
    double tau = 1.0;
};

/// 1 + s + s^2/2 of the logit (start of section 5.3).
struct Taylor {};

/// Learned non-negative quadratic of the logit (section 5).
struct GlobalQuadratic {
    std::array<double, 3> factor{};  ///< packed (l00, l10, l11)
    double epsilon = 1e-6;
};

/// Outlier-aware attention linearization: a quadratic form in the group sums (section 5).
struct Oal {
    std::vector<int> label;      ///< (head_dim), group of each dimension, 0 = bulk, ascending contribution
    int groups = 1;              ///< G
    std::vector<double> factor;  ///< packed lower triangle, row major, (G+1)(G+2)/2 entries
    double epsilon = 1e-6;
};

// Beyond the two papers (section 9).

/// Features elu(x) + 1.
struct Elu {};

/// relu(q).relu(k) cos(pi (i - j) / (2 M)); the sum of a row is floored at 1e-6.
struct CosFormer {
    double length = 4096.0;  ///< M
};

/// Random Fourier features 0.1 (sin, cos) of normalised vectors; of either sign.
struct Rfa {
    std::shared_ptr<const Matrix<double>> projection;  ///< (rows, head_dim), N(0, 1) entries
    double floor = 0.0;                                ///< least denominator; 0: plain ratio; 1: upstream
};

/// Softmax features of a learned linear map and of its negative.
struct Hedgehog {
    enum class Variant { Lolcats, Fla };               ///< two softmaxes with a floor of 1e-12, or one over both halves
    std::shared_ptr<const Matrix<double>> query, key;  ///< (head_dim, head_dim), feature w x; null: identity
    Variant variant = Variant::Lolcats;
};

/// The Taylor kernel on all dimensions of the head, as Based has it after its projections.
struct Based {};

/// (LN(q).LN(k))^2 / d with an affine map behind the normalisation.
struct ReBased {
    std::shared_ptr<const std::vector<double>> gamma, beta;  ///< (head_dim) each; null: 1 and 0
};

/// The logit to an integer power.
struct Power {
    int exponent = 2;
};

/// Degree-4 polynomial through two random sketches; the denominator is 1 + sum.
struct PolySketch {
    std::shared_ptr<const Matrix<double>> s1, s2;  ///< (head_dim, sketches), N(0, 1) entries; r^-1/2 is applied to each
};

/// Exponential inside a window, identity Hedgehog features before it, one common denominator.
struct Lolcats {
    Index window = 64;
    double sigma = 0.1;  ///< weight of the window
};

/// decay^(i - j) times the logit, without a denominator.
struct RetNet {
    double decay = 1.0 - 1.0 / 32.0;  ///< 1 - 2^(-5 - h) for query head h
    double scale = 1.0;               ///< of the output
};

// Zero-sum weights (section 8): gates of the first-order, higher-order and zero-order part.

/// The parts of softmax reweighted; (1, 1, 0) is softmax less the mean of the values.
struct ZerosSm {
    double sigma1 = 1.0, sigmah = 1.0, sigma0 = 0.0;
};

/// Linear ZeroS with u = k in place of its learned projection: a proxy, untrained.
struct LinearZeros {
    double sigma1 = 1.0, sigmah = 1.0, sigma0 = 0.0;
    std::shared_ptr<const std::vector<double>> mu = {};  ///< (head_dim); null: 0
    double tau = 0.0;                                    ///< log weight of mu in the running mean, clipped to [-50, 30]
};

/// Reference lines of every comparison: the mean of the visible values, nothing at all, the first visible value.
struct Uniform {};
struct Zero {};
struct FirstValue {};

using KernelSpec = std::variant<Softmax, Performer, SpectraFormer, SpectraFormerUnbiased, DiJiang, TaylorShift, Taylor,
                                GlobalQuadratic, Oal, ZerosSm, LinearZeros, Elu, CosFormer, Rfa, Hedgehog, Based,
                                ReBased, Power, PolySketch, Lolcats, RetNet, Uniform, Zero, FirstValue>;

/// The global quadratic written as OAL with one group.
Oal asOal(const GlobalQuadratic& spec, Index headDim);

/// Whether float holds 2 theta + z to 1e-4: calibration can drive weights far beyond it. False where one is NaN.
bool weightsFitFloat(const DiJiang& spec);

/// Name of a kernel as it is written on the command line and in files.
std::string_view kernelName(const KernelSpec& spec);

}  // namespace dimscope::kernels
