// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/indices.h"

namespace dimscope::kernels::cpu {

/// What attendQuadratic carries from one stretch of a sequence to the next: the packed symmetric sums over all keys so
/// far, u_j = (v_j, 1). It holds no coefficient of a kernel, so query heads share it and other factors may continue it.
/// Default-constructed: the start of a sequence. Values belong to the instruction set that made them.
struct QuadraticState {
    struct KvHead {
        std::vector<float> shift;      ///< (dim) constant subtracted from the keys, chosen at the start
        std::vector<float> diagonals;  ///< (dim / 2 + 2, value_dim + 1, dim), see StateTask
        std::vector<float> total;      ///< (value_dim + 1) sum_j u_j
    };
    Index positions = 0;  ///< keys absorbed
    Index dim = 0;        ///< head_dim padded to whole vectors
    Index columns = 0;    ///< value_dim + 1
    std::vector<KvHead> heads;
};

}  // namespace dimscope::kernels::cpu
