// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace dimscope::tests {
namespace {

using namespace kernels;
using kernels::cpu::WorkerPool;

TEST(WorkerPool, RunsEveryTaskOnce) {
    for (const int threads : {1, 2, 5}) {
        WorkerPool pool(threads);
        for (const Index count : {0, 1, 2, 100}) {
            std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
            pool.run(count, {}, [&](Index n) { ++hits[static_cast<std::size_t>(n)]; });
            for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1) << threads << " threads, " << count << " tasks";
        }
    }
}

TEST(WorkerPool, TheFirstExceptionComesOut) {
    WorkerPool pool(3);
    EXPECT_THROW(pool.run(50, {},
                          [](Index n) {
                              if (n == 7) throw std::runtime_error("seven");
                          }),
                 std::runtime_error);
    std::atomic<int> done{0};
    pool.run(10, {}, [&](Index) { ++done; });  // and the pool still works
    EXPECT_EQ(done.load(), 10);
}

TEST(WorkerPool, CancelStopsBetweenTasks) {
    WorkerPool pool(2);
    const RunControl control;
    std::atomic<int> done{0};
    EXPECT_THROW(pool.run(1000, control,
                          [&](Index) {
                              if (++done == 5) control.cancel();
                          }),
                 Cancelled);
    EXPECT_LT(done.load(), 20);
}

TEST(WorkerPool, ReportsTheFractionDone) {
    WorkerPool pool(2);
    const RunControl control;
    pool.run(8, control.slice(0.0F, 0.5F), [](Index) {});
    EXPECT_FLOAT_EQ(control.progress(), 0.5F);
}

}  // namespace
}  // namespace dimscope::tests
