// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/lane_exact.h"
#include "kernels/cpu/operator/lane_quadratic.h"
#include "kernels/cpu/operator/lane_rows.h"

namespace dimscope::kernels::cpu {

const LaneKernels& avx2Lanes() {
    static constexpr LaneKernels kKernels{"avx2",       kLanes,      makePanel,  readoutChunk, updateChunk,
                                          pairsOfPanel, finishPanel, exactBlock, kRowLanes};
    return kKernels;
}

}  // namespace dimscope::kernels::cpu
