// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/dump/flat_file.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostHeaderBytes = 100ULL * 1000 * 1000;  ///< the limit of the format's own library
constexpr int kDeepestHeader = 4;                                 ///< tensors, their entries, their shapes
constexpr std::size_t kLengthBytes = 8;
constexpr const char* kWriteItAgain = "write the file again with the safetensors library";

/// The header is at most four levels deep: a deeper one is refused before it is built.
json parsedHeader(const std::string& text, const FilePlace& place) {
    bool deep = false;
    const auto keepShallow = [&deep](int depth, json::parse_event_t event, json&) {
        const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        deep = deep || (opens && depth >= kDeepestHeader);
        return !(opens && depth >= kDeepestHeader);
    };
    json header = json::parse(text, keepShallow, false);
    if (header.is_discarded() || !header.is_object() || deep)
        place.refuse("its safetensors header is damaged: no valid JSON object of tensors", kWriteItAgain);
    return header;
}

ElementType typeOf(const std::string& dtype, const FilePlace& at) {
    ElementType type;
    const auto floating = [&](std::size_t bytes, int exponent, int mantissa, std::size_t bias) {
        type.kind = ElementType::Class::Float;
        type.bytes = bytes;
        type.exponentBits = exponent;
        type.mantissaBits = mantissa;
        type.exponentBias = bias;
        type.plainLayout = true;
    };
    const auto integer = [&](std::size_t bytes, bool isSigned) {
        type.kind = ElementType::Class::Integer;
        type.bytes = bytes;
        type.isSigned = isSigned;
    };
    if (dtype == "F64")
        floating(8, 11, 52, 1023);
    else if (dtype == "F32")
        floating(4, 8, 23, 127);
    else if (dtype == "F16")
        floating(2, 5, 10, 15);
    else if (dtype == "BF16")
        floating(2, 8, 7, 127);
    else if (dtype == "F8_E4M3")
        floating(1, 4, 3, 7);
    else if (dtype == "F8_E5M2")
        floating(1, 5, 2, 15);
    else if (dtype == "I64" || dtype == "U64")
        integer(8, dtype[0] == 'I');
    else if (dtype == "I32" || dtype == "U32")
        integer(4, dtype[0] == 'I');
    else if (dtype == "I16" || dtype == "U16")
        integer(2, dtype[0] == 'I');
    else if (dtype == "I8" || dtype == "U8" || dtype == "BOOL")
        integer(1, dtype[0] == 'I');
    else
        at.refuse(fmt::format("has dtype \"{}\", which is not known here", printable(dtype)), "write F32, F16 or BF16");
    return type;
}

/// Shape, type and place of one tensor; `dataStart`: where the data of all begin, `fileBytes`: where they must end.
FlatArray describe(const json& entry, const FilePlace& at, std::uint64_t dataStart, std::uint64_t fileBytes) {
    const auto damaged = [&](const char* what) { at.refuse(what, kWriteItAgain); };
    const auto isNumbers = [](const json& list) {
        return list.is_array() &&
               std::all_of(list.begin(), list.end(), [](const json& n) { return n.is_number_unsigned(); });
    };
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !isNumbers(entry["shape"]) || !entry.contains("data_offsets") || !isNumbers(entry["data_offsets"]) ||
        entry["data_offsets"].size() != 2)
        damaged("has no dtype, shape and data_offsets in the safetensors header");
    FlatArray array;
    array.layout.type = typeOf(entry["dtype"].get<std::string>(), at);
    array.layout.shape = entry["shape"].get<std::vector<std::uint64_t>>();
    const auto offsets = entry["data_offsets"].get<std::vector<std::uint64_t>>();
    std::uint64_t bytes = array.layout.type.bytes;
    for (const std::uint64_t size : array.layout.shape)
        if (__builtin_mul_overflow(bytes, size, &bytes)) damaged("declares a shape whose size overflows");
    if (offsets[0] > offsets[1] || offsets[1] - offsets[0] != bytes)
        at.refuse(fmt::format("declares a shape of {} bytes, but data_offsets of another size", bytes), kWriteItAgain);
    if (offsets[1] > fileBytes - dataStart)
        at.refuse(fmt::format("its data lie beyond the end of the file ({}): cut off (truncated)",
                              bytesText(static_cast<double>(fileBytes))),
                  "copy or download it again");
    array.offset = dataStart + offsets[0];
    array.layout.storedBytes = bytes;
    return array;
}

}  // namespace

std::unique_ptr<ArrayFile> openSafetensors(const std::filesystem::path& path) {
    const FilePlace place = FilePlace::ofFile(path);
    const std::uint64_t fileBytes = std::filesystem::file_size(path);
    std::ifstream file(path, std::ios::binary);
    unsigned char raw[kLengthBytes] = {};
    file.read(reinterpret_cast<char*>(raw), kLengthBytes);
    std::uint64_t length = 0;
    for (std::size_t n = kLengthBytes; n-- > 0;) length = length << 8U | raw[n];
    if (length > kMostHeaderBytes || length > fileBytes - kLengthBytes)
        place.refuse(
            fmt::format("its safetensors header declares {}, the file has {}: too large or cut off (truncated)",
                        bytesText(static_cast<double>(length)), bytesText(static_cast<double>(fileBytes))),
            "copy or download it again");
    std::string text(length, '\0');
    file.read(text.data(), static_cast<std::streamsize>(length));
    const json header = parsedHeader(text, place);
    std::map<std::string, FlatArray> arrays;
    std::map<std::string, std::string> texts;
    for (const auto& [name, entry] : header.items()) {
        if (name != "__metadata__") {
            arrays.emplace(name, describe(entry, {place.file, printable(name)}, kLengthBytes + length, fileBytes));
            continue;
        }
        for (const auto& [key, value] : entry.items())
            if (value.is_string()) texts.emplace(key, value.get<std::string>());
    }
    return std::make_unique<FlatFile>(path, std::move(arrays), std::move(texts));
}

}  // namespace dimscope::io
