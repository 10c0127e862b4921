// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>

#include "io/hdf5_chunks.h"
#include "io/hdf5_read.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr std::uint64_t kMostWholeBytes = 4ULL << 30U;  ///< of a dataset that is read in one piece

/// Sign, exponent and mantissa side by side, most significant first: what IEEE 754 and bf16 have.
void describeFloat(hid_t type, ElementType& result) {
    std::size_t sign = 0, exponent = 0, exponentBits = 0, mantissa = 0, mantissaBits = 0;
    H5Tget_fields(type, &sign, &exponent, &exponentBits, &mantissa, &mantissaBits);
    result.exponentBits = static_cast<int>(exponentBits);
    result.mantissaBits = static_cast<int>(mantissaBits);
    result.exponentBias = H5Tget_ebias(type);
    result.plainLayout = mantissa == 0 && exponent == mantissaBits && sign == exponent + exponentBits &&
                         sign + 1 == result.bytes * 8 && H5Tget_norm(type) == H5T_NORM_IMPLIED;
}

std::string memberName(hid_t compound, int member) {
    const std::unique_ptr<char, decltype(&H5free_memory)> name(
        H5Tget_member_name(compound, static_cast<unsigned>(member)), &H5free_memory);
    return name ? name.get() : "";
}

ElementType describeType(hid_t type) {
    ElementType result;
    result.bytes = H5Tget_size(type);
    const H5T_order_t order = H5Tget_order(type);
    result.bigEndian = order == H5T_ORDER_BE;
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            result.kind = ElementType::Class::Integer;
            result.isSigned = H5Tget_sign(type) == H5T_SGN_2;
            result.wholeWord = H5Tget_precision(type) == result.bytes * 8 && H5Tget_offset(type) == 0;
            break;
        case H5T_FLOAT:
            result.kind = order == H5T_ORDER_VAX ? ElementType::Class::Other : ElementType::Class::Float;
            describeFloat(type, result);
            break;
        case H5T_ENUM: result.kind = result.bytes == 1 ? ElementType::Class::Boolean : ElementType::Class::Other; break;
        case H5T_STRING: result.kind = ElementType::Class::String; break;
        case H5T_OPAQUE: result.kind = ElementType::Class::Opaque; break;
        case H5T_COMPOUND:
            result.kind = ElementType::Class::Compound;
            for (int n = 0; n < H5Tget_nmembers(type); ++n) result.fields.push_back(memberName(type, n));
            break;
        default: break;
    }
    takeHdf5Error();  // an order is not defined for every class
    return result;
}

ArrayLayout describe(hid_t dataset, const FilePlace& place, hid_t elementType) {
    ArrayLayout layout;
    layout.type = describeType(elementType);
    const Hdf5Handle space(place.checked(H5Dget_space(dataset), "cannot read its shape"));
    layout.null = H5Sget_simple_extent_type(space.get()) == H5S_NULL;
    const int rank = layout.null ? 0 : place.checked(H5Sget_simple_extent_ndims(space.get()), "cannot read its rank");
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    if (rank > 0) H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
    layout.shape.assign(sizes.begin(), sizes.end());
    layout.storedBytes = H5Dget_storage_size(dataset);
    const Hdf5Handle creation(place.checked(H5Dget_create_plist(dataset), "cannot read how it is stored"));
    if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) {  // its sources were checked before it was opened for reading
        layout.storedBytes = layout.type.bytes;
        for (const std::uint64_t size : layout.shape) layout.storedBytes *= size;
    }
    if (rank > 0 && H5Pget_layout(creation.get()) == H5D_CHUNKED) {
        place.checked(H5Pget_chunk(creation.get(), rank, sizes.data()), "cannot read its chunks");
        layout.chunk.assign(sizes.begin(), sizes.end());
    }
    return layout;
}

ArrayBox wholeBox(const ArrayLayout& layout) {
    return {std::vector<std::uint64_t>(layout.shape.size(), 0), layout.shape};
}

std::vector<hsize_t> asSizes(const std::vector<std::uint64_t>& values) { return {values.begin(), values.end()}; }

/// Address of the first stored byte in the file and how many follow; nothing where none was written.
std::optional<std::pair<haddr_t, hsize_t>> firstStored(hid_t dataset, const ArrayLayout& layout) {
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

std::string ElementType::text() const {
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
        case Class::Compound: return "compound type";
        case Class::Other: break;
    }
    return "a type that is no number (class not known here)";
}

Hdf5Dataset::Hdf5Dataset(Hdf5Handle handle, FilePlace place, const std::string& field, std::size_t cacheBytes)
    : Hdf5Object(std::move(handle), std::move(place)), field_(field) {
    const Hdf5Lock lock;
    const Hdf5Handle whole(place_.checked(H5Dget_type(handle_.get()), "cannot read its type"));
    std::size_t fieldOffset = 0;
    if (!field_.empty()) {
        const int member = H5Tget_member_index(whole.get(), field_.c_str());
        place_.checked(member, ("has no field " + field_).c_str());
        fieldOffset = H5Tget_member_offset(whole.get(), static_cast<unsigned>(member));
    }
    layout_ = describe(handle_.get(), place_, storedType().get());
    chunks_ = ChunkReader::make(handle_.get(), layout_, place_, H5Tget_size(whole.get()), fieldOffset, cacheBytes);
}

Hdf5Dataset::Hdf5Dataset(Hdf5Dataset&&) noexcept = default;
Hdf5Dataset::~Hdf5Dataset() = default;

Hdf5Handle Hdf5Dataset::storedType() const {
    Hdf5Handle whole(place_.checked(H5Dget_type(handle_.get()), "cannot read its type"));
    if (field_.empty()) return whole;
    const int member = place_.checked(H5Tget_member_index(whole.get(), field_.c_str()), "has lost a field");
    return Hdf5Handle(place_.checked(H5Tget_member_type(whole.get(), static_cast<unsigned>(member)),
                                     "cannot read the type of a field"));
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

void Hdf5Dataset::checkWritten(const ArrayBox& box) const {
    if (layout_.chunk.empty()) {
        if (layout_.storedBytes == 0) place_.refuse("was never written: its data are missing", "write it again");
        return;
    }
    forEachChunk(box, layout_.chunk, [this](const std::vector<std::uint64_t>& origin) {
        requireStoredChunk(handle_.get(), origin, place_);
    });
}

void Hdf5Dataset::readBox(const ArrayBox& box, Hdf5Id memoryType, void* out) const {
    if (layout_.null) place_.refuse("is empty (no values)", "write its values");
    checkWritten(box);
    Hdf5Handle compound;
    if (!field_.empty()) {
        compound = Hdf5Handle(H5Tcreate(H5T_COMPOUND, H5Tget_size(memoryType)));
        place_.checked(H5Tinsert(compound.get(), field_.c_str(), 0, memoryType), "cannot select the field");
        memoryType = compound.get();
    }
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

void Hdf5Dataset::readBytes(const ArrayBox& box, std::span<std::byte> out) const {
    const Hdf5Lock lock;
    [[maybe_unused]] const std::uint64_t count =
        std::accumulate(box.count.begin(), box.count.end(), std::uint64_t{1}, std::multiplies<>());
    assert(count * layout_.type.bytes == out.size());
    if (layout_.null) place_.refuse("is empty (no values)", "write its values");
    if (chunks_) return chunks_->read(handle_.get(), box, out);
    readBox(box, storedType().get(), out.data());
}

void Hdf5Dataset::readConverted(const ArrayBox& box, std::span<double> out) const {
    const Hdf5Lock lock;
    readBox(box, H5T_NATIVE_DOUBLE, out.data());
}

bool Hdf5Dataset::wasWritten(const ArrayBox& box) const {
    const Hdf5Lock lock;
    if (layout_.chunk.empty()) return layout_.storedBytes > 0;
    bool written = true;
    forEachChunk(box, layout_.chunk, [&](const std::vector<std::uint64_t>& origin) {
        written = written && storedChunkBytes(handle_.get(), origin) > 0;
    });
    return written;
}

std::vector<double> Hdf5Dataset::readNumbers() const {
    const Hdf5Lock lock;
    if (layout_.type.kind != ElementType::Class::Integer && layout_.type.kind != ElementType::Class::Float)
        place_.refuse("has type " + layout_.type.text() + ", expected numbers", "write numbers");
    std::vector<double> values(checkedElements(sizeof(double)));
    if (!values.empty()) readBox(wholeBox(layout_), H5T_NATIVE_DOUBLE, values.data());
    return values;
}

std::vector<std::int64_t> Hdf5Dataset::readIntegers() const {
    checkedElements(sizeof(std::int64_t));
    return readIntegers(wholeBox(layout_));
}

std::vector<std::int64_t> Hdf5Dataset::readIntegers(const ArrayBox& box) const {
    const Hdf5Lock lock;
    const bool boolean = layout_.type.kind == ElementType::Class::Boolean;
    if (!boolean && layout_.type.kind != ElementType::Class::Integer)
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
    if (layout_.type.kind != ElementType::Class::String)
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
