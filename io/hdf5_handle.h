// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "io/file_place.h"

namespace dimscope::io {

/// HDF5 works through process-wide state: every call of it runs under this one lock. May be taken again by its holder.
class Hdf5Lock {
public:
    Hdf5Lock();

private:
    std::unique_lock<std::recursive_mutex> lock_;
};

/// The library's own hid_t, spelled out so that its header stays inside io/hdf5_*.cpp.
using Hdf5Id = std::int64_t;

/// Owns one HDF5 identifier of any kind and releases it.
class Hdf5Handle {
public:
    Hdf5Handle() = default;
    explicit Hdf5Handle(Hdf5Id id) : id_(id) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    ~Hdf5Handle();

    Hdf5Id get() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }

private:
    Hdf5Id id_ = -1;
};

/// The most specific line of HDF5's error stack, in one line; clears the stack.
std::string takeHdf5Error();

/// Throws FileError: missing, a directory, a device, not permitted, empty.
void checkReadableFile(const std::filesystem::path& path);

/// Opens for reading, without a lock on the file, so that its writer is not blocked.
/// Throws FileError: missing, a directory, empty, not HDF5, cut off, not permitted.
Hdf5Handle openHdf5ForReading(const std::filesystem::path& path);

}  // namespace dimscope::io
