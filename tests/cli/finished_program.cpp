// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/finished_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

pid_t start(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
    std::vector<std::string> words{CLI_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    const int failed = posix_spawn(&child, CLI_PROGRAM, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " CLI_PROGRAM);
    return child;
}

FinishedProgram ended(pid_t child, const TemporaryFolder& streams) {
    const auto interrupted = std::chrono::steady_clock::now();
    int status = 0;
    waitpid(child, &status, 0);
    FinishedProgram finished;
    finished.afterInterrupt =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - interrupted);
    if (WIFEXITED(status)) finished.exitCode = WEXITSTATUS(status);
    finished.out = contentOf(streams.file("out"));
    finished.err = contentOf(streams.file("err"));
    return finished;
}

}  // namespace

nlohmann::json FinishedProgram::document() const {
    nlohmann::json document = nlohmann::json::parse(out, nullptr, false);
    return document.is_discarded() ? nlohmann::json() : document;
}

FinishedProgram runCli(const std::vector<std::string>& arguments,
                       std::optional<std::chrono::milliseconds> interruptAfter) {
    const TemporaryFolder folder;
    const pid_t child = start(arguments, folder.file("out"), folder.file("err"));
    if (interruptAfter) {
        std::this_thread::sleep_for(*interruptAfter);
        kill(child, SIGINT);
    }
    return ended(child, folder);
}

FinishedProgram runCliUntil(const std::vector<std::string>& arguments, const std::function<bool()>& reached,
                            int signal) {
    const TemporaryFolder folder;
    const pid_t child = start(arguments, folder.file("out"), folder.file("err"));
    siginfo_t over{};
    while (over.si_pid == 0 && !reached()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        waitid(P_PID, static_cast<id_t>(child), &over, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(child, signal);
    return ended(child, folder);
}

std::string samplePath() { return SAMPLE_DIR "/smollm2-sample.h5"; }

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "dimscope-cli-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder below " + pattern);
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
}

}  // namespace dimscope::tests
