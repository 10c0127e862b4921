// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace dimscope::kernels::cuda {

// Many small tasks of one kind run as one launch: task t has the blocks from its firstBlock on, and a block finds its
// task by bisection. A task is a plain struct with a member firstBlock.

template <class Task>
class TaskList {
public:
    void add(Task task, std::int64_t blocks) {
        if (blocks == 0) return;
        task.firstBlock = blocks_;
        blocks_ += blocks;
        tasks_.push_back(task);
    }
    const std::vector<Task>& tasks() const { return tasks_; }
    std::int64_t blocks() const { return blocks_; }
    std::size_t bytes() const { return tasks_.size() * sizeof(Task); }
    /// Back to the first `count` tasks.
    void shrink(std::size_t count) {
        if (count < tasks_.size()) blocks_ = tasks_[count].firstBlock;
        tasks_.resize(count);
    }

private:
    std::vector<Task> tasks_;
    std::int64_t blocks_ = 0;
};

/// Tasks of a launch, in device memory.
template <class Task>
struct DeviceTasks {
    const Task* data = nullptr;
    int count = 0;
    std::int64_t blocks = 0;
};

#ifdef __CUDACC__
/// The task that this block works on. Take a copy: what a thread reads through it would be read again after each write.
template <class Task>
__device__ const Task& ownTask(const DeviceTasks<Task>& tasks) {
    int low = 0, high = tasks.count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (tasks.data[middle].firstBlock <= blockIdx.x ? low : high) = middle;
    }
    return tasks.data[low];
}
#endif

constexpr std::int64_t blocksFor(std::int64_t items, std::int64_t perBlock) {
    return (items + perBlock - 1) / perBlock;
}

}  // namespace dimscope::kernels::cuda
