// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/dump_opening.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "app/core/own_process.h"
#include "io/dump/attention_dump.h"
#include "io/dump/first_look.h"
#include "io/dump/reading_json.h"
#include "io/file_place.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

constexpr const char* kFirstLook = "--first-look";
constexpr int kSound = 0, kRefused = 1, kOutOfMemory = 3, kAsks = 4;
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

/// `decisions` as decisionsJson writes them. A question goes to standard output; what else can be said about the file
/// is told by the process that asked.
int firstLook(const char* path, const char* decisions) {
    limitResources();
    try {
        const io::ReadingDecisions decided = io::decisionsFromJson(nlohmann::ordered_json::parse(decisions));
        const auto source = io::openDump(path, decided);
        if (source->info().identity.sizeBytes <= kReadWholeBytes)
            readTensors(*source);
        else
            io::touchEnds(path, decided, kLongestTouch);
        return kSound;
    } catch (const std::bad_alloc&) {
        return kOutOfMemory;
    } catch (const kernels::OutOfMemory&) {
        return kOutOfMemory;
    } catch (const io::AmbiguousReading& ambiguity) {
        const std::string text = io::ambiguityText(ambiguity);
        const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
        return written && std::fflush(stdout) == 0 ? kAsks : kRefused;
    } catch (const std::exception&) {
        return kRefused;
    }
}

[[noreturn]] void refuseFile(const std::filesystem::path& path, const std::string& cause) {
    throw kernels::FileError(
        {io::FilePlace::ofFile(path).file, "/", cause, "the file is damaged, or made to do this: get it again"});
}

void lookFirst(const std::filesystem::path& path, const io::ReadingDecisions& decisions,
               const kernels::RunControl& control) {
    const std::vector<std::string> arguments{kFirstLook, path.string(), io::decisionsJson(decisions).dump()};
    const std::optional<ProcessEnd> end = runOwnProcess(arguments, kLongest, control);
    if (!end) return;
    const std::optional<int> state = end->state;
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
    if (WEXITSTATUS(*state) == kAsks)
        if (const std::optional<io::AmbiguousReading> ambiguity = io::ambiguityFromText(end->output)) throw *ambiguity;
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
    if (mayStartProcess && std::filesystem::is_regular_file(path, failure)) lookFirst(path, decisions, control);
    return io::openDump(path, decisions);
}

}  // namespace dimscope::app
