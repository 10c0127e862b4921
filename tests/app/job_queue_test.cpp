// SPDX-License-Identifier: GPL-3.0-or-later
// One test for each guarantee of the border between window and computation, and a few for what follows from them.
#include "app/core/job_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

#include "tests/support/wall_clock.h"

namespace dimscope::app {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Delivers until `done` or a generous time has passed; what the pump of the window does with a timer.
bool pumpUntil(JobQueue& queue, const std::function<bool()>& done) {
    const auto end = Clock::now() + 20s;
    while (!done() && Clock::now() < end) {
        queue.deliver();
        std::this_thread::sleep_for(1ms);
    }
    return done();
}

/// Waits until nothing is waiting, running or undelivered.
bool drain(JobQueue& queue) {
    return pumpUntil(queue, [&] { return queue.idle(); });
}

/// Work that runs until it is cancelled.
int runForever(const RunControl& control) {
    for (;;) {
        control.throwIfCancelled();
        std::this_thread::sleep_for(1ms);
    }
}

template <class T>
std::string kindOf(const JobOutcome<T>& outcome) {
    if (std::holds_alternative<T>(outcome)) return "value";
    return std::holds_alternative<Cancelled>(outcome) ? "cancelled" : "failed";
}

TEST(JobQueue, deliversExactlyOneOutcomeOnTheOwnersThread) {
    JobQueue queue;
    std::vector<std::string> kinds;
    std::vector<std::thread::id> callbackThreads;
    std::atomic<std::thread::id> workThread{};
    const auto note = [&](const JobOutcome<int>& outcome) {
        kinds.push_back(kindOf(outcome));
        callbackThreads.push_back(std::this_thread::get_id());
    };
    const JobHandle value = queue.submit(
        [&workThread](const RunControl&) {
            workThread = std::this_thread::get_id();
            return 7;
        },
        note);
    const JobHandle failed = queue.submit([](const RunControl&) -> int { throw std::runtime_error("no"); }, note);
    const JobHandle cancelled = queue.submit(runForever, note);
    cancelled.cancel();
    ASSERT_TRUE(drain(queue));
    queue.deliver();
    EXPECT_EQ(kinds, (std::vector<std::string>{"value", "failed", "cancelled"}));
    for (const std::thread::id& id : callbackThreads) EXPECT_EQ(id, std::this_thread::get_id());
    EXPECT_NE(workThread.load(), std::this_thread::get_id());
}

TEST(JobQueue, nothingIsDeliveredByItself) {
    JobQueue queue;
    bool called = false;
    const JobHandle handle = queue.submit([](const RunControl&) { return 1; }, [&](auto&&) { called = true; });
    while (!queue.live().empty()) std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(called);
    ASSERT_TRUE(drain(queue));
    EXPECT_TRUE(called);
}

TEST(JobQueue, anExceptionBecomesAFailureWithItsText) {
    JobQueue queue;
    std::vector<JobFailure> failures;
    const auto keep = [&](JobOutcome<int> outcome) { failures.push_back(std::get<JobFailure>(std::move(outcome))); };
    const JobHandle plain = queue.submit([](const RunControl&) -> int { throw std::runtime_error("the text"); }, keep);
    const JobHandle format = queue.submit(
        [](const RunControl&) -> int {
            throw kernels::FormatError({"a.h5", "/layers/04/k", "no k", "export it"});
        },
        keep);
    const JobHandle odd = queue.submit([](const RunControl&) -> int { throw 3; }, keep);
    ASSERT_TRUE(drain(queue));
    ASSERT_EQ(failures.size(), 3U);
    EXPECT_EQ(failures[0].text, "the text");
    EXPECT_FALSE(failures[0].parts);
    EXPECT_EQ(failures[1].text, "a.h5: /layers/04/k: no k; export it");
    ASSERT_TRUE(failures[1].parts);
    EXPECT_EQ(failures[1].parts->object, "/layers/04/k");
    EXPECT_FALSE(failures[2].text.empty());
}

TEST(JobQueue, droppingTheHandleCancelsAndTheCallbackNeverRuns) {
    JobQueue queue;
    std::atomic<bool> started{false}, stopped{false};
    bool called = false;
    {
        const JobHandle handle = queue.submit(
            [&](const RunControl& control) {
                started = true;
                while (!control.cancelled()) std::this_thread::sleep_for(1ms);
                stopped = true;
                return 1;  // even work that comes to an end after all
            },
            [&](auto&&) { called = true; });
        ASSERT_TRUE(pumpUntil(queue, [&] { return started.load(); }));
    }
    ASSERT_TRUE(drain(queue));
    EXPECT_TRUE(stopped);
    EXPECT_FALSE(called);
}

TEST(JobQueue, droppingAFinishedJobBeforeDeliveryRunsNothing) {
    JobQueue queue;
    bool called = false;
    JobHandle handle = queue.submit([](const RunControl&) { return 1; }, [&](auto&&) { called = true; });
    while (!queue.live().empty()) std::this_thread::sleep_for(1ms);
    handle.reset();
    ASSERT_TRUE(drain(queue));
    EXPECT_FALSE(called);
}

TEST(JobQueue, droppingAJobThatWaitsNeverStartsIt) {
    JobQueue queue;
    std::promise<void> gate;
    std::atomic<bool> ran{false};
    const JobHandle first = queue.submit(
        [opened = gate.get_future().share()](const RunControl&) {
            opened.wait();
            return 0;
        },
        [](auto&&) {});
    queue
        .submit(
            [&](const RunControl&) {
                ran = true;
                return 0;
            },
            [](auto&&) {})
        .reset();
    gate.set_value();
    ASSERT_TRUE(drain(queue));
    EXPECT_FALSE(ran);
}

TEST(JobQueue, assigningANewJobToAHandleDropsTheOldResult) {
    JobQueue queue;
    std::vector<int> delivered;
    JobHandle handle;
    for (int head = 0; head < 20; ++head) {
        handle = queue.submit(
            [head](const RunControl&) {
                std::this_thread::sleep_for(1ms);
                return head;
            },
            [&](JobOutcome<int> outcome) { delivered.push_back(std::get<int>(outcome)); });
    }
    ASSERT_TRUE(drain(queue));
    EXPECT_EQ(delivered, std::vector<int>{19});
}

TEST(JobQueue, aCallbackMayAssignTheNextJobToItsOwnHandle) {
    JobQueue queue;
    std::vector<int> delivered;
    JobHandle handle;
    std::function<void(int)> start = [&](int step) {
        handle = queue.submit([step](const RunControl&) { return step; },
                              [&](JobOutcome<int> outcome) {
                                  delivered.push_back(std::get<int>(outcome));
                                  if (delivered.size() < 3) start(std::get<int>(outcome) + 1);
                              });
    };
    start(1);
    ASSERT_TRUE(pumpUntil(queue, [&] { return delivered.size() == 3; }));
    EXPECT_EQ(delivered, (std::vector<int>{1, 2, 3}));
}

TEST(JobQueue, aCallbackMayDropAJobThatIsDeliveredInTheSameRound) {
    JobQueue queue;
    bool secondCalled = false;
    JobHandle second;
    const JobHandle first = queue.submit([](const RunControl&) { return 1; }, [&](auto&&) { second.reset(); });
    second = queue.submit([](const RunControl&) { return 2; }, [&](auto&&) { secondCalled = true; });
    while (!queue.live().empty()) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(drain(queue));
    EXPECT_FALSE(secondCalled);
}

TEST(JobQueue, destroyingTheQueueCancelsJoinsAndRunsNothing) {
    std::atomic<int> ended{0};
    int called = 0;
    std::vector<JobHandle> handles;
    std::atomic<bool> started{false};
    {
        JobQueue queue;
        const auto note = [&](const JobOutcome<int>&) { ++called; };
        handles.push_back(queue.submit([](const RunControl&) { return 0; }, note));
        handles.push_back(queue.submit(
            [&](const RunControl& control) {
                started = true;
                while (!control.cancelled()) std::this_thread::sleep_for(1ms);
                ++ended;
                return 0;
            },
            note));
        handles.push_back(queue.submit([&](const RunControl&) { return ++ended; }, note));
        while (!started) std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(ended, 1);  // the running one was waited for, the waiting one never began
    EXPECT_EQ(called, 0);
    handles.clear();  // handles may outlive the queue
    EXPECT_EQ(called, 0);
}

TEST(JobQueue, progressIsPolledSoATightLoopCannotFloodTheOwner) {
    JobQueue queue;
    int called = 0;
    std::promise<void> gate;
    std::atomic<bool> reported{false};
    const JobHandle handle = queue.submit(
        [&reported, opened = gate.get_future().share()](const RunControl& control) {
            for (int i = 0; i <= 500000; ++i) control.report(static_cast<float>(i) / 1e6F);
            reported = true;
            opened.wait();
            return 0;
        },
        [&](auto&&) { ++called; });
    ASSERT_TRUE(pumpUntil(queue, [&] { return reported.load(); }));
    queue.deliver();
    EXPECT_EQ(called, 0);
    EXPECT_FLOAT_EQ(handle.progress(), 0.5F);
    gate.set_value();
    ASSERT_TRUE(drain(queue));
    EXPECT_EQ(called, 1);
}

TEST(JobQueue, aCancelledJobStopsWithin200Milliseconds) {
    JobQueue queue;
    std::atomic<bool> started{false};
    std::string kind;
    const JobHandle handle = queue.submit(
        [&](const RunControl& control) {
            started = true;
            return runForever(control);
        },
        [&](const JobOutcome<int>& outcome) { kind = kindOf(outcome); });
    ASSERT_TRUE(pumpUntil(queue, [&] { return started.load(); }));
    const auto asked = Clock::now();
    handle.cancel();
    ASSERT_TRUE(pumpUntil(queue, [&] { return !kind.empty(); }));
    EXPECT_EQ(kind, "cancelled");
    EXPECT_LE(Clock::now() - asked, 200ms * tests::kSlowdown);
}

TEST(JobQueue, runsJobsInTheOrderOfSubmission) {
    JobQueue queue;
    std::vector<int> order;
    std::vector<JobHandle> handles;
    for (int i = 0; i < 50; ++i)
        handles.push_back(queue.submit([i](const RunControl&) { return i; },
                                       [&](JobOutcome<int> outcome) { order.push_back(std::get<int>(outcome)); }));
    ASSERT_TRUE(drain(queue));
    ASSERT_EQ(order.size(), 50U);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(JobQueue, listsWhatIsGoingOnUntilItIsCancelled) {
    JobQueue queue;
    const JobHandle running = queue.submit(
        runForever, [](auto&&) {}, "profiles");
    const JobHandle waiting = queue.submit([](const RunControl&) { return 0; }, [](auto&&) {}, "kernels");
    const std::vector<LiveJob> jobs = queue.live();
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].title, "profiles");
    EXPECT_EQ(jobs[1].title, "kernels");
    jobs[0].control.cancel();  // as the Cancel button of the status row does
    ASSERT_TRUE(drain(queue));
    EXPECT_TRUE(queue.live().empty());
}

TEST(JobQueue, whatTheWorkCapturedIsReleasedWithoutWaitingForDelivery) {
    JobQueue queue;
    auto captured = std::make_shared<const int>(3);
    const std::weak_ptr<const int> watched = captured;
    const JobHandle handle =
        queue.submit([captured = std::move(captured)](const RunControl&) { return *captured; }, [](auto&&) {});
    const auto end = Clock::now() + 20s;
    while (!watched.expired() && Clock::now() < end) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace dimscope::app
