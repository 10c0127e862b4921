// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/file_place.h"
#include "kernels/run_control.h"

namespace dimscope::io {

/// What an attribute holds; a list of one element is that element.
using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>>;

/// As it would stand in a message: 0.125, [4, 12], "post".
std::string attributeText(const AttributeValue& value);

/// The element type of a dataset, as far as reading numbers needs it.
struct ElementType {
    enum class Class { Integer, Float, String, Boolean, Opaque, Compound, Other };
    Class kind = Class::Other;
    std::size_t bytes = 0;
    bool isSigned = false;
    bool bigEndian = false;
    int exponentBits = 0, mantissaBits = 0;
    std::size_t exponentBias = 0;
    bool plainLayout = false;         ///< Float: sign, exponent, mantissa without gaps, as in IEEE 754
    bool wholeWord = true;            ///< Integer: all bits of its bytes count
    std::vector<std::string> fields;  ///< of a compound

    /// "float16", "uint16", "16-bit float with 8 exponent bits", "text", "opaque of 2 bytes"
    std::string text() const;
};

/// A box inside a dataset, in elements per axis.
struct ArrayBox {
    std::vector<std::uint64_t> offset, count;
};

/// Calls visit(origin) for every chunk that meets the box, in the order of their elements. `chunk`: sizes of one.
template <class Visit>
void forEachChunk(const ArrayBox& box, const std::vector<std::uint64_t>& chunk, const Visit& visit) {
    const std::size_t rank = chunk.size();
    for (const std::uint64_t count : box.count)
        if (count == 0) return;
    std::vector<std::uint64_t> first(rank);
    for (std::size_t a = 0; a < rank; ++a) first[a] = box.offset[a] / chunk[a] * chunk[a];
    std::vector<std::uint64_t> at = first;
    for (std::size_t axis = rank; axis > 0;) {
        visit(at);
        for (axis = rank; axis > 0; --axis) {  // the next one, last axis fastest
            at[axis - 1] += chunk[axis - 1];
            if (at[axis - 1] < box.offset[axis - 1] + box.count[axis - 1]) break;
            at[axis - 1] = first[axis - 1];
        }
    }
}

/// What is known about a dataset without reading it.
struct ArrayLayout {
    bool null = false;                 ///< no dataspace: h5py.Empty
    std::vector<std::uint64_t> shape;  ///< rank 0: one number
    std::vector<std::uint64_t> chunk;  ///< empty: not chunked
    ElementType type;
    std::uint64_t storedBytes = 0;
};

/// One array of a file, whatever kind of file holds it.
class StoredArray {
public:
    virtual ~StoredArray() = default;
    virtual const FilePlace& place() const = 0;
    virtual const ArrayLayout& layout() const = 0;
    /// What has to be done once before the first read, and may take long: checking and indexing what is compressed as a
    /// whole. Reading does it where nobody has. Throws FormatError, Cancelled.
    virtual void prepare(const kernels::RunControl&) const {}
    /// Bytes as stored, in the file's own type and byte order. `out` has exactly the box's size.
    /// Throws FormatError where it cannot be read or where a part of the box was never written.
    virtual void readBytes(const ArrayBox& box, std::span<std::byte> out) const = 0;
    /// As numbers that the file's own library converts; for types that readBytes has no decoding for.
    virtual void readConverted(const ArrayBox& box, std::span<double> out) const;
    /// Whether a part can be read without much more than it.
    virtual bool isReadInParts() const { return true; }
    /// Whether every part of the box holds data (not only room for them).
    virtual bool wasWritten(const ArrayBox&) const { return true; }
    /// Up to `limit` bytes of the file where the data begins (the first chunk, still compressed); empty: none written.
    virtual std::vector<std::byte> leadingStoredBytes(std::size_t limit) const = 0;
};

/// Anything in a file that can carry attributes.
class AttributeHolder {
public:
    virtual ~AttributeHolder() = default;
    virtual const FilePlace& place() const = 0;
    /// Empty where the attribute is absent, empty, or of a kind that nobody reads here (compound, reference, huge).
    virtual std::optional<AttributeValue> attribute(const std::string& name) const = 0;
    virtual std::vector<std::string> attributeNames() const = 0;
};

}  // namespace dimscope::io
