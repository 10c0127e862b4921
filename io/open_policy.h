// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace dimscope::io {

/// Which data outside the opened file may be used: by default none, so that a file from a stranger cannot show another
/// file's content.
struct OpenPolicy {
    enum class Outside { Never, OwnFolder, Anywhere };
    Outside outside = Outside::Never;
    std::filesystem::path folder;  ///< of the dump, absolute; relative names in the file count from here

    /// The file that a name in the dump means: every link of the path resolved.
    std::filesystem::path resolved(const std::string& name) const;
    /// Whether that file may be opened.
    bool allows(const std::filesystem::path& resolvedFile) const;
    /// What a refusal advises: the option that would allow the file.
    std::string advice(const std::filesystem::path& resolvedFile) const;
};

}  // namespace dimscope::io
