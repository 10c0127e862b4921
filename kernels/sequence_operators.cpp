// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/sequence_operators.h"

#include <optional>

#include "kernels/cpu/operator/sequence.h"

namespace dimscope::kernels {
namespace {

cpu::SequenceHeads headsOf(const SequenceTensors& tensors) {
    cpu::SequenceHeads heads;
    heads.query = tensors.query;
    heads.key = tensors.key;
    heads.value = tensors.value;
    heads.output = tensors.output;
    heads.scale = tensors.scale;
    return heads;
}

SequenceUse useOf(cpu::SequenceReport report) {
    return {report.workspaceBytes, std::move(report.bad), std::move(report.lanes)};
}

/// A quadratic of the logit, factor (l00, l10, l11), as OAL with one group.
Oal quadraticOfLogit(double l00, double l10, double l11, double epsilon, Index dim) {
    return asOal(GlobalQuadratic{{l00, l10, l11}, epsilon}, dim);
}

/// The kernels that are quadratic in the logit or in sums over groups of dimensions, as OAL.
struct AsOal {
    Index dim;
    std::optional<Oal> operator()(const Taylor&) const { return quadraticOfLogit(1.0, 0.5, 0.5, 0.0, dim); }
    std::optional<Oal> operator()(const Based&) const { return quadraticOfLogit(1.0, 0.5, 0.5, 0.0, dim); }
    std::optional<Oal> operator()(const GlobalQuadratic& spec) const { return asOal(spec, dim); }
    std::optional<Oal> operator()(const Oal& spec) const { return spec; }
    std::optional<Oal> operator()(const Power& spec) const {
        if (spec.exponent != 2) return std::nullopt;
        return quadraticOfLogit(0.0, 0.0, 1.0, 0.0, dim);
    }
    template <class Other>
    std::optional<Oal> operator()(const Other&) const {
        return std::nullopt;
    }
};

SequenceOperator exactOperator(cpu::WorkerPool& pool) {
    return [&pool](const SequenceTensors& tensors, const RunControl& control) {
        return useOf(cpu::attendExact(headsOf(tensors), pool, control));
    };
}

SequenceOperator quadraticOperator(std::vector<KernelSpec> heads, cpu::WorkerPool& pool) {
    return [heads = std::move(heads), &pool](const SequenceTensors& tensors, const RunControl& control) {
        std::vector<Oal> specs;
        for (const KernelSpec& head : heads) specs.push_back(*std::visit(AsOal{tensors.query.front().cols()}, head));
        return useOf(cpu::attendQuadratic(headsOf(tensors), specs, nullptr, pool, control));
    };
}

}  // namespace

struct SequenceOperators::Threads {
    cpu::WorkerPool pool;
};

SequenceOperators::SequenceOperators(int threads) : threads_(new Threads{cpu::WorkerPool(threads)}) {}
SequenceOperators::~SequenceOperators() = default;
int SequenceOperators::threads() const { return threads_->pool.threads(); }

SequenceOperator SequenceOperators::make(std::span<const KernelSpec> heads) {
    if (heads.empty()) return {};
    if (std::holds_alternative<Softmax>(heads.front())) return exactOperator(threads_->pool);
    if (std::visit(AsOal{1}, heads.front())) return quadraticOperator({heads.begin(), heads.end()}, threads_->pool);
    return {};
}

}  // namespace dimscope::kernels
