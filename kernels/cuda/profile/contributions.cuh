// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/rows/task_list.cuh"

namespace dimscope::kernels::cuda {

/// Columns of `Totals` and of the outputs: magnitudes of q, contributions, and magnitudes of k.
enum class ProfileColumn : int { QueryMean, QueryMax, Chi, ChiEffective, KeyMean, KeyMax };
inline constexpr int kProfileColumns = 6;

/// Query heads that read one key head of one prompt (sections 6 and 13.8 of resources/docs/kernels.md). Positions are
/// cut into chunks: sums of each, their prefixes, and a walk along each chunk from there, all in double.
template <class Query, class Key>
struct ContributionTask {
    const Key* key = nullptr;               ///< (positions, dim)
    const Query* const* queries = nullptr;  ///< (heads) of (positions, dim)
    int heads = 1, dim = 0;
    std::int64_t positions = 0;
    bool causal = true;
    std::int64_t window = 0;
    const std::uint8_t* valid = nullptr;  ///< null: all valid
    std::int64_t firstQuery = 0, endQuery = 0, firstKey = 0;
    double keys = 0.0, queryCount = 0.0, pairs = 0.0;  ///< how many
    const double* scales = nullptr;                    ///< (heads)
    double* counts = nullptr;                          ///< (chunks + 1) valid keys of each, then before each
    double* sums = nullptr;                            ///< (chunks + 1, 4, dim) KeySum of each, then before each
    double* headSums = nullptr;                        ///< (chunks, heads, 4, dim)
    double* out = nullptr;                             ///< (heads, kProfileColumns, dim)
    std::int64_t firstBlock = 0;
};

inline constexpr std::int64_t kChunkPositions = 128;

/// Scratch memory of a task in doubles.
std::int64_t countsOf(std::int64_t positions);
std::int64_t sumsOf(std::int64_t positions, int dim);
std::int64_t headSumsOf(std::int64_t positions, int heads, int dim);

/// The same tasks in device memory, dealt out to blocks in four ways.
template <class Query, class Key>
struct DealtContributions {
    using Tasks = DeviceTasks<ContributionTask<Query, Key>>;
    Tasks byChunk, byTask, byWalk, byHead;
};

/// Blocks of a task: one per chunk; one per chunk and columns of the walk.
std::int64_t chunkBlocks(std::int64_t positions);
std::int64_t walkBlocks(std::int64_t positions, int dim);

/// All steps.
template <class Query, class Key>
void launchContributions(const DealtContributions<Query, Key>& tasks, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
