// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <cstring>
#include <type_traits>

#include "io/hdf5_read.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr hssize_t kMostElements = 65536;  ///< of an attribute that anybody reads

template <class T>
std::optional<AttributeValue> scalarOrList(std::vector<T> values) {
    if (values.empty()) return std::nullopt;
    if (values.size() == 1) return AttributeValue{std::move(values.front())};
    return AttributeValue{std::move(values)};
}

template <class T>
std::optional<AttributeValue> readAs(hid_t attribute, hid_t memoryType, std::size_t count) {
    std::vector<T> values(count);
    if (H5Aread(attribute, memoryType, values.data()) < 0) {
        takeHdf5Error();
        return std::nullopt;
    }
    return scalarOrList(std::move(values));
}

/// Enumerations (booleans of h5py) by their stored integers.
std::optional<AttributeValue> readEnum(hid_t attribute, hid_t type, std::size_t count) {
    const std::size_t size = H5Tget_size(type);
    if (size != 1) return std::nullopt;
    std::vector<signed char> bytes(count);
    if (H5Aread(attribute, type, bytes.data()) < 0) {
        takeHdf5Error();
        return std::nullopt;
    }
    return scalarOrList(std::vector<std::int64_t>(bytes.begin(), bytes.end()));
}

std::optional<AttributeValue> readVariableText(hid_t attribute, hid_t type, hid_t space, std::size_t count) {
    std::vector<char*> pointers(count, nullptr);
    const Hdf5Handle memoryType(H5Tcopy(type));
    if (H5Aread(attribute, memoryType.get(), pointers.data()) < 0) {
        takeHdf5Error();
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
    H5Dvlen_reclaim(memoryType.get(), space, H5P_DEFAULT, pointers.data());
    return scalarOrList(std::move(texts));
}

std::optional<AttributeValue> readFixedText(hid_t attribute, hid_t type, std::size_t count) {
    const std::size_t size = H5Tget_size(type);
    std::string bytes(size * count, '\0');
    if (H5Aread(attribute, type, bytes.data()) < 0) {
        takeHdf5Error();
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
        const char* start = bytes.data() + i * size;
        std::string text(start, strnlen(start, size));
        while (H5Tget_strpad(type) == H5T_STR_SPACEPAD && text.ends_with(' ')) text.pop_back();
        texts.push_back(std::move(text));
    }
    return scalarOrList(std::move(texts));
}

std::optional<AttributeValue> readValue(hid_t attribute) {
    const Hdf5Handle space(H5Aget_space(attribute));
    const Hdf5Handle type(H5Aget_type(attribute));
    if (!space || !type || H5Sget_simple_extent_type(space.get()) == H5S_NULL) return std::nullopt;
    const hssize_t extent = H5Sget_simple_extent_npoints(space.get());
    if (extent < 1 || extent > kMostElements) return std::nullopt;
    const auto count = static_cast<std::size_t>(extent);
    switch (H5Tget_class(type.get())) {
        case H5T_INTEGER: return readAs<std::int64_t>(attribute, H5T_NATIVE_INT64, count);
        case H5T_FLOAT: return readAs<double>(attribute, H5T_NATIVE_DOUBLE, count);
        case H5T_ENUM: return readEnum(attribute, type.get(), count);
        case H5T_STRING:
            return H5Tis_variable_str(type.get()) > 0 ? readVariableText(attribute, type.get(), space.get(), count)
                                                      : readFixedText(attribute, type.get(), count);
        default: return std::nullopt;
    }
}

herr_t collectName(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

}  // namespace

std::string attributeText(const AttributeValue& value) {
    return std::visit(
        [](const auto& v) -> std::string {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::string>)
                return '"' + printable(v) + '"';
            else if constexpr (std::is_arithmetic_v<T>)
                return fmt::format("{}", v);
            else
                return printable(fmt::format("[{}]", fmt::join(v, ", ")));
        },
        value);
}

std::optional<AttributeValue> Hdf5Object::attribute(const std::string& name) const {
    const Hdf5Lock lock;
    if (H5Aexists(handle_.get(), name.c_str()) <= 0) return std::nullopt;
    const Hdf5Handle attribute(H5Aopen(handle_.get(), name.c_str(), H5P_DEFAULT));
    if (!attribute) {
        takeHdf5Error();
        return std::nullopt;
    }
    return readValue(attribute.get());
}

std::vector<std::string> Hdf5Object::attributeNames() const {
    const Hdf5Lock lock;
    std::vector<std::string> names;
    if (H5Aiterate2(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collectName, &names) < 0) takeHdf5Error();
    return names;
}

}  // namespace dimscope::io
