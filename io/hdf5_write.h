// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/hdf5_handle.h"
#include "kernels/indices.h"

namespace dimscope::io {

/// How a tensor's numbers are stored. BFloat16: bit patterns in uint16, with the attribute encoding="bf16".
enum class StoredNumber { Float16, BFloat16, Float32, Float64 };

/// A new HDF5 file. Missing groups on the way to an object are made. Every failure is a FileError naming `shownPath`,
/// which may differ from the path written to (a temporary one).
class Hdf5Writer {
public:
    Hdf5Writer(const std::filesystem::path& path, const std::filesystem::path& shownPath);

    void makeGroup(const std::string& object);
    void setAttribute(const std::string& object, const std::string& name,
                      const std::variant<double, std::string>& value);
    void setAttribute(const std::string& object, const std::string& name, std::int64_t value);
    void writeNumbers(const std::string& object, const std::vector<kernels::Index>& shape,
                      std::span<const double> values);
    void writeIntegers(const std::string& object, const std::vector<kernels::Index>& shape,
                       std::span<const std::int32_t> values);
    void writeBytes(const std::string& object, const std::vector<kernels::Index>& shape,
                    std::span<const std::uint8_t> values);
    /// `shape`: one axis where it is empty.
    void writeTexts(const std::string& object, std::span<const std::string> values,
                    const std::vector<kernels::Index>& shape = {});
    /// Room for numbers that come slab by slab, in chunks with shuffle and gzip 4. What is never written stays missing.
    void makeChunked(const std::string& object, const std::vector<kernels::Index>& shape,
                     const std::vector<kernels::Index>& chunk, StoredNumber number);
    /// `raw`: the numbers of the slab, row-major, as they are in memory.
    void writeSlab(const std::string& object, const std::vector<kernels::Index>& offset,
                   const std::vector<kernels::Index>& extent, StoredNumber number, std::span<const std::byte> raw);
    /// Flushes to the disk and closes; errors of a full disk surface here.
    void close();

private:
    void write(const std::string& object, const std::vector<kernels::Index>& shape, std::size_t count, Hdf5Id fileType,
               Hdf5Id memoryType, const void* values);
    template <class Status>
    Status checked(Status status, const std::string& object, const char* what) const;

    std::string shownPath_;
    Hdf5Handle file_;
};

}  // namespace dimscope::io
