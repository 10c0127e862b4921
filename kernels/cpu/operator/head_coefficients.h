// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/cpu/operator/lane_kernels.h"
#include "kernels/kernel_spec.h"

namespace dimscope::kernels::cpu {

/// Owner of the HeadCoefficients of one query head.
class OwnedCoefficients {
public:
    /// `dim`: head_dim padded to a multiple of `lanes`.
    OwnedCoefficients(const Oal& spec, double scale, Index dim, Index lanes);
    OwnedCoefficients(OwnedCoefficients&&) = default;
    /// Valid as long as this object lives.
    HeadCoefficients view() const;

private:
    void orderTail(const Oal& spec);
    void pairTail();

    Index dim_, lanes_;
    int columns_;
    float floor_;
    std::vector<float> offset_, weight_;
    std::vector<std::int32_t> tailDim_, tailFrom_, termFrom_;
    std::vector<PairTerm> terms_;
};

}  // namespace dimscope::kernels::cpu
