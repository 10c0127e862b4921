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

/// Reference lines of every comparison: the mean of the visible values, nothing at all, the first visible value.
struct Uniform {};
struct Zero {};
struct FirstValue {};

using KernelSpec = std::variant<Softmax, Performer, SpectraFormer, DiJiang, TaylorShift, Taylor, GlobalQuadratic, Oal,
                                Uniform, Zero, FirstValue>;

/// The global quadratic written as OAL with one group.
Oal asOal(const GlobalQuadratic& spec, Index headDim);

/// Name of a kernel as it is written on the command line and in files.
std::string_view kernelName(const KernelSpec& spec);

}  // namespace dimscope::kernels
