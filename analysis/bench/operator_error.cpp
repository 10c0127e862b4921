// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/operator_error.h"

#include <algorithm>
#include <cmath>

#include "kernels/backend_registry.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

constexpr int kSampledRows = 64;

struct Sums {
    double error = 0.0, energy = 0.0;
    double relative() const { return energy > 0.0 ? std::sqrt(error / energy) : kNaN; }
};

template <class T>
void addRow(const T* out, const double* reference, Index cols, Sums& sums) {
    for (Index c = 0; c < cols; ++c) {
        const double difference = static_cast<double>(out[c]) - reference[c];
        sums.error += difference * difference;
        sums.energy += reference[c] * reference[c];
    }
}

/// Positions of one head, ascending; heads share the samples as equally as they can.
std::vector<Index> sampledPositions(const BenchInputs& inputs, int head, Index positions) {
    const int heads = inputs.layer.nHeads;
    const Index wanted = std::min<Index>(positions, kSampledRows / heads + (head < kSampledRows % heads ? 1 : 0));
    kernels::RandomStream random(inputs.params.seed, kernels::RandomPurpose::QueryRows, inputs.layer.layer.value, head);
    std::vector<Index> rows;
    while (static_cast<Index>(rows.size()) < wanted) {
        const auto row = static_cast<Index>(random.below(static_cast<std::uint64_t>(positions)));
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace

double operatorError(const BenchInputs& inputs, const BenchTensors& tensors, Index positions,
                     std::span<const kernels::KernelSpec> specs, const RunControl& control) {
    const auto reference = kernels::makeBackend("reference");
    Sums sums;
    for (int h = 0; h < inputs.layer.nHeads; ++h) {
        const std::vector<Index> rows = sampledPositions(inputs, h, positions);
        if (rows.empty()) continue;
        const kernels::RowsJob job{tensors.head(HeadIndex{h}, positions), rows,
                                   specs.subspan(static_cast<std::size_t>(h), 1)};
        const RunControl part = control.part(static_cast<std::size_t>(h), specs.size());
        const kernels::RowsOutput expected = reference->attendRows({&job, 1}, part).front().front();
        for (std::size_t n = 0; n < rows.size(); ++n)
            if (!expected.bad[n])
                addRow(tensors.output(HeadIndex{h}).row(rows[n]), expected.values.row(static_cast<Index>(n)),
                       inputs.layer.valueDim, sums);
    }
    return sums.relative();
}

double rowsError(std::span<const kernels::RowsOutput> outputs, std::span<const kernels::RowsOutput> reference) {
    Sums sums;
    for (std::size_t h = 0; h < reference.size(); ++h)
        for (Index n = 0; n < reference[h].values.rows(); ++n)
            if (!reference[h].bad[static_cast<std::size_t>(n)])
                addRow(outputs[h].values.row(n), reference[h].values.row(n), reference[h].values.cols(), sums);
    return sums.relative();
}

}  // namespace dimscope::analysis
