// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dimscope::tests {

/// The command-line program after it has ended.
struct FinishedProgram {
    int exitCode = -1;  ///< -1: ended by a signal
    std::string out, err;
    std::chrono::milliseconds afterInterrupt{0};  ///< from the interrupt to the end

    /// The one document on stdout; null where it is not exactly one.
    nlohmann::json document() const;
};

/// Runs the program to its end; with `interruptAfter` it gets SIGINT that much later.
FinishedProgram runCli(const std::vector<std::string>& arguments,
                       std::optional<std::chrono::milliseconds> interruptAfter = std::nullopt);

/// Runs the program until `reached`, asked every 50 ms, or to its end where that comes before; sends it `signal` then.
FinishedProgram runCliUntil(const std::vector<std::string>& arguments, const std::function<bool()>& reached,
                            int signal);

/// Path of the bundled sample.
std::string samplePath();

/// A folder that goes away with the test.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& content) const;
    bool empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

}  // namespace dimscope::tests
