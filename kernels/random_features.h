// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "kernels/kernel_spec.h"

namespace dimscope::kernels {

// Random draws of kernels, made once on the host and handed to every backend.

/// (features, headDim): orthogonal blocks of Haar rows (sign-fixed QR), each row scaled by an independent chi_d norm;
/// the last block gives the remaining rows. kernel-math section 1. Keyed by (seed, layer, head).
Matrix<double> performerProjection(int features, int headDim, std::uint64_t seed, int layer, int head);

/// One FastFood draw per layer: B uniform on {-1, +1}, G ~ N(0, 1), S_f = chi_d / |G|, uniform permutation
/// (section 2.2).
struct FastFoodDraw {
    std::vector<double> b, g, s;
    std::vector<int> permutation;
};
FastFoodDraw fastFoodDraw(int headDim, std::uint64_t seed, int layer);

/// t_n = Phi^-1(u_n), u_n uniform: standard normal draws, one set per layer (section 3).
std::vector<double> diJiangDraw(int headDim, std::uint64_t seed, int layer);

/// (features, headDim) with N(0, 1) entries, keyed by (seed, layer, head) (section 9, RFA with sigma = tau = 1).
Matrix<double> rfaProjection(int features, int headDim, std::uint64_t seed, int layer, int head);

/// Two (headDim, sketches) matrices with N(0, 1) entries, keyed by (seed, layer, head) (section 9, PolySketch).
struct SketchDraw {
    Matrix<double> s1, s2;
};
SketchDraw polySketchDraw(int headDim, int sketches, std::uint64_t seed, int layer, int head);

}  // namespace dimscope::kernels
