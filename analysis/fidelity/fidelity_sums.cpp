// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity_sums.h"

namespace dimscope::analysis {

void WeightSums::operator+=(const WeightSums& other) {
    rows += other.rows;
    divergence += other.divergence;
    divergenceRows += other.divergenceRows;
    variation += other.variation;
    topAgreement += other.topAgreement;
}

void HeadFidelitySums::operator+=(const HeadFidelitySums& other) {
    before += other.before;
    kernelEnergy += other.kernelEnergy;
    product += other.product;
    rows += other.rows;
    if (outputSum.size() < other.outputSum.size()) outputSum.resize(other.outputSum.size(), 0.0);
    for (std::size_t c = 0; c < other.outputSum.size(); ++c) outputSum[c] += other.outputSum[c];
    after += other.after;
    weights += other.weights;
    badRows += other.badRows;
}

}  // namespace dimscope::analysis
