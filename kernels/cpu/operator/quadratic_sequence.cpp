// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/checks.h"
#include "kernels/cpu/operator/quadratic_slab.h"
#include "kernels/error.h"

namespace dimscope::kernels::cpu {
namespace {

void checkSpecs(const SequenceHeads& heads, std::span<const Oal> specs) {
    if (specs.size() != heads.query.size())
        throw ShapeError(std::to_string(specs.size()) + " specifications, expected one for each of " +
                         std::to_string(heads.query.size()) + " query heads");
    const HeadShape shape{heads.query.front().rows(), heads.query.front().cols(), heads.value.front().cols()};
    for (const Oal& spec : specs)
        if (const Support support = fits(spec, shape); !support.supported) throw ShapeError(support.reason);
}

/// Mean of the first keys. Any constant is exact; this one keeps the state free of the large common part that would
/// cancel against the linear terms.
std::vector<float> meanKey(const MatrixView<float>& key, Index dim) {
    std::vector<double> sum(static_cast<std::size_t>(dim), 0.0);
    const Index rows = std::min(key.rows(), kSlab);
    for (Index j = 0; j < rows; ++j)
        for (Index r = 0; r < key.cols(); ++r) sum[static_cast<std::size_t>(r)] += static_cast<double>(key(j, r));
    std::vector<float> mean;
    for (const double s : sum) {
        const auto m = static_cast<float>(s / static_cast<double>(rows));
        mean.push_back(std::isfinite(m) ? m : 0.0F);
    }
    return mean;
}

QuadraticState emptyState(const SequenceHeads& heads, Index dim) {
    QuadraticState state;
    state.dim = dim;
    state.columns = heads.value.front().cols() + 1;
    for (const MatrixView<float>& key : heads.key)
        state.heads.push_back({meanKey(key, dim),
                               std::vector<float>(static_cast<std::size_t>((dim / 2 + 2) * state.columns * dim)),
                               std::vector<float>(static_cast<std::size_t>(state.columns))});
    return state;
}

QuadraticState startingState(const SequenceHeads& heads, const QuadraticState* given, Index lanes) {
    const Index dim = (heads.query.front().cols() + lanes - 1) / lanes * lanes;
    const Index columns = heads.value.front().cols() + 1;
    if (!given || given->positions == 0) return emptyState(heads, dim);
    if (given->dim != dim || given->columns != columns || given->heads.size() != heads.key.size())
        throw ShapeError("the carried state has " + std::to_string(given->heads.size()) + " heads of " +
                         std::to_string(given->dim) + " x " + std::to_string(given->columns) + ", expected " +
                         std::to_string(heads.key.size()) + " of " + std::to_string(dim) + " x " +
                         std::to_string(columns));
    return *given;
}

void reportBad(const SequenceHeads& heads, const std::vector<std::vector<std::uint8_t>>& bad, SequenceReport& report) {
    for (std::size_t head = 0; head < bad.size(); ++head) {
        std::vector<Index>& positions = report.bad.emplace_back();
        for (std::size_t i = 0; i < bad[head].size(); ++i)
            if (bad[head][i]) {
                positions.push_back(static_cast<Index>(i));
                std::fill_n(heads.output[head].row(static_cast<Index>(i)), heads.output[head].cols(),
                            std::numeric_limits<float>::quiet_NaN());
            }
        report.workspaceBytes += bad[head].size();
    }
}

void runSlab(QuadraticSlab& slab, std::vector<std::vector<std::uint8_t>>& bad, WorkerPool& pool,
             const RunControl& control) {
    pool.run(slab.prepareTasks(), control.slice(0.0F, 0.05F), [&](Index n) { slab.prepare(n); });
    pool.run(slab.stateTasks(), control.slice(0.05F, 0.85F), [&](Index n) { slab.walk(n, control); });
    pool.run(slab.outputTasks(), control.slice(0.85F, 1.0F), [&](Index n) { slab.finish(n, bad); });
}

}  // namespace

SequenceReport attendQuadratic(const SequenceHeads& heads, std::span<const Oal> specs, QuadraticState* state,
                               WorkerPool& pool, const RunControl& control, const LaneKernels* lanes) {
    checkSequence(heads);
    checkSpecs(heads, specs);
    const LaneKernels& chosen = lanes ? *lanes : *usableLanes().front();
    QuadraticState carried = startingState(heads, state, chosen.lanes);
    QuadraticSlab slab(heads, specs, carried, chosen, pool.threads());
    const Index rows = heads.query.front().rows(), slabs = (rows + kSlab - 1) / kSlab;
    std::vector<std::vector<std::uint8_t>> bad(heads.query.size(),
                                               std::vector<std::uint8_t>(static_cast<std::size_t>(rows)));
    for (Index n = 0; n < slabs; ++n) {
        const Index first = n * kSlab, count = std::min(kSlab, rows - first);
        slab.begin(first, count, state != nullptr || n + 1 < slabs);
        runSlab(slab, bad, pool, control.part(static_cast<std::size_t>(n), static_cast<std::size_t>(slabs)));
        carried.positions += count;
    }
    SequenceReport report;
    reportBad(heads, bad, report);
    report.workspaceBytes += slab.bytes();
    for (const QuadraticState::KvHead& head : carried.heads)
        report.workspaceBytes += sizeof(float) * (head.shift.size() + head.diagonals.size() + head.total.size());
    report.lanes = chosen.name;
    if (state && rows > 0) *state = std::move(carried);
    return report;
}

}  // namespace dimscope::kernels::cpu
