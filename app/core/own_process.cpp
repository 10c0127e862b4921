// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/own_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

extern char** environ;

namespace dimscope::app {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

/// What one process writes and another reads. Neither end is inherited by accident.
class Pipe {
public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
        if (isOpen()) fcntl(ends_[0], F_SETFL, O_NONBLOCK);  // the reader's alone: each end has its own flags
    }
    ~Pipe() {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    bool isOpen() const { return ends_[0] >= 0; }
    int writingEnd() const { return ends_[1]; }
    void closeWritingEnd() { closeEnd(1); }
    /// What is there now. Beyond the limit it is read and dropped, so that the writer is not held up.
    void readInto(std::string& text) const {
        std::array<char, 4096> some;
        for (ssize_t count = 0; (count = read(ends_[0], some.data(), some.size())) > 0;)
            text.append(some.data(), std::min(static_cast<std::size_t>(count), kMostOutput - text.size()));
    }

private:
    void closeEnd(std::size_t end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

pid_t startOwnProcess(std::vector<std::string> arguments, int output) {
    arguments.insert(arguments.begin(), "/proc/self/exe");
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    for (const int stream : {0, 2}) posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&streams, output, 1);
    pid_t process = -1;
    const int failure = posix_spawn(&process, words.front(), &streams, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&streams);
    return failure == 0 ? process : -1;
}

}  // namespace

std::optional<ProcessEnd> runOwnProcess(const std::vector<std::string>& arguments, std::chrono::seconds longest,
                                        const kernels::RunControl& control) {
    Pipe pipe;
    if (!pipe.isOpen()) return std::nullopt;
    const pid_t process = startOwnProcess(arguments, pipe.writingEnd());
    if (process < 0) return std::nullopt;
    pipe.closeWritingEnd();
    ProcessEnd end;
    int state = 0;
    const auto stop = [&] {
        kill(process, SIGKILL);
        waitpid(process, &state, 0);
    };
    const auto start = std::chrono::steady_clock::now();
    auto nap = std::chrono::milliseconds(1);
    while (waitpid(process, &state, WNOHANG) == 0) {
        pipe.readInto(end.output);
        if (std::chrono::steady_clock::now() - start > longest) {
            stop();
            return end;
        }
        try {
            control.throwIfCancelled();
        } catch (...) {
            stop();
            throw;
        }
        std::this_thread::sleep_for(nap);
        nap = std::min(nap * 2, std::chrono::milliseconds(20));
    }
    pipe.readInto(end.output);
    end.state = state;
    return end;
}

}  // namespace dimscope::app
