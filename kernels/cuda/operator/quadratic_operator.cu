// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/operator/quadratic_operator.h"

#include <algorithm>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/operator/prepare_keys.cuh"
#include "kernels/cuda/operator/quadratic_plan.h"
#include "kernels/cuda/operator/readout.cuh"
#include "kernels/cuda/operator/state_walk.cuh"

namespace dimscope::kernels::cuda {
namespace {

/// What the states and prepared keys of a slab may take.
constexpr std::int64_t kSlabBytes = 76LL << 20;
/// Up to here a new sequence goes by pairs alone: a readout costs as much as about a thousand pairs.
constexpr std::int64_t kPairsOnly = 1024;
constexpr std::int64_t kWord = sizeof(std::uint32_t);

/// How a sequence is cut.
struct Cut {
    int chunkBlocks;          ///< kChunk tokens each
    std::int64_t slabChunks;  ///< of chunkBlocks

    std::int64_t chunk() const { return std::int64_t{chunkBlocks} * kChunk; }
    std::int64_t slab() const { return slabChunks * chunk(); }
};

constexpr std::int64_t bytesPerBlock() {
    return kWord * (kChunk / 8 * kKeyTileWords + kChunk / kTile * (kTransposedWords + kStepWords)) + sizeof(float);
}

Cut cutOf(std::int64_t rows, int kvHeads) {
    Cut cut{kvHeads < 4 ? 1 : 2, 0};
    const std::int64_t chunkBytes = kvHeads * (kWord * kSteps * kStepWords + cut.chunkBlocks * bytesPerBlock());
    const std::int64_t most = std::max<std::int64_t>(kSlabBytes / chunkBytes, 2 * kPairsOnly / cut.chunk());
    const std::int64_t chunks = std::max<std::int64_t>((rows + cut.chunk() - 1) / cut.chunk(), 1);
    const std::int64_t slabs = (chunks + most - 1) / most;
    cut.slabChunks = (chunks + slabs - 1) / slabs;
    return cut;
}

void checkSequence(const DeviceSequence& sequence, std::size_t heads, int group) {
    if (static_cast<std::size_t>(sequence.queryHeads) != heads || sequence.kvHeads * group != sequence.queryHeads)
        throw ShapeError(std::to_string(sequence.queryHeads) + " query heads and " + std::to_string(sequence.kvHeads) +
                         " KV heads, the operator was made for " + std::to_string(heads) + " and " +
                         std::to_string(heads / static_cast<std::size_t>(group)));
    if (sequence.valueDim < 1 || sequence.valueDim > kDim)
        throw ShapeError("value_dim " + std::to_string(sequence.valueDim) + ", expected 1 to " + std::to_string(kDim));
}

}  // namespace

struct QuadraticState::Content {
    explicit Content(int kvHeads)
        : scaling(static_cast<std::size_t>(kvHeads)), sums(static_cast<std::size_t>(kvHeads) * kSumNumbers) {}
    DeviceMemory<KeyScaling> scaling;
    DeviceMemory<float> sums;
    std::int64_t positions = 0;
};

QuadraticState::QuadraticState() = default;
QuadraticState::QuadraticState(QuadraticState&&) noexcept = default;
QuadraticState& QuadraticState::operator=(QuadraticState&&) noexcept = default;
QuadraticState::~QuadraticState() = default;
std::int64_t QuadraticState::positions() const { return content_ ? content_->positions : 0; }

struct QuadraticOperator::Workspace {
    Workspace(std::span<const Oal> specs, int kvHeads, double scale)
        : plan(planQuadratic(specs, kvHeads, scale)),
          heads(std::span<const HeadPlan>(plan.heads)),
          kv(std::span<const KvPlan>(plan.kv)),
          dims(static_cast<int>(specs.front().label.size())),
          own(kvHeads),
          sumsAfter(static_cast<std::size_t>(kvHeads) * kSumNumbers),
          segments(static_cast<std::size_t>(kvHeads * segmentsOf(kvHeads)) * kSumNumbers) {}

    void fit(const Cut& cut, int kvHeads) {
        const auto blocks = static_cast<std::size_t>(kvHeads * cut.slabChunks * cut.chunkBlocks);
        const auto states = static_cast<std::size_t>(kvHeads * cut.slabChunks) * kSteps * kStepWords;
        if (largestSquare.size() >= blocks && before.size() >= states) return;
        keyTiles = DeviceMemory<std::uint32_t>(blocks * kChunk / 8 * kKeyTileWords);
        transposed = DeviceMemory<std::uint32_t>(blocks * kChunk / kTile * kTransposedWords);
        values = DeviceMemory<std::uint32_t>(blocks * kChunk / kTile * kStepWords);
        largestSquare = DeviceMemory<float>(blocks);
        before = DeviceMemory<std::uint32_t>(states);
    }
    void walk(const ReadoutJob& job, QuadraticState::Content& carried, cudaStream_t stream) {
        SlabStates states;
        states.before = before.data();
        states.begin = carried.sums.data();
        states.end = sumsAfter.data();
        states.segments = segments.data();
        states.chunkBlocks = job.chunkBlocks;
        states.stored = job.stored;
        walkStates(job.prepared, states, job.sequence.kvHeads, carried.positions, job.fromChunk, stream);
        std::swap(carried.sums, sumsAfter);
    }
    PreparedKeys prepared(std::int64_t tokens) const {
        return {keyTiles.data(), transposed.data(), values.data(), largestSquare.data(), tokens};
    }

    QuadraticPlan plan;
    DeviceMemory<HeadPlan> heads;
    DeviceMemory<KvPlan> kv;
    int dims;
    QuadraticState::Content own;  ///< of a sequence without a carried state
    DeviceMemory<std::uint32_t> keyTiles, transposed, values, before;
    DeviceMemory<float> largestSquare, sumsAfter, segments;
};

QuadraticOperator::QuadraticOperator(std::span<const Oal> heads, int kvHeads, double scale)
    : workspace_(std::make_unique<Workspace>(heads, kvHeads, scale)) {}
QuadraticOperator::~QuadraticOperator() = default;

std::size_t QuadraticOperator::workspaceBytes() const {
    const Workspace& w = *workspace_;
    return w.heads.bytes() + w.kv.bytes() + w.own.scaling.bytes() + w.own.sums.bytes() + w.sumsAfter.bytes() +
           w.segments.bytes() + w.keyTiles.bytes() + w.transposed.bytes() + w.values.bytes() + w.before.bytes() +
           w.largestSquare.bytes();
}

void QuadraticOperator::run(const DeviceSequence& sequence, std::uint8_t* bad, QuadraticState* state,
                            cudaStream_t stream, const RunControl& control) {
    Workspace& w = *workspace_;
    checkSequence(sequence, w.plan.heads.size(), w.plan.group);
    if (sequence.headDim != w.dims)
        throw ShapeError("head_dim " + std::to_string(sequence.headDim) + ", expected " + std::to_string(w.dims));
    if (sequence.rows == 0) return;
    const Cut cut = cutOf(sequence.rows, sequence.kvHeads);
    w.fit(cut, sequence.kvHeads);
    if (state && !state->content_) state->content_ = std::make_unique<QuadraticState::Content>(sequence.kvHeads);
    QuadraticState::Content& carried = state ? *state->content_ : w.own;
    if (!state) carried.positions = 0;
    const bool fresh = carried.positions == 0;
    if (fresh) {
        measureKeys(sequence, w.kv.data(), carried.scaling.data(), stream);
        check(cudaMemsetAsync(carried.sums.data(), 0, carried.sums.bytes(), stream), "clearing a state");
    }
    for (std::int64_t first = 0; first < sequence.rows; first += cut.slab()) {
        control.throwIfCancelled();
        ReadoutJob job;
        job.sequence = sequence;
        job.heads = w.heads.data();
        job.kv = w.kv.data();
        job.scaling = carried.scaling.data();
        job.first = first;
        job.count = std::min(cut.slab(), sequence.rows - first);
        job.prepared = w.prepared((job.count + cut.chunk() - 1) / cut.chunk() * cut.chunk());
        job.before = w.before.data();
        job.chunkBlocks = cut.chunkBlocks;
        job.stored = static_cast<int>(job.prepared.tokens / cut.chunk());
        job.fromChunk = fresh && first == 0 ? static_cast<int>(kPairsOnly / kChunk) : 0;
        job.position = carried.positions;
        job.mostSlices = w.plan.mostSlices;
        job.correlatedBlock = w.plan.correlatedBlock;
        job.bad = bad;
        check(cudaMemsetAsync(w.largestSquare.data(), 0, w.largestSquare.bytes(), stream), "clearing key norms");
        prepareKeys(sequence, first, job.count, w.kv.data(), job.scaling, job.prepared, stream);
        const bool last = first + cut.slab() >= sequence.rows;
        if (state || !last || job.prepared.tokens > job.fromChunk * kChunk) w.walk(job, carried, stream);
        readOut(job, stream);
        check(cudaGetLastError(), "starting the quadratic operator");
        carried.positions += job.count;
        control.report(static_cast<float>(first + job.count) / static_cast<float>(sequence.rows));
    }
}

}  // namespace dimscope::kernels::cuda
