// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace dimscope::kernels::cpu {

struct WorkerPool::Impl {
    explicit Impl(int threads) : size(threads), pool(std::max(threads - 1, 1)) {}
    int size;
    Eigen::ThreadPool pool;  // the calling thread works too
};

WorkerPool::WorkerPool(int threads)
    : impl_(std::make_unique<Impl>(threads > 0 ? threads
                                               : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())))) {
}

WorkerPool::~WorkerPool() = default;

int WorkerPool::threads() const { return impl_->size; }

void WorkerPool::run(Index count, const RunControl& control, const std::function<void(Index)>& body) {
    std::atomic<Index> next{0}, done{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (Index n = next++; n < count; n = next++) {
                control.throwIfCancelled();
                body(n);
                control.report(static_cast<float>(++done) / static_cast<float>(count));
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const auto helpers = static_cast<unsigned>(std::min<Index>(impl_->size, count) - 1);
    if (count <= 1 || helpers == 0) {
        work();
    } else {
        Eigen::Barrier barrier(helpers);
        for (unsigned n = 0; n < helpers; ++n)
            impl_->pool.Schedule([&work, &barrier] {
                work();
                barrier.Notify();
            });
        work();
        barrier.Wait();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dimscope::kernels::cpu
