// SPDX-License-Identifier: GPL-3.0-or-later
// flip_dumps PROGRAM SEEDS SECONDS [SEED]: damages small dumps (flipped bytes, cut ends, copied and cleared blocks) and
// gives them to PROGRAM info and PROGRAM profile. Whatever is in a file, the program ends with 0 or with 1 and one
// line, within 10 s and 1 GiB. Prints the number of executions; a file that breaks the rule is kept and named, exit
// code 1.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uintmax_t kLargestSeed = 60000;  ///< bytes: larger files are read for longer than they are damaged
constexpr auto kLongest = std::chrono::seconds(10);
constexpr long kMostFaults = 20;  ///< enough to look at
constexpr rlim_t kMostBytes = rlim_t{3} << 30U;

std::vector<fs::path> seedsIn(const fs::path& folder) {
    std::vector<fs::path> seeds;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string kind = entry.path().extension().string();
        const bool dump = kind == ".h5" || kind == ".npz" || kind == ".safetensors";
        if (entry.is_regular_file() && dump && entry.file_size() > 0 && entry.file_size() <= kLargestSeed)
            seeds.push_back(entry.path());
    }
    std::sort(seeds.begin(), seeds.end());
    return seeds;
}

/// One kind of damage, at a random place.
void damage(std::string& bytes, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
    const std::size_t at = below(bytes.size()), other = below(bytes.size());
    const std::size_t count = std::min({below(64) + 1, bytes.size() - at, bytes.size() - other});
    switch (random() % 8) {
        case 0: bytes.resize(at); break;
        case 1: std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, '\0'); break;
        case 2:
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::size_t>(count, 8), '\xFF');
            break;
        case 3: bytes.replace(at, count, bytes.substr(other, count)); break;
        default: bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 8))); break;
    }
}

struct Ending {
    int state = 0;
    bool late = false;
    std::string messages;
};

Ending runOn(const char* program, const char* verb, const std::string& file, const std::string& messages) {
    const pid_t process = fork();
    if (process == 0) {
        const rlimit memory{kMostBytes, kMostBytes}, none{0, 0};
        setrlimit(RLIMIT_AS, &memory);
        setrlimit(RLIMIT_CORE, &none);
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        execl(program, program, verb, file.c_str(), "--json", nullptr);
        _exit(127);
    }
    Ending ending;
    const auto start = Clock::now();
    while (waitpid(process, &ending.state, WNOHANG) == 0) {
        if (Clock::now() - start > kLongest) {
            ending.late = true;
            kill(process, SIGKILL);
            waitpid(process, &ending.state, 0);
            break;
        }
        usleep(1000);
    }
    ending.messages = dimscope::tests::contentOf(messages);
    return ending;
}

/// What is wrong with an ending; empty: nothing.
std::string faultOf(const Ending& ending) {
    if (ending.late) return "did not end within 10 s";
    if (WIFSIGNALED(ending.state)) return "ended by signal " + std::to_string(WTERMSIG(ending.state));
    const int code = WEXITSTATUS(ending.state);
    if (code != 0 && code != 1) return "ended with exit code " + std::to_string(code);
    if (ending.messages.find("HDF5-DIAG") != std::string::npos) return "printed the error stack of HDF5";
    const auto lines = std::count(ending.messages.begin(), ending.messages.end(), '\n');
    if (code == 1 && lines != 1) return "refused with " + std::to_string(lines) + " lines";
    return "";
}

}  // namespace

int main(int argumentCount, char** arguments) {
    if (argumentCount < 4) {
        std::fputs("usage: flip_dumps PROGRAM SEEDS SECONDS [SEED]\n", stderr);
        return 2;
    }
    const std::vector<fs::path> seeds = seedsIn(arguments[2]);
    const auto end = Clock::now() + std::chrono::seconds(std::stol(arguments[3]));
    const std::uint64_t first = argumentCount > 4 ? std::stoull(arguments[4]) : 1;
    const dimscope::tests::TemporaryFolder folder;
    long executions = 0, refused = 0, faults = 0;
    for (std::uint64_t round = first; Clock::now() < end && faults < kMostFaults && !seeds.empty(); ++round) {
        std::mt19937_64 random(round);
        const fs::path& seed = seeds[random() % seeds.size()];
        std::string bytes = dimscope::tests::contentOf(seed);
        for (std::uint64_t n = random() % 6 + 1; n > 0 && !bytes.empty(); --n) damage(bytes, random);
        const std::string file = (folder / ("damaged" + seed.extension().string())).string();
        dimscope::tests::writeContent(file, bytes);
        for (const char* verb : {"info", "profile"}) {
            const Ending ending = runOn(arguments[1], verb, file, (folder / "messages").string());
            ++executions;
            refused += WIFEXITED(ending.state) && WEXITSTATUS(ending.state) == 1 ? 1 : 0;
            const std::string fault = faultOf(ending);
            if (fault.empty()) continue;
            ++faults;
            const std::string kept = "fuzz-" + std::to_string(round) + seed.extension().string();
            dimscope::tests::writeContent(kept, bytes);
            std::printf("%s of %s (seed %llu) %s; kept as %s\n", verb, seed.filename().c_str(),
                        static_cast<unsigned long long>(round), fault.c_str(), kept.c_str());
        }
    }
    std::printf("%ld executions on %zu seeds, %ld refused, %ld faults\n", executions, seeds.size(), refused, faults);
    return executions == 0 || faults > 0 ? 1 : 0;
}
