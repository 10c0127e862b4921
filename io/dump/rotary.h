// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/head_source.h"

namespace dimscope::io {

/// Applies RoPE (Su et al. 2021, arXiv:2104.09864, equation 34) in place: row n of (positions, head_dim) is rotated by
/// the angles n theta^(-2 r / rotary_dim); layout "half" pairs r with r + rotary_dim / 2, "interleaved" 2 r with 2 r
/// + 1.
void rotatePositions(kernels::Matrix<float>& rows, const analysis::LayerInfo& layer);
void rotatePositions(kernels::Matrix<double>& rows, const analysis::LayerInfo& layer);

}  // namespace dimscope::io
