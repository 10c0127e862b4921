// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace dimscope::io {

/// Writes beside and renames: after a crash, a full disk or an exception the old file is whole and nothing is left
/// over. Throws FileError naming the file and the system's reason.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);
/// The same for content that a library writes itself: `write` gets the temporary path.
void writeFileAtomically(const std::filesystem::path& path,
                         const std::function<void(const std::filesystem::path&)>& write);

}  // namespace dimscope::io
