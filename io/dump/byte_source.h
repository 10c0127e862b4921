// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "kernels/run_control.h"

namespace dimscope::io {

/// An open file, read at any place; closed with the last array that reads from it.
class ReadOnlyFile {
public:
    explicit ReadOnlyFile(const std::filesystem::path& path);
    ~ReadOnlyFile();
    ReadOnlyFile(const ReadOnlyFile&) = delete;
    ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;

    /// Whether all bytes could be read.
    bool read(std::uint64_t offset, std::span<std::byte> out) const;

private:
    int descriptor_;
};

/// The bytes of an array, wherever they come from.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// What has to be done once before the first read; may take long. Throws FormatError, Cancelled.
    virtual void prepare(const kernels::RunControl&) const {}
    /// Whether all bytes from `at` on could be read. Throws FormatError where it knows why not.
    virtual bool read(std::uint64_t at, std::span<std::byte> out) const = 0;
};

}  // namespace dimscope::io
