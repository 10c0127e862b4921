// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/sequence_operators.h"

#include <algorithm>
#include <optional>

#include "kernels/cpu/operator/sequence.h"
#include "kernels/state/sequence_attention.h"

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

/// One query head on the state path, written to its output.
class StateHead {
public:
    StateHead(const SequenceTensors& tensors, std::size_t head, const KernelSpec& spec)
        : output_(tensors.output[head]), isFloat_(state::fitsFloat(spec)) {
        const std::size_t kv = head / (tensors.query.size() / tensors.key.size());
        job_.head.query = tensors.query[head];
        job_.head.key = tensors.key[kv];
        job_.head.value = tensors.value[kv];
        job_.head.scale = tensors.scale;
        job_.kernel = spec;
        job_.state = &state_;
    }
    std::vector<Index> run(const RunControl& control) {
        const SequenceOutput out =
            isFloat_ ? state::attendSequence<float>(job_, control) : state::attendSequence<double>(job_, control);
        std::vector<Index> bad;
        for (Index r = 0; r < out.values.rows(); ++r) {
            if (out.bad[static_cast<std::size_t>(r)] != 0) bad.push_back(r);
            for (Index c = 0; c < out.values.cols(); ++c) output_(r, c) = static_cast<float>(out.values(r, c));
        }
        return bad;
    }
    /// The sums, a copy of the tokens, the features of a chunk's queries and keys, and the outputs in double.
    std::size_t bytes() const {
        const Index number = isFloat_ ? static_cast<Index>(sizeof(float)) : static_cast<Index>(sizeof(double));
        const Index tokens = job_.head.rows() * (2 * job_.head.headDim() + job_.head.valueDim());
        const Index features = 2 * job_.chunk * state_.sums().rows();
        return state_.bytes() + static_cast<std::size_t>(number * (tokens + features)) +
               static_cast<std::size_t>(job_.head.rows() * job_.head.valueDim()) * sizeof(double);
    }

private:
    MatrixSpan<float> output_;
    bool isFloat_;
    SequenceState state_;
    SequenceJob job_;
};

/// The linear-time path of kernels/state, head by head.
SequenceOperator stateOperator(std::vector<KernelSpec> specs, cpu::WorkerPool& pool) {
    return [specs = std::move(specs), &pool](const SequenceTensors& tensors, const RunControl& control) {
        SequenceUse use;
        use.bad.resize(specs.size());
        use.detail = "state path";
        std::vector<std::size_t> bytes(specs.size());
        pool.run(static_cast<Index>(specs.size()), control, [&](Index n) {
            const auto head = static_cast<std::size_t>(n);
            StateHead run(tensors, head, specs[head]);
            use.bad[head] = run.run(control.slice(0.0F, 0.0F));
            bytes[head] = run.bytes();
        });
        const auto atOnce = std::min(bytes.size(), static_cast<std::size_t>(pool.threads()));
        use.workspaceBytes = atOnce * *std::max_element(bytes.begin(), bytes.end());
        return use;
    };
}

bool hasStatePath(const KernelSpec& spec) {
    HeadInputs causal;
    return linearTime(spec, {}, causal).supported;
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
    if (hasStatePath(heads.front())) return stateOperator({heads.begin(), heads.end()}, threads_->pool);
    return {};
}

}  // namespace dimscope::kernels
