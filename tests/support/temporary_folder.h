// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dimscope::tests {

/// A new, empty folder that is gone after the test.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// Names of everything in it, ascending.
    std::vector<std::string> names() const;

private:
    std::filesystem::path path_;
};

std::string contentOf(const std::filesystem::path& path);
void writeContent(const std::filesystem::path& path, std::string_view content);

}  // namespace dimscope::tests
