// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/dump_opening.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "io/dump/attention_dump.h"
#include "io/dump/first_look.h"
#include "io/file_place.h"
#include "kernels/error.h"

extern char** environ;

namespace dimscope::app {
namespace {

using Outside = io::OpenPolicy::Outside;

constexpr const char* kFirstLook = "--first-look";
constexpr int kSound = 0, kRefused = 1, kOutOfMemory = 3;
constexpr auto kLongest = std::chrono::seconds(8);
constexpr rlim_t kMostMemory = rlim_t{3} << 30U;
constexpr std::int64_t kReadWholeBytes = std::int64_t{16} << 20;  ///< of a file that is read completely

constexpr auto kLongestTouch = std::chrono::milliseconds(500);  ///< of a larger one

bool mayStartProcess = false;

void limitResources() {
    const rlimit time{static_cast<rlim_t>(kLongest.count()), static_cast<rlim_t>(kLongest.count())}, none{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__)  // it reserves terabytes of addresses
    const rlimit memory{kMostMemory, kMostMemory};
    setrlimit(RLIMIT_AS, &memory);
#endif
}

/// Every tensor of a small file, so that damage anywhere is met here.
void readTensors(analysis::HeadSource& source) {
    using analysis::TensorKind;
    const analysis::DumpInfo& info = source.info();
    for (const analysis::LayerInfo& layer : info.layers)
        for (int prompt = 0; prompt < layer.prompts; ++prompt)
            for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value, TensorKind::Output}) {
                if ((kind == TensorKind::Value && !layer.hasValue) || (kind == TensorKind::Output && !layer.hasOutput))
                    continue;
                const bool query = kind == TensorKind::Query || kind == TensorKind::Output;
                const int heads = query ? layer.nHeads : layer.nKvHeads;
                for (int head = 0; head < heads; ++head) try {
                        static_cast<void>(source.load(kind, layer.layer, kernels::PromptIndex{prompt}, head, {}));
                    } catch (const kernels::Error&) {
                        continue;  // refused where it is used, with its cause
                    }
            }
}

int firstLook(const char* path, const char* outside) {
    limitResources();
    try {
        io::ReadingDecisions decisions;
        decisions.outside = static_cast<Outside>(outside[0] - '0');
        const auto source = io::openDump(path, decisions);
        if (source->info().identity.sizeBytes <= kReadWholeBytes)
            readTensors(*source);
        else
            io::touchEnds(path, decisions, kLongestTouch);
        return kSound;
    } catch (const std::bad_alloc&) {
        return kOutOfMemory;
    } catch (const kernels::OutOfMemory&) {
        return kOutOfMemory;
    } catch (const std::exception&) {
        return kRefused;  // told by the process that asked
    }
}

pid_t startProcess(const std::filesystem::path& path, Outside outside) {
    std::string program = "/proc/self/exe", look = kFirstLook, file = path.string();
    std::string allowed(1, static_cast<char>('0' + static_cast<int>(outside)));
    char* arguments[] = {program.data(), look.data(), file.data(), allowed.data(), nullptr};
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    for (const int stream : {0, 1, 2}) posix_spawn_file_actions_addopen(&silent, stream, "/dev/null", O_RDWR, 0);
    pid_t process = -1;
    const int failure = posix_spawn(&process, program.c_str(), &silent, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&silent);
    return failure == 0 ? process : -1;
}

/// The state as waitpid gives it; nothing where time ran out.
std::optional<int> waitFor(pid_t process, const kernels::RunControl& control) {
    const auto start = std::chrono::steady_clock::now();
    auto nap = std::chrono::milliseconds(1);
    int state = 0;
    const auto stop = [&] {
        kill(process, SIGKILL);
        waitpid(process, &state, 0);
    };
    while (waitpid(process, &state, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() - start > kLongest) {
            stop();
            return std::nullopt;
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
    return state;
}

[[noreturn]] void refuseFile(const std::filesystem::path& path, const std::string& cause) {
    throw kernels::FileError(
        {io::FilePlace::ofFile(path).file, "/", cause, "the file is damaged, or made to do this: get it again"});
}

void lookFirst(const std::filesystem::path& path, Outside outside, const kernels::RunControl& control) {
    const pid_t process = startProcess(path, outside);
    if (process < 0) return;
    const std::optional<int> state = waitFor(process, control);
    if (!state || (WIFSIGNALED(*state) && WTERMSIG(*state) == SIGXCPU))
        refuseFile(path,
                   fmt::format("cannot be read: the HDF5 library did not come back within {} s (corrupt chunks or "
                               "a loop in the file's structure)",
                               kLongest.count()));
    if (WIFSIGNALED(*state))
        refuseFile(path,
                   fmt::format("cannot be read: the HDF5 library crashed on it (signal {}, {}): corrupt structure "
                               "or chunks",
                               WTERMSIG(*state), strsignal(WTERMSIG(*state))));
    if (WEXITSTATUS(*state) == kOutOfMemory)
        refuseFile(path,
                   fmt::format("cannot be read: opening it takes more than {} GiB of memory", kMostMemory >> 30U));
}

}  // namespace

std::optional<int> serveFirstLook(int argumentCount, char** arguments) {
    if (argumentCount == 4 && std::string_view(arguments[1]) == kFirstLook)
        return firstLook(arguments[2], arguments[3]);
    mayStartProcess = true;
    return std::nullopt;
}

std::shared_ptr<analysis::HeadSource> openDumpSafely(const std::filesystem::path& path,
                                                     const io::ReadingDecisions& decisions,
                                                     const kernels::RunControl& control) {
    std::error_code failure;
    if (mayStartProcess && std::filesystem::is_regular_file(path, failure)) lookFirst(path, decisions.outside, control);
    return io::openDump(path, decisions);
}

}  // namespace dimscope::app
