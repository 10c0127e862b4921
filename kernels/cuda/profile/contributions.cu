// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/profile/contributions.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kSumThreads = 128, kWalkColumns = 64, kWalkHeads = 8, kWalkThreads = kWalkColumns * kWalkHeads;
constexpr int kWalkTile = 16;

/// What stands in `sums` of a chunk: of the keys there at first, of all before it once prefixes are made. Squares and
/// centred sums are about the mean key of the prompt, so that no digits cancel.
enum KeySum : int { kPlain, kAbsolute, kLargest, kSquares, kKeySums };
constexpr int kCentred = kPlain;  // takes its place when the mean is known

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
/// The mean key stands behind the last chunk.
template <class Task>
__device__ double* meanOf(const Task& task) {
    return sumOf(task, chunksOf(task), kLargest);
}

template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) sumChunks(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto& task = ownTask(tasks);
    const std::int64_t chunk = blockIdx.x - task.firstBlock, first = chunk * kChunkPositions;
    const std::int64_t end = min(first + kChunkPositions, task.positions);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        double plain = 0.0, absolute = 0.0, largest = 0.0, count = 0.0;
        for (std::int64_t j = first; j < end; ++j) {
            if (!isValid(task, j)) continue;
            const double k = static_cast<double>(task.key[j * task.dim + c]);
            plain += k;
            absolute += fabs(k);
            largest = fmax(largest, fabs(k));
            count += 1.0;
        }
        sumOf(task, chunk, kPlain)[c] = plain;
        sumOf(task, chunk, kAbsolute)[c] = absolute;
        sumOf(task, chunk, kLargest)[c] = largest;
        if (c == 0) task.counts[chunk] = count;
    }
}

/// Of |k| and the counts; the mean key; magnitudes of k for every head.
template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) concludeKeys(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto& task = ownTask(tasks);
    const std::int64_t chunks = chunksOf(task);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        double plain = 0.0, absolute = 0.0, largest = 0.0, count = 0.0;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            plain += sumOf(task, chunk, kPlain)[c];
            largest = fmax(largest, sumOf(task, chunk, kLargest)[c]);
            double& own = sumOf(task, chunk, kAbsolute)[c];
            const double here = own;
            own = absolute;
            absolute += here;
            if (c == 0) {
                const double counted = task.counts[chunk];
                task.counts[chunk] = count;
                count += counted;
            }
        }
        sumOf(task, chunks, kAbsolute)[c] = absolute;
        meanOf(task)[c] = plain / fmax(task.keys, 1.0);
        if (c == 0) task.counts[chunks] = count;
        for (int head = 0; head < task.heads; ++head) {
            double* out = task.out + head * kProfileColumns * task.dim + c;
            out[static_cast<int>(ProfileColumn::KeyMean) * task.dim] = absolute / task.keys;
            out[static_cast<int>(ProfileColumn::KeyMax) * task.dim] = largest;
        }
    }
}

template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) sumCentredChunks(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto& task = ownTask(tasks);
    const std::int64_t chunk = blockIdx.x - task.firstBlock, first = chunk * kChunkPositions;
    const std::int64_t end = min(first + kChunkPositions, task.positions);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads) {
        const double mean = meanOf(task)[c];
        double centred = 0.0, squares = 0.0;
        for (std::int64_t j = first; j < end; ++j) {
            if (!isValid(task, j)) continue;
            const double k = static_cast<double>(task.key[j * task.dim + c]) - mean;
            centred += k;
            squares += k * k;
        }
        sumOf(task, chunk, kCentred)[c] = centred;
        sumOf(task, chunk, kSquares)[c] = squares;
    }
}

template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) prefixCentred(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto& task = ownTask(tasks);
    const std::int64_t chunks = chunksOf(task);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kSumThreads)
        for (const int which : {static_cast<int>(kCentred), static_cast<int>(kSquares)}) {
            double before = 0.0;
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
                double& own = sumOf(task, chunk, which)[c];
                const double here = own;
                own = before;
                before += here;
            }
            sumOf(task, chunks, which)[c] = before;
        }
}

/// Sums over a run of keys of one column.
struct KeyRun {
    double count = 0.0, absolute = 0.0, centred = 0.0, squares = 0.0;

    template <class Task>
    __device__ static KeyRun before(const Task& task, std::int64_t chunk, int c) {
        return {task.counts[chunk], sumOf(task, chunk, kAbsolute)[c], sumOf(task, chunk, kCentred)[c],
                sumOf(task, chunk, kSquares)[c]};
    }
    /// Of the keys before `position`.
    template <class Task>
    __device__ static KeyRun until(const Task& task, std::int64_t position, int c, double mean) {
        const std::int64_t chunk = position / kChunkPositions;
        KeyRun run = before(task, chunk, c);
        for (std::int64_t j = chunk * kChunkPositions; j < position; ++j) run.add(task, j, c, mean);
        return run;
    }
    template <class Task>
    __device__ void add(const Task& task, std::int64_t j, int c, double mean) {
        if (!isValid(task, j)) return;
        const double value = static_cast<double>(task.key[j * task.dim + c]), k = value - mean;
        count += 1.0;
        absolute += fabs(value);
        centred += k;
        squares += k * k;
    }
    __device__ KeyRun operator-(const KeyRun& other) const {
        return {count - other.count, absolute - other.absolute, centred - other.centred, squares - other.squares};
    }
    __device__ double deviation() const {
        const double mean = centred / count;
        return sqrt(fmax(squares / count - mean * mean, 0.0));
    }
};

/// The first head's threads walk along the keys of a tile and leave what each position sees; all heads use it.
template <class Query, class Key>
__global__ void __launch_bounds__(kWalkThreads) walk(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    __shared__ double absolute[kWalkTile][kWalkColumns], deviation[kWalkTile][kWalkColumns];
    const auto& task = ownTask(tasks);
    std::int64_t block = blockIdx.x - task.firstBlock;
    const std::int64_t chunks = chunksOf(task), chunk = block % chunks;
    block /= chunks;
    const std::int64_t columnTiles = blocksFor(task.dim, kWalkColumns);
    const int column = static_cast<int>(threadIdx.x) % kWalkColumns,
              c = static_cast<int>(block % columnTiles) * kWalkColumns + column;
    const int walker = static_cast<int>(threadIdx.x) / kWalkColumns;
    const int head = static_cast<int>(block / columnTiles) * kWalkHeads + walker;
    const std::int64_t first = chunk * kChunkPositions, end = min(first + kChunkPositions, task.positions);
    const bool walks = walker == 0 && c < task.dim, works = head < task.heads && c < task.dim;
    const double mean = walks ? meanOf(task)[c] : 0.0;
    const Query* query = works ? task.queries[head] : nullptr;
    KeyRun seen, gone;
    if (walks) {
        seen = KeyRun::before(task, task.causal ? chunk : chunks, c);
        const bool slides = task.causal && task.window > 0 && first > task.window;
        if (slides) gone = KeyRun::until(task, first - task.window, c, mean);
    }
    double queryMean = 0.0, queryMax = 0.0, chi = 0.0, effective = 0.0;
    for (std::int64_t tile = first; tile < end; tile += kWalkTile) {
        const int count = static_cast<int>(min(static_cast<std::int64_t>(kWalkTile), end - tile));
        __syncthreads();
        for (int n = 0; walks && n < count; ++n) {
            const std::int64_t i = tile + n;
            if (task.causal) {
                seen.add(task, i, c, mean);
                if (task.window > 0 && i >= task.window) gone.add(task, i - task.window, c, mean);
            }
            const KeyRun visible = seen - gone;
            absolute[n][column] = visible.absolute;
            deviation[n][column] = isQuery(task, i) ? visible.deviation() : 0.0;
        }
        __syncthreads();
        for (int n = 0; works && n < count; ++n) {
            if (!isQuery(task, tile + n)) continue;
            const double q = fabs(static_cast<double>(query[(tile + n) * task.dim + c]));
            queryMean += q;
            queryMax = fmax(queryMax, q);
            chi += q * absolute[n][column];
            effective += q * deviation[n][column];
        }
    }
    if (!works) return;
    double* out = task.headSums + (chunk * task.heads + head) * 4 * task.dim + c;
    out[0] = queryMean;
    out[task.dim] = queryMax;
    out[2 * task.dim] = chi;
    out[3 * task.dim] = effective;
}

template <class Query, class Key>
__global__ void __launch_bounds__(kSumThreads) concludeQueries(DeviceTasks<ContributionTask<Query, Key>> tasks) {
    const auto& task = ownTask(tasks);
    const std::int64_t chunks = chunksOf(task);
    for (int n = static_cast<int>(threadIdx.x); n < task.heads * task.dim; n += kSumThreads) {
        const int head = n / task.dim, c = n % task.dim;
        double queryMean = 0.0, queryMax = 0.0, chi = 0.0, effective = 0.0;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            const double* own = task.headSums + (chunk * task.heads + head) * 4 * task.dim + c;
            queryMean += own[0];
            queryMax = fmax(queryMax, own[task.dim]);
            chi += own[2 * task.dim];
            effective += own[3 * task.dim];
        }
        double* out = task.out + head * kProfileColumns * task.dim + c;
        out[static_cast<int>(ProfileColumn::QueryMean) * task.dim] = queryMean / task.queryCount;
        out[static_cast<int>(ProfileColumn::QueryMax) * task.dim] = queryMax;
        out[static_cast<int>(ProfileColumn::Chi) * task.dim] = chi * (task.scales[head] / task.pairs);
        out[static_cast<int>(ProfileColumn::ChiEffective) * task.dim] =
            effective * (task.scales[head] / task.queryCount);
    }
}

}  // namespace

std::int64_t countsOf(std::int64_t positions) { return chunkBlocks(positions) + 1; }
std::int64_t sumsOf(std::int64_t positions, int dim) { return (chunkBlocks(positions) + 1) * kKeySums * dim; }
std::int64_t headSumsOf(std::int64_t positions, int heads, int dim) { return chunkBlocks(positions) * heads * 4 * dim; }
std::int64_t chunkBlocks(std::int64_t positions) { return blocksFor(positions, kChunkPositions); }
std::int64_t walkBlocks(std::int64_t positions, int heads, int dim) {
    return chunkBlocks(positions) * blocksFor(dim, kWalkColumns) * blocksFor(heads, kWalkHeads);
}

template <class Query, class Key>
void launchContributions(const DeviceTasks<ContributionTask<Query, Key>>& byChunk,
                         const DeviceTasks<ContributionTask<Query, Key>>& byTask,
                         const DeviceTasks<ContributionTask<Query, Key>>& byWalk, cudaStream_t stream) {
    if (byTask.blocks == 0) return;
    const auto chunks = static_cast<unsigned>(byChunk.blocks), tasks = static_cast<unsigned>(byTask.blocks);
    sumChunks<<<chunks, kSumThreads, 0, stream>>>(byChunk);
    concludeKeys<<<tasks, kSumThreads, 0, stream>>>(byTask);
    sumCentredChunks<<<chunks, kSumThreads, 0, stream>>>(byChunk);
    prefixCentred<<<tasks, kSumThreads, 0, stream>>>(byTask);
    walk<<<static_cast<unsigned>(byWalk.blocks), kWalkThreads, 0, stream>>>(byWalk);
    concludeQueries<<<tasks, kSumThreads, 0, stream>>>(byTask);
    check(cudaGetLastError(), "summing contributions");
}

#define DIMSCOPE_CONTRIBUTIONS(Query, Key)                                                      \
    template void launchContributions(const DeviceTasks<ContributionTask<Query, Key>>& byChunk, \
                                      const DeviceTasks<ContributionTask<Query, Key>>& byTask,  \
                                      const DeviceTasks<ContributionTask<Query, Key>>& byWalk, cudaStream_t)
DIMSCOPE_CONTRIBUTIONS(float, float);
DIMSCOPE_CONTRIBUTIONS(float, double);
DIMSCOPE_CONTRIBUTIONS(double, float);
DIMSCOPE_CONTRIBUTIONS(double, double);
#undef DIMSCOPE_CONTRIBUTIONS

}  // namespace dimscope::kernels::cuda
