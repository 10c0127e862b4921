// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kernels/error.h"

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

void join(FidelitySums& all, FidelitySums part) {
    const auto sameLayers = [](const FidelityLayer& a, const FidelityLayer& b) {
        return a.layer == b.layer && a.heads == b.heads;
    };
    if (all.methods != part.methods || all.prompts != part.prompts ||
        !std::equal(all.layers.begin(), all.layers.end(), part.layers.begin(), part.layers.end(), sameLayers))
        throw kernels::ArgumentError("the parts differ in kernels, layers, heads or prompts: they are not of one run");
    for (const FidelityCell& cell : part.cells)
        for (const FidelityCell& own : all.cells)
            if (own.layer == cell.layer && own.prompt == cell.prompt)
                throw kernels::ArgumentError(
                    fmt::format("layer {} prompt {} is in two parts", cell.layer.value, cell.prompt.value));
    std::move(part.cells.begin(), part.cells.end(), std::back_inserter(all.cells));
    std::stable_sort(all.cells.begin(), all.cells.end(), [](const FidelityCell& a, const FidelityCell& b) {
        return std::tie(a.layer, a.prompt) < std::tie(b.layer, b.prompt);
    });
    for (Warning& warning : part.warnings)
        if (std::find(all.warnings.begin(), all.warnings.end(), warning) == all.warnings.end())
            all.warnings.push_back(std::move(warning));
}

}  // namespace dimscope::analysis
