// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

namespace dimscope::io {

ReadOnlyFile::ReadOnlyFile(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

ReadOnlyFile::~ReadOnlyFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool ReadOnlyFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    for (std::size_t done = 0; done < out.size();) {
        const ssize_t got =
            ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (got <= 0) return false;
        done += static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace dimscope::io
