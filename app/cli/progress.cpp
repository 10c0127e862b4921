// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>

namespace dimscope::app {
namespace {

// The one thing a signal handler may touch.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void noteInterrupt(int) { interrupted.store(true, std::memory_order_relaxed); }

constexpr int kBarCharacters = 40;
constexpr auto kTick = std::chrono::milliseconds(50);
constexpr auto kQuietTime = std::chrono::milliseconds(300);  // what is done sooner needs no bar

void writeToTerminal(const std::string& text) {
    // A terminal that has gone away is no reason to stop the run.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

/// What is left when the rest goes as fast as what is done; nothing to say at the very beginning.
std::string etaText(float progress, double elapsedSeconds) {
    if (progress < 0.01F) return std::string(14, ' ');
    const double left = elapsedSeconds * (1.0 / static_cast<double>(progress) - 1.0);
    return left < 120.0 ? fmt::format(", {:5.0f} s left ", left) : fmt::format(", {:3.0f} min left", left / 60.0);
}

std::string barText(float progress, double elapsedSeconds) {
    const auto full = static_cast<std::size_t>(progress * kBarCharacters);
    return fmt::format("\r[{}{}] {:3.0f} %{}", std::string(full, '='), std::string(kBarCharacters - full, ' '),
                       static_cast<double>(progress) * 100.0, etaText(progress, elapsedSeconds));
}

}  // namespace

void noteInterrupts() {
    struct sigaction action = {};
    action.sa_handler = noteInterrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

Watch::Watch(kernels::RunControl control)
    : control_(std::move(control)), terminal_(isatty(STDERR_FILENO) == 1), thread_([this] { loop(); }) {}

Watch::~Watch() {
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

bool Watch::waitForEnd() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kTick, [this] { return done_; });
}

void Watch::loop() {
    const auto start = std::chrono::steady_clock::now();
    bool shown = false;
    while (!waitForEnd()) {
        if (interrupted.load(std::memory_order_relaxed)) control_.cancel();
        const auto elapsed = std::chrono::steady_clock::now() - start;
        if (!terminal_ || elapsed < kQuietTime) continue;
        writeToTerminal(barText(control_.progress(), std::chrono::duration<double>(elapsed).count()));
        shown = true;
    }
    if (shown) writeToTerminal("\r\x1b[K");
}

}  // namespace dimscope::app
