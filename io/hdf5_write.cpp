// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_write.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <functional>
#include <numeric>

#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

constexpr unsigned kGzipLevel = 4;  ///< as formats.md recommends

/// Text of variable length, as h5py writes and reads it.
Hdf5Handle textType() {
    Hdf5Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

/// Link creation that makes missing groups on the way.
Hdf5Handle withGroups() {
    Hdf5Handle creation(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(creation.get(), 1);
    H5Pset_char_encoding(creation.get(), H5T_CSET_UTF8);
    return creation;
}

/// IEEE half, in the byte order of `base`, a float32 type.
Hdf5Handle halfType(Hdf5Id base) {
    Hdf5Handle type(H5Tcopy(base));
    H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
    H5Tset_size(type.get(), 2);
    H5Tset_ebias(type.get(), 15);
    return type;
}

Hdf5Handle numberType(StoredNumber number, bool inFile) {
    switch (number) {
        case StoredNumber::Float16: return halfType(inFile ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT);
        case StoredNumber::BFloat16: return Hdf5Handle(H5Tcopy(inFile ? H5T_STD_U16LE : H5T_NATIVE_UINT16));
        case StoredNumber::Float32: return Hdf5Handle(H5Tcopy(inFile ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT));
        case StoredNumber::Float64: break;
    }
    return Hdf5Handle(H5Tcopy(inFile ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE));
}

}  // namespace

template <class Status>
Status Hdf5Writer::checked(Status status, const std::string& object, const char* what) const {
    if (status < 0)
        throw kernels::FileError({shownPath_, object, fmt::format("{} (HDF5: {})", what, takeHdf5Error()),
                                  "check the free space and the rights of the folder"});
    return status;
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path, const std::filesystem::path& shownPath)
    : shownPath_(printable(shownPath.string(), 1000)) {
    const Hdf5Lock lock;
    file_ =
        Hdf5Handle(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "/", "cannot be written"));
}

void Hdf5Writer::makeGroup(const std::string& object) {
    const Hdf5Lock lock;
    if (object == "/" || H5Oexists_by_name(file_.get(), object.c_str(), H5P_DEFAULT) > 0) return;
    takeHdf5Error();
    const Hdf5Handle creation = withGroups();
    const Hdf5Handle group(checked(H5Gcreate2(file_.get(), object.c_str(), creation.get(), H5P_DEFAULT, H5P_DEFAULT),
                                   object, "cannot make the group"));
}

void Hdf5Writer::setAttribute(const std::string& object, const std::string& name,
                              const std::variant<double, std::string>& value) {
    const Hdf5Lock lock;
    const std::string* text = std::get_if<std::string>(&value);
    const Hdf5Handle type = text != nullptr ? textType() : Hdf5Handle(H5Tcopy(H5T_IEEE_F64LE));
    const Hdf5Handle space(H5Screate(H5S_SCALAR));
    const Hdf5Handle attribute(checked(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type.get(),
                                                         space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                       object, "cannot add an attribute"));
    const char* const start = text != nullptr ? text->c_str() : nullptr;
    checked(text != nullptr ? H5Awrite(attribute.get(), type.get(), &start)
                            : H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &std::get<double>(value)),
            object, "cannot write an attribute");
}

void Hdf5Writer::setAttribute(const std::string& object, const std::string& name, std::int64_t value) {
    const Hdf5Lock lock;
    const Hdf5Handle space(H5Screate(H5S_SCALAR));
    const Hdf5Handle attribute(checked(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), H5T_STD_I64LE,
                                                         space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                       object, "cannot add an attribute"));
    checked(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), object, "cannot write an attribute");
}

void Hdf5Writer::write(const std::string& object, const std::vector<kernels::Index>& shape, std::size_t count,
                       Hdf5Id fileType, Hdf5Id memoryType, const void* values) {
    const Hdf5Lock lock;
    const kernels::Index product = std::accumulate(shape.begin(), shape.end(), kernels::Index{1}, std::multiplies<>());
    if (product != static_cast<kernels::Index>(count))
        throw kernels::ShapeError(fmt::format("{}: {} values for a shape of {} elements", object, count, product));
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    const Hdf5Handle space(sizes.empty() ? H5Screate(H5S_SCALAR)
                                         : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
    const Hdf5Handle creation = withGroups();
    const Hdf5Handle dataset(checked(
        H5Dcreate2(file_.get(), object.c_str(), fileType, space.get(), creation.get(), H5P_DEFAULT, H5P_DEFAULT),
        object, "cannot make the dataset"));
    if (count > 0)
        checked(H5Dwrite(dataset.get(), memoryType, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), object,
                "cannot be written");
}

void Hdf5Writer::writeNumbers(const std::string& object, const std::vector<kernels::Index>& shape,
                              std::span<const double> values) {
    write(object, shape, values.size(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

void Hdf5Writer::writeIntegers(const std::string& object, const std::vector<kernels::Index>& shape,
                               std::span<const std::int32_t> values) {
    write(object, shape, values.size(), H5T_STD_I32LE, H5T_NATIVE_INT32, values.data());
}

void Hdf5Writer::writeBytes(const std::string& object, const std::vector<kernels::Index>& shape,
                            std::span<const std::uint8_t> values) {
    write(object, shape, values.size(), H5T_STD_U8LE, H5T_NATIVE_UINT8, values.data());
}

void Hdf5Writer::writeTexts(const std::string& object, std::span<const std::string> values,
                            const std::vector<kernels::Index>& shape) {
    const Hdf5Lock lock;
    std::vector<const char*> starts;
    for (const std::string& value : values) starts.push_back(value.c_str());
    const Hdf5Handle type = textType();
    const std::vector<kernels::Index> line{static_cast<kernels::Index>(values.size())};
    write(object, shape.empty() ? line : shape, values.size(), type.get(), type.get(), starts.data());
}

void Hdf5Writer::makeChunked(const std::string& object, const std::vector<kernels::Index>& shape,
                             const std::vector<kernels::Index>& chunk, StoredNumber number) {
    const Hdf5Lock lock;
    const std::vector<hsize_t> sizes(shape.begin(), shape.end()), chunkSizes(chunk.begin(), chunk.end());
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
    const Hdf5Handle storage(H5Pcreate(H5P_DATASET_CREATE));
    const int rank = static_cast<int>(chunkSizes.size());
    checked(H5Pset_chunk(storage.get(), rank, chunkSizes.data()), object, "cannot be chunked");
    checked(H5Pset_shuffle(storage.get()), object, "cannot be shuffled");
    checked(H5Pset_deflate(storage.get(), kGzipLevel), object, "cannot be compressed");
    const Hdf5Handle creation = withGroups(), type = numberType(number, true);
    const Hdf5Handle dataset(checked(
        H5Dcreate2(file_.get(), object.c_str(), type.get(), space.get(), creation.get(), storage.get(), H5P_DEFAULT),
        object, "cannot make the dataset"));
}

void Hdf5Writer::writeSlab(const std::string& object, const std::vector<kernels::Index>& offset,
                           const std::vector<kernels::Index>& extent, StoredNumber number,
                           std::span<const std::byte> raw) {
    const Hdf5Lock lock;
    const Hdf5Handle type = numberType(number, false);
    const kernels::Index count = std::accumulate(extent.begin(), extent.end(), kernels::Index{1}, std::multiplies<>());
    if (static_cast<std::size_t>(count) * H5Tget_size(type.get()) != raw.size())
        throw kernels::ShapeError(fmt::format("{}: {} bytes for a slab of {} elements", object, raw.size(), count));
    const std::vector<hsize_t> first(offset.begin(), offset.end()), sizes(extent.begin(), extent.end());
    const Hdf5Handle dataset(
        checked(H5Dopen2(file_.get(), object.c_str(), H5P_DEFAULT), object, "cannot be opened again"));
    const Hdf5Handle inFile(H5Dget_space(dataset.get()));
    const Hdf5Handle inMemory(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
    checked(H5Sselect_hyperslab(inFile.get(), H5S_SELECT_SET, first.data(), nullptr, sizes.data(), nullptr), object,
            "cannot be written in part");
    checked(H5Dwrite(dataset.get(), type.get(), inMemory.get(), inFile.get(), H5P_DEFAULT, raw.data()), object,
            "cannot be written");
    checked(H5Dflush(dataset.get()), object, "cannot be written");
}

void Hdf5Writer::close() {
    const Hdf5Lock lock;
    checked(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "/", "cannot be written to the disk");
    file_ = Hdf5Handle();
}

}  // namespace dimscope::io
