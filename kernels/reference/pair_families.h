// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/reference/pairwise.h"

namespace dimscope::kernels::reference {

// Parts of makePairwise, one file per family of kernels.

using PairsPointer = std::unique_ptr<PairwiseKernel>;

// feature_pairs.cpp
PairsPointer makePairs(const Elu& spec, const DoubleHead& head);
PairsPointer makePairs(const CosFormer& spec, const DoubleHead& head);
PairsPointer makePairs(const Rfa& spec, const DoubleHead& head);
PairsPointer makePairs(const Hedgehog& spec, const DoubleHead& head);
PairsPointer makePairs(const ReBased& spec, const DoubleHead& head);
PairsPointer makePairs(const PolySketch& spec, const DoubleHead& head);
PairsPointer makePairs(const Lolcats& spec, const DoubleHead& head);

// spectraformer_pairs.cpp
PairsPointer makePairs(const SpectraFormer& spec, const DoubleHead& head);
PairsPointer makePairs(const SpectraFormerUnbiased& spec, const DoubleHead& head);

// unnormalised_pairs.cpp
PairsPointer makePairs(const ZerosSm& spec, const DoubleHead& head);
PairsPointer makePairs(const LinearZeros& spec, const DoubleHead& head);
PairsPointer makePairs(const RetNet& spec, const DoubleHead& head);

}  // namespace dimscope::kernels::reference
