// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/result_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace dimscope::app {
namespace {

using namespace std::chrono_literals;

TEST(MemoTable, makesEachResultOnce) {
    MemoTable<int, int> table(4);
    int made = 0;
    const auto make = [&] { return ++made; };
    const auto first = table.getOrMake(1, {}, make);
    EXPECT_EQ(table.getOrMake(1, {}, make), first);
    EXPECT_EQ(table.find(1), first);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(table.find(2), nullptr);
}

TEST(MemoTable, keepsWhatWasUsedLast) {
    MemoTable<int, int> table(2);
    for (int key : {1, 2}) table.getOrMake(key, {}, [key] { return key; });
    table.find(1);
    table.getOrMake(3, {}, [] { return 3; });
    EXPECT_NE(table.find(1), nullptr);
    EXPECT_EQ(table.find(2), nullptr);
    EXPECT_NE(table.find(3), nullptr);
}

TEST(MemoTable, aFailureIsNotKept) {
    MemoTable<int, int> table(2);
    EXPECT_THROW(table.getOrMake(1, {}, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_EQ(*table.getOrMake(1, {}, [] { return 5; }), 5);
}

TEST(MemoTable, twoThreadsThatWantTheSameMakeItOnce) {
    MemoTable<int, int> table(4);
    std::atomic<int> made{0};
    const auto want = [&] {
        table.getOrMake(1, {}, [&] {
            std::this_thread::sleep_for(20ms);
            return ++made;
        });
    };
    std::thread other(want);
    want();
    other.join();
    EXPECT_EQ(made, 1);
}

TEST(MemoTable, waitingForAnotherThreadCanBeCancelled) {
    MemoTable<int, int> table(4);
    std::atomic<bool> making{false}, release{false};
    std::thread other([&] {
        table.getOrMake(1, {}, [&] {
            making = true;
            while (!release) std::this_thread::sleep_for(1ms);
            return 1;
        });
    });
    while (!making) std::this_thread::sleep_for(1ms);
    const RunControl control;
    std::thread stopper([control] {
        std::this_thread::sleep_for(10ms);
        control.cancel();
    });
    EXPECT_THROW(table.getOrMake(1, control, [] { return 2; }), kernels::Cancelled);
    release = true;
    stopper.join();
    other.join();
    EXPECT_EQ(*table.find(1), 1);
}

}  // namespace
}  // namespace dimscope::app
