// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>

#include "io/hdf5_read.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr std::uint64_t kMostWholeBytes = 4ULL << 30U;  ///< of a dataset that is read in one piece

/// Sign, exponent and mantissa side by side, most significant first: what IEEE 754 and bf16 have.
void describeFloat(hid_t type, Hdf5Type& result) {
    std::size_t sign = 0, exponent = 0, exponentBits = 0, mantissa = 0, mantissaBits = 0;
    H5Tget_fields(type, &sign, &exponent, &exponentBits, &mantissa, &mantissaBits);
    result.exponentBits = static_cast<int>(exponentBits);
    result.mantissaBits = static_cast<int>(mantissaBits);
    result.exponentBias = H5Tget_ebias(type);
    result.plainLayout = mantissa == 0 && exponent == mantissaBits && sign == exponent + exponentBits &&
                         sign + 1 == result.bytes * 8 && H5Tget_norm(type) == H5T_NORM_IMPLIED;
}

Hdf5Type describeType(hid_t type) {
    Hdf5Type result;
    result.bytes = H5Tget_size(type);
    const H5T_order_t order = H5Tget_order(type);
    result.bigEndian = order == H5T_ORDER_BE;
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            result.kind = Hdf5Type::Class::Integer;
            result.isSigned = H5Tget_sign(type) == H5T_SGN_2;
            break;
        case H5T_FLOAT:
            result.kind = order == H5T_ORDER_VAX ? Hdf5Type::Class::Other : Hdf5Type::Class::Float;
            describeFloat(type, result);
            break;
        case H5T_ENUM: result.kind = result.bytes == 1 ? Hdf5Type::Class::Boolean : Hdf5Type::Class::Other; break;
        case H5T_STRING: result.kind = Hdf5Type::Class::String; break;
        case H5T_OPAQUE: result.kind = Hdf5Type::Class::Opaque; break;
        default: break;
    }
    takeHdf5Error();  // an order is not defined for every class
    return result;
}

DatasetLayout describe(hid_t dataset, const Hdf5Place& place) {
    DatasetLayout layout;
    const Hdf5Handle type(place.checked(H5Dget_type(dataset), "cannot read its type"));
    layout.type = describeType(type.get());
    const Hdf5Handle space(place.checked(H5Dget_space(dataset), "cannot read its shape"));
    layout.null = H5Sget_simple_extent_type(space.get()) == H5S_NULL;
    const int rank = layout.null ? 0 : place.checked(H5Sget_simple_extent_ndims(space.get()), "cannot read its rank");
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    if (rank > 0) H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
    layout.shape.assign(sizes.begin(), sizes.end());
    layout.storedBytes = H5Dget_storage_size(dataset);
    const Hdf5Handle creation(place.checked(H5Dget_create_plist(dataset), "cannot read how it is stored"));
    if (rank > 0 && H5Pget_layout(creation.get()) == H5D_CHUNKED) {
        place.checked(H5Pget_chunk(creation.get(), rank, sizes.data()), "cannot read its chunks");
        layout.chunk.assign(sizes.begin(), sizes.end());
    }
    return layout;
}

Hdf5Box wholeBox(const DatasetLayout& layout) {
    return {std::vector<std::uint64_t>(layout.shape.size(), 0), layout.shape};
}

std::vector<hsize_t> asSizes(const std::vector<std::uint64_t>& values) { return {values.begin(), values.end()}; }

/// Address of the first stored byte in the file and how many follow; nothing where none was written.
std::optional<std::pair<haddr_t, hsize_t>> firstStored(hid_t dataset, const DatasetLayout& layout) {
    haddr_t address = HADDR_UNDEF;
    hsize_t size = layout.storedBytes;
    if (layout.chunk.empty()) {
        address = H5Dget_offset(dataset);
    } else {
        const std::vector<hsize_t> origin(layout.shape.size(), 0);
        unsigned mask = 0;
        if (H5Dget_chunk_info_by_coord(dataset, origin.data(), &mask, &address, &size) < 0) address = HADDR_UNDEF;
    }
    takeHdf5Error();
    if (address == HADDR_UNDEF || size == 0) return std::nullopt;
    return std::pair{address, size};
}

}  // namespace

std::string Hdf5Type::text() const {
    switch (kind) {
        case Class::Integer: return fmt::format("{}int{}", isSigned ? "" : "u", bytes * 8);
        case Class::Float:
            if (plainLayout && bytes == 2 && exponentBits == 8) return "bfloat16";
            if (plainLayout && ((bytes == 2 && exponentBits == 5) || (bytes == 4 && exponentBits == 8) ||
                                (bytes == 8 && exponentBits == 11)))
                return fmt::format("float{}", bytes * 8);
            return fmt::format("{}-bit float with {} exponent bits", bytes * 8, exponentBits);
        case Class::String: return "text (string)";
        case Class::Boolean: return "enumeration";
        case Class::Opaque: return fmt::format("opaque type of {} bytes", bytes);
        case Class::Other: break;
    }
    return "compound or other type";
}

Hdf5Dataset::Hdf5Dataset(Hdf5Handle handle, Hdf5Place place) : Hdf5Object(std::move(handle), std::move(place)) {
    const Hdf5Lock lock;
    layout_ = describe(handle_.get(), place_);
}

std::uint64_t Hdf5Dataset::elements() const {
    std::uint64_t product = 1;
    for (const std::uint64_t size : layout_.shape)
        if (__builtin_mul_overflow(product, size, &product) || product > (1ULL << 62U))
            place_.refuse("declares a size that overflows: too large to be real", "write the file again");
    return layout_.null ? 0 : product;
}

std::uint64_t Hdf5Dataset::checkedElements(std::size_t bytesEach) const {
    const std::uint64_t count = elements();
    if (count > kMostWholeBytes / bytesEach)
        place_.refuse(fmt::format("declares {} elements, too large to be read in one piece", count),
                      "write a smaller one");
    return count;
}

void Hdf5Dataset::checkWritten(const Hdf5Box& box) const {
    if (layout_.chunk.empty()) {
        if (layout_.storedBytes == 0) place_.refuse("was never written: its data are missing", "write it again");
        return;
    }
    const std::size_t rank = layout_.shape.size();
    std::vector<hsize_t> at(rank);
    for (std::size_t a = 0; a < rank; ++a) at[a] = box.offset[a] / layout_.chunk[a] * layout_.chunk[a];
    const std::vector<hsize_t> first = at;
    for (;;) {
        hsize_t size = 0;
        if (H5Dget_chunk_storage_size(handle_.get(), at.data(), &size) < 0 || size == 0) {
            takeHdf5Error();
            place_.refuse(fmt::format("the part from [{}] was never written: its data are missing (chunk not stored)",
                                      fmt::join(at, ", ")),
                          "let the writing program finish, or write it again");
        }
        std::size_t axis = rank;  // the next chunk that meets the box, last axis fastest
        while (axis > 0) {
            at[axis - 1] += layout_.chunk[axis - 1];
            if (at[axis - 1] < box.offset[axis - 1] + box.count[axis - 1]) break;
            at[axis - 1] = first[axis - 1];
            --axis;
        }
        if (axis == 0) return;
    }
}

void Hdf5Dataset::readBox(const Hdf5Box& box, Hdf5Id memoryType, void* out) const {
    if (layout_.null) place_.refuse("is empty (no values)", "write its values");
    checkWritten(box);
    Hdf5Handle fileSpace(place_.checked(H5Dget_space(handle_.get()), "cannot read its shape"));
    if (layout_.shape.empty()) {
        place_.checked(H5Dread(handle_.get(), memoryType, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "cannot be read");
        return;
    }
    const std::vector<hsize_t> offset = asSizes(box.offset), count = asSizes(box.count);
    place_.checked(H5Sselect_hyperslab(fileSpace.get(), H5S_SELECT_SET, offset.data(), nullptr, count.data(), nullptr),
                   "cannot select a part");
    const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    place_.checked(H5Dread(handle_.get(), memoryType, memory.get(), fileSpace.get(), H5P_DEFAULT, out),
                   "cannot be read");
}

void Hdf5Dataset::readBytes(const Hdf5Box& box, std::span<std::byte> out) const {
    const Hdf5Lock lock;
    [[maybe_unused]] const std::uint64_t count =
        std::accumulate(box.count.begin(), box.count.end(), std::uint64_t{1}, std::multiplies<>());
    assert(count * layout_.type.bytes == out.size());
    const Hdf5Handle type(place_.checked(H5Dget_type(handle_.get()), "cannot read its type"));
    readBox(box, type.get(), out.data());
}

std::vector<double> Hdf5Dataset::readNumbers() const {
    const Hdf5Lock lock;
    if (layout_.type.kind != Hdf5Type::Class::Integer && layout_.type.kind != Hdf5Type::Class::Float)
        place_.refuse("has type " + layout_.type.text() + ", expected numbers", "write numbers");
    std::vector<double> values(checkedElements(sizeof(double)));
    if (!values.empty()) readBox(wholeBox(layout_), H5T_NATIVE_DOUBLE, values.data());
    return values;
}

std::vector<std::int64_t> Hdf5Dataset::readIntegers() const {
    checkedElements(sizeof(std::int64_t));
    return readIntegers(wholeBox(layout_));
}

std::vector<std::int64_t> Hdf5Dataset::readIntegers(const Hdf5Box& box) const {
    const Hdf5Lock lock;
    const bool boolean = layout_.type.kind == Hdf5Type::Class::Boolean;
    if (!boolean && layout_.type.kind != Hdf5Type::Class::Integer)
        place_.refuse("has type " + layout_.type.text() + ", expected integers", "write integers");
    const auto count = static_cast<std::size_t>(
        std::accumulate(box.count.begin(), box.count.end(), std::uint64_t{1}, std::multiplies<>()));
    if (count == 0) return {};
    if (boolean) {  // HDF5 does not convert an enumeration to a number
        std::vector<signed char> bytes(count);
        readBytes(box, std::as_writable_bytes(std::span(bytes)));
        return {bytes.begin(), bytes.end()};
    }
    std::vector<std::int64_t> values(count);
    readBox(box, H5T_NATIVE_INT64, values.data());
    return values;
}

std::vector<std::string> Hdf5Dataset::readStrings() const {
    const Hdf5Lock lock;
    const std::size_t size = layout_.type.bytes;
    if (layout_.type.kind != Hdf5Type::Class::String)
        place_.refuse("has type " + layout_.type.text() + ", expected text", "write text");
    const auto count = static_cast<std::size_t>(checkedElements(std::max<std::size_t>(size, 16)));
    std::vector<std::string> texts;
    const Hdf5Handle type(place_.checked(H5Dget_type(handle_.get()), "cannot read its type"));
    if (count == 0) return texts;
    if (H5Tis_variable_str(type.get()) > 0) {
        std::vector<char*> pointers(count, nullptr);
        readBox(wholeBox(layout_), type.get(), pointers.data());
        for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
        const Hdf5Handle space(H5Dget_space(handle_.get()));
        H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
        return texts;
    }
    std::string bytes(size * count, '\0');
    readBox(wholeBox(layout_), type.get(), bytes.data());
    for (std::size_t i = 0; i < count; ++i)
        texts.emplace_back(bytes.data() + i * size, strnlen(bytes.data() + i * size, size));
    return texts;
}

std::vector<std::byte> Hdf5Dataset::leadingStoredBytes(std::size_t limit) const {
    const Hdf5Lock lock;
    const auto stored = firstStored(handle_.get(), layout_);
    if (!stored) return {};
    const Hdf5Handle file(H5Iget_file_id(handle_.get()));
    void* descriptor = nullptr;  // an int: files are opened with the default driver
    if (!file || H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor) < 0 || descriptor == nullptr) {
        takeHdf5Error();
        return {};
    }
    std::vector<std::byte> bytes(std::min<std::size_t>(limit, static_cast<std::size_t>(stored->second)));
    const ssize_t got =
        ::pread(*static_cast<int*>(descriptor), bytes.data(), bytes.size(), static_cast<off_t>(stored->first));
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
}

}  // namespace dimscope::io
