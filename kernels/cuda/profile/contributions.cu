// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/profile/contributions.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kSumThreads = 64, kWalkColumns = 32, kWalkWarps = 16, kWalkThreads = kWalkColumns * kWalkWarps;
constexpr int kRunPositions = static_cast<int>(kChunkPositions) / kWalkWarps;  // of a warp

/// What stands in `sums` of a chunk: of the keys there at first, of all before it once prefixes are made. Squares and
/// centred sums are about the first key of the prompt, so that no digits of a part common to all keys cancel.
enum KeySum : int { kAbsolute, kLargest, kCentred, kSquares, kKeySums };

template <class Task>
__device__ bool isValid(const Task& task, std::int64_t i) {
    return !task.valid || task.valid[i] != 0;
}
template <class Task>
__device__ bool isQuery(const Task& task, std::int64_t i) {
    return i >= task.firstQuery && i < task.endQuery && isValid(task, i);
}
template <class Task>
__device__ double* sumOf(const Task& task, std::int64_t chunk, int which) {
    return task.sums + (chunk * kKeySums + which) * task.dim;
}
template <class Task>
__device__ std::int64_t chunksOf(const Task& task) {
    return blocksFor(task.positions, kChunkPositions);
}
template <class Task>
__device__ double centreOf(const Task& task, int c) {
    return static_cast<double>(task.key[task.firstKey * task.dim + c]);
}

/// Sums over a run of keys of one column.
struct KeyRun {
    double count = 0.0, absolute = 0.0, centred = 0.0, squares = 0.0;

    template <class Task>
    __device__ static KeyRun before(const Task& task, std::int64_t chunk, int c) {
        return {task.counts[chunk], sumOf(task, chunk, kAbsolute)[c], sumOf(task, chunk, kCentred)[c],
                sumOf(task, chunk, kSquares)[c]};
    }
    template <class Task>
    __device__ void store(const Task& task, std::int64_t chunk, int c) const {
        if (c == 0) task.counts[chunk] = count;
        sumOf(task, chunk, kAbsolute)[c] = absolute;
        sumOf(task, chunk, kCentred)[c] = centred;
        sumOf(task, chunk, kSquares)[c] = squares;
    }
    /// Of the keys before `position`.
    template <class Task>
    __device__ static KeyRun until(const Task& task, std::int64_t position, int c, double centre) {
        const std::int64_t chunk = position / kChunkPositions;
        KeyRun run = before(task, chunk, c);
        for (std::int64_t j = chunk * kChunkPositions; j < position; ++j) run.add(task, j, c, centre);
        return run;
    }
    template <class Task>
    __device__ void add(const Task& task, std::int64_t j, int c, double centre) {
        if (isValid(task, j)) add(static_cast<double>(task.key[j * task.dim + c]), centre);
    }
    __device__ void add(double value, double centre) {
        const double k = value - centre;
        count += 1.0;
        absolute += fabs(value);
        centred += k;
        squares += k * k;
    }
    __device__ void add(const KeyRun& other) {
        count += other.count;
        absolute += other.absolute;
        centred += other.centred;
        squares += other.squares;
    }
    __device__ KeyRun operator-(const KeyRun& other) const {
        return {count - other.count, absolute - other.absolute, centred - other.centred, squares - other.squares};
    }
    __device__ double deviation() const {
        const double inverse = 1.0 / count, mean = centred * inverse;
        return sqrt(fmax(squares * inverse - mean * mean, 0.0));
    }
};

template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) sumChunks(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto task = ownTask(tasks);
    const std::int64_t chunk = blockIdx.x - task.firstBlock, first = chunk * kChunkPositions;
    const std::int64_t end = min(first + kChunkPositions, task.positions);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        const double centre = centreOf(task, c);
        KeyRun run;
        double largest = 0.0;
#pragma unroll 8
        for (std::int64_t j = first; j < end; ++j) {
            if (!isValid(task, j)) continue;
            const double k = static_cast<double>(task.key[j * task.dim + c]);
            run.add(k, centre);
            largest = fmax(largest, fabs(k));
        }
        sumOf(task, chunk, kLargest)[c] = largest;
        run.store(task, chunk, c);
    }
}

/// The sums before each chunk, of all keys behind the last; magnitudes of k for every head.
template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) concludeKeys(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto task = ownTask(tasks);
    const std::int64_t chunks = chunksOf(task);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        KeyRun before;
        double largest = 0.0;
#pragma unroll 4
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            const KeyRun own = KeyRun::before(task, chunk, c);
            largest = fmax(largest, sumOf(task, chunk, kLargest)[c]);
            before.store(task, chunk, c);
            before.add(own);
        }
        before.store(task, chunks, c);
        for (int head = 0; head < task.heads; ++head) {
            double* out = task.out + head * kProfileColumns * task.dim + c;
            out[static_cast<int>(ProfileColumn::KeyMean) * task.dim] = before.absolute / task.keys;
            out[static_cast<int>(ProfileColumn::KeyMax) * task.dim] = largest;
        }
    }
}

/// What every position of a chunk sees, (positions, columns): sums of |k|, and deviations of k at queries.
struct SeenKeys {
    double absolute[kChunkPositions][kWalkColumns], deviation[kChunkPositions][kWalkColumns];
};

/// A lane has a column, a warp a run of positions: the sums of all runs first, then a walk along each from there.
template <class Task>
__device__ void walkKeys(const Task& task, std::int64_t chunk, int c, SeenKeys& seen) {
    __shared__ KeyRun runs[kWalkWarps][kWalkColumns];
    const int column = static_cast<int>(threadIdx.x) % kWalkColumns,
              warp = static_cast<int>(threadIdx.x) / kWalkColumns;
    const std::int64_t chunkFirst = chunk * kChunkPositions, first = chunkFirst + warp * kRunPositions;
    const std::int64_t end = min(first + kRunPositions, task.positions);
    const bool inside = c < task.dim;
    const double centre = inside ? centreOf(task, c) : 0.0;
    double keys[kRunPositions];
    bool counts[kRunPositions];
#pragma unroll
    for (int n = 0; n < kRunPositions; ++n) {
        counts[n] = inside && task.causal && first + n < end && isValid(task, first + n);
        keys[n] = counts[n] ? static_cast<double>(task.key[(first + n) * task.dim + c]) : 0.0;
    }
    KeyRun own;
#pragma unroll
    for (int n = 0; n < kRunPositions; ++n)
        if (counts[n]) own.add(keys[n], centre);
    runs[warp][column] = own;
    __syncthreads();
    if (!inside || first >= end) return;
    KeyRun visible = KeyRun::before(task, task.causal ? chunk : chunksOf(task), c), gone;
    for (int w = 0; w < warp; ++w) visible.add(runs[w][column]);
    const bool slides = task.causal && task.window > 0;
    if (slides && first > task.window) gone = KeyRun::until(task, first - task.window, c, centre);
#pragma unroll
    for (int n = 0; n < kRunPositions; ++n) {
        const std::int64_t i = first + n;
        if (i >= end) break;
        if (counts[n]) visible.add(keys[n], centre);
        if (slides && i >= task.window) gone.add(task, i - task.window, c, centre);
        const KeyRun left = visible - gone;
        seen.absolute[i - chunkFirst][column] = left.absolute;
        seen.deviation[i - chunkFirst][column] = isQuery(task, i) ? left.deviation() : 0.0;
    }
}

/// Sums of |q|, its largest, and the two contributions of a head over every other warp's share of a chunk.
struct QuerySums {
    double mean = 0.0, chi = 0.0, effective = 0.0, largest = 0.0;

    template <class Task, class Query>
    __device__ void addRun(const Task& task, const Query* query, std::int64_t chunkFirst, int from, int to, int c,
                           const SeenKeys& seen, int column) {
        constexpr int kAtOnce = 8;
        Query top = 0;
        for (int n = from; n < to; n += kAtOnce) {
            Query entries[kAtOnce];
#pragma unroll
            for (int m = 0; m < kAtOnce; ++m) {
                const std::int64_t i = chunkFirst + n + m;
                entries[m] = n + m < to && isQuery(task, i) ? query[i * task.dim + c] : Query(0);
            }
#pragma unroll
            for (int m = 0; m < kAtOnce; ++m) {
                if (n + m >= to) break;
                const double q = fabs(static_cast<double>(entries[m]));
                mean += q;
                top = max(top, abs(entries[m]));
                chi += q * seen.absolute[n + m][column];
                effective += q * seen.deviation[n + m][column];
            }
        }
        largest = static_cast<double>(top);
    }
    __device__ void add(const QuerySums& other) {
        mean += other.mean;
        largest = fmax(largest, other.largest);
        chi += other.chi;
        effective += other.effective;
    }
};

/// Two warps share a head, each with one half of the chunk.
template <class Query, class Key>
__global__ void __launch_bounds__(kWalkThreads, 2) walk(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    extern __shared__ double memory[];
    __shared__ QuerySums halves[kWalkWarps][kWalkColumns];
    constexpr int kHeadsAtOnce = kWalkWarps / 2, kHalf = static_cast<int>(kChunkPositions) / 2;
    SeenKeys& seen = *reinterpret_cast<SeenKeys*>(memory);
    const auto task = ownTask(tasks);
    const std::int64_t block = blockIdx.x - task.firstBlock, chunks = chunksOf(task), chunk = block % chunks;
    const int column = static_cast<int>(threadIdx.x) % kWalkColumns,
              warp = static_cast<int>(threadIdx.x) / kWalkColumns;
    const int c = static_cast<int>(block / chunks) * kWalkColumns + column;
    walkKeys(task, chunk, c, seen);
    const std::int64_t chunkFirst = chunk * kChunkPositions;
    const int size = static_cast<int>(min(kChunkPositions, task.positions - chunkFirst));
    for (int first = 0; first < task.heads; first += kHeadsAtOnce) {
        const int head = first + warp / 2, half = warp % 2;
        QuerySums sums;
        __syncthreads();
        if (head < task.heads && c < task.dim)
            sums.addRun(task, task.queries[head], chunkFirst, half * kHalf, min((half + 1) * kHalf, size), c, seen,
                        column);
        halves[warp][column] = sums;
        __syncthreads();
        if (half == 1 || head >= task.heads || c >= task.dim) continue;
        sums.add(halves[warp + 1][column]);
        double* out = task.headSums + (chunk * task.heads + head) * 4 * task.dim + c;
        out[0] = sums.mean;
        out[task.dim] = sums.largest;
        out[2 * task.dim] = sums.chi;
        out[3 * task.dim] = sums.effective;
    }
}

/// One block per head.
template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) concludeQueries(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto task = ownTask(tasks);
    const std::int64_t chunks = chunksOf(task), head = blockIdx.x - task.firstBlock;
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        QuerySums sums;
#pragma unroll 8
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            const double* own = task.headSums + (chunk * task.heads + head) * 4 * task.dim + c;
            sums.add({own[0], own[2 * task.dim], own[3 * task.dim], own[task.dim]});
        }
        double* out = task.out + head * kProfileColumns * task.dim + c;
        out[static_cast<int>(ProfileColumn::QueryMean) * task.dim] = sums.mean / task.queryCount;
        out[static_cast<int>(ProfileColumn::QueryMax) * task.dim] = sums.largest;
        out[static_cast<int>(ProfileColumn::Chi) * task.dim] = sums.chi * (task.scales[head] / task.pairs);
        out[static_cast<int>(ProfileColumn::ChiEffective) * task.dim] =
            sums.effective * (task.scales[head] / task.queryCount);
    }
}

}  // namespace

std::int64_t countsOf(std::int64_t positions) { return chunkBlocks(positions) + 1; }
std::int64_t sumsOf(std::int64_t positions, int dim) { return (chunkBlocks(positions) + 1) * kKeySums * dim; }
std::int64_t headSumsOf(std::int64_t positions, int heads, int dim) { return chunkBlocks(positions) * heads * 4 * dim; }
std::int64_t chunkBlocks(std::int64_t positions) { return blocksFor(positions, kChunkPositions); }
std::int64_t walkBlocks(std::int64_t positions, int dim) {
    return chunkBlocks(positions) * blocksFor(dim, kWalkColumns);
}

template <class Query, class Key>
void launchContributions(const DealtContributions<Query, Key>& tasks, cudaStream_t stream) {
    if (tasks.byTask.blocks == 0) return;
    const auto blocks = [](const auto& dealt) { return static_cast<unsigned>(dealt.blocks); };
    check(cudaFuncSetAttribute(walk<Query, Key>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(SeenKeys)),
          "asking for shared memory");
    sumChunks<<<blocks(tasks.byChunk), kSumThreads, 0, stream>>>(tasks.byChunk);
    concludeKeys<<<blocks(tasks.byTask), kSumThreads, 0, stream>>>(tasks.byTask);
    walk<<<blocks(tasks.byWalk), kWalkThreads, sizeof(SeenKeys), stream>>>(tasks.byWalk);
    concludeQueries<<<blocks(tasks.byHead), kSumThreads, 0, stream>>>(tasks.byHead);
    check(cudaGetLastError(), "summing contributions");
}

template void launchContributions(const DealtContributions<float, float>&, cudaStream_t);
template void launchContributions(const DealtContributions<float, double>&, cudaStream_t);
template void launchContributions(const DealtContributions<double, float>&, cudaStream_t);
template void launchContributions(const DealtContributions<double, double>&, cudaStream_t);

}  // namespace dimscope::kernels::cuda
