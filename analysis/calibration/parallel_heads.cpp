// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/parallel_heads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dimscope::analysis {

void forEachHead(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t n = next++; n < count; n = next++) body(n);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t wanted = threads > 0 ? static_cast<std::size_t>(threads) : cores;
    std::vector<std::thread> helpers;
    for (std::size_t n = 1; n < std::min(wanted, count); ++n) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dimscope::analysis
