// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/hdf5_handle.h"

namespace dimscope::io {

/// What an attribute holds; a list of one element is that element.
using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>>;

/// As it would stand in a message: 0.125, [4, 12], "post".
std::string attributeText(const AttributeValue& value);

/// The element type of a dataset, as far as reading numbers needs it.
struct Hdf5Type {
    enum class Class { Integer, Float, String, Boolean, Opaque, Other };
    Class kind = Class::Other;
    std::size_t bytes = 0;
    bool isSigned = false;
    bool bigEndian = false;
    int exponentBits = 0, mantissaBits = 0;
    std::size_t exponentBias = 0;
    bool plainLayout = false;  ///< Float: sign, exponent, mantissa without gaps, as in IEEE 754

    /// "float16", "uint16", "16-bit float with 8 exponent bits", "text", "opaque of 2 bytes"
    std::string text() const;
};

/// Anything in a file that can carry attributes.
class Hdf5Object {
public:
    const Hdf5Place& place() const { return place_; }
    /// Empty where the attribute is absent, empty, or of a kind that nobody reads here (compound, reference, huge).
    std::optional<AttributeValue> attribute(const std::string& name) const;
    std::vector<std::string> attributeNames() const;

protected:
    Hdf5Object(Hdf5Handle handle, Hdf5Place place) : handle_(std::move(handle)), place_(std::move(place)) {}
    ~Hdf5Object() = default;
    Hdf5Object(Hdf5Object&&) = default;
    Hdf5Object& operator=(Hdf5Object&&) = default;

    Hdf5Handle handle_;
    Hdf5Place place_;
};

/// A box inside a dataset, in elements per axis.
struct Hdf5Box {
    std::vector<std::uint64_t> offset, count;
};

/// What is known about a dataset without reading it.
struct DatasetLayout {
    bool null = false;                 ///< no dataspace: h5py.Empty
    std::vector<std::uint64_t> shape;  ///< rank 0: one number
    std::vector<std::uint64_t> chunk;  ///< empty: not chunked
    Hdf5Type type;
    std::uint64_t storedBytes = 0;
};

class Hdf5Dataset : public Hdf5Object {
public:
    Hdf5Dataset(Hdf5Handle handle, Hdf5Place place);

    const DatasetLayout& layout() const { return layout_; }
    /// Product of the shape; throws FormatError where it does not fit 63 bits.
    std::uint64_t elements() const;

    /// Bytes as stored, in the file's own type and byte order. `out` has exactly the box's size.
    /// Throws FormatError where it cannot be read or where a part of the box was never written.
    void readBytes(const Hdf5Box& box, std::span<std::byte> out) const;
    /// Whole small datasets of numbers, converted by HDF5.
    std::vector<double> readNumbers() const;
    std::vector<std::int64_t> readIntegers() const;
    std::vector<std::int64_t> readIntegers(const Hdf5Box& box) const;
    std::vector<std::string> readStrings() const;
    /// Up to `limit` bytes of the file where the data begins (the first chunk, still compressed); empty: none written.
    std::vector<std::byte> leadingStoredBytes(std::size_t limit) const;
    /// Refuses whole-dataset reads of an implausible size; `bytesEach` in memory.
    std::uint64_t checkedElements(std::size_t bytesEach) const;

private:
    void readBox(const Hdf5Box& box, Hdf5Id memoryType, void* out) const;
    void checkWritten(const Hdf5Box& box) const;
    DatasetLayout layout_;
};

enum class Hdf5Kind { Missing, Group, Dataset, ExternalLink, BrokenLink, Other };

class Hdf5Group : public Hdf5Object {
public:
    Hdf5Group(Hdf5Handle handle, Hdf5Place place) : Hdf5Object(std::move(handle), std::move(place)) {}
    /// The root group. Throws as openHdf5ForReading.
    static Hdf5Group openFile(const std::filesystem::path& path);

    /// Follows links inside the file, never links out of it.
    Hdf5Kind kind(const std::string& name) const;
    /// Children in alphabetical order.
    std::vector<std::string> names() const;
    /// Throw FormatError: missing, another kind, a link out of the file, external storage, virtual, no such filter.
    Hdf5Group group(const std::string& name) const;
    /// `cacheBytes`: for chunks; 0: HDF5's own default. `path` may have several steps.
    Hdf5Dataset dataset(const std::string& path, std::size_t cacheBytes = 0) const;

private:
    Hdf5Handle openChild(const std::string& name, Hdf5Kind wanted) const;
};

}  // namespace dimscope::io
