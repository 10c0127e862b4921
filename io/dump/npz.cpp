// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <regex>

#include "io/dump/flat_file.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr std::size_t kMostMembers = 65536;
constexpr std::size_t kMostNpyHeader = 65536;
constexpr const char* kSaveAgain = "save it again with numpy.savez";

/// Little-endian numbers at given places of a file.
class BinaryFile {
public:
    explicit BinaryFile(const std::filesystem::path& path)
        : place_(FilePlace::ofFile(path)), size_(std::filesystem::file_size(path)), file_(path, std::ios::binary) {}

    const FilePlace& place() const { return place_; }
    std::uint64_t size() const { return size_; }

    std::string text(std::uint64_t offset, std::uint64_t count) {
        if (offset > size_ || count > size_ - offset)
            place_.refuse("is cut off or damaged: its directory points beyond its end (truncated)", "copy it again");
        std::string bytes(count, '\0');
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(offset));
        file_.read(bytes.data(), static_cast<std::streamsize>(count));
        return bytes;
    }

private:
    FilePlace place_;
    std::uint64_t size_;
    std::ifstream file_;
};

std::uint64_t numberAt(const std::string& bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t n = count; n-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes.at(at + n));
    return value;
}

struct DirectoryEntry {
    std::string name;
    std::uint64_t flags = 0, method = 0, checksum = 0, storedBytes = 0, bytes = 0, header = 0;
};

/// The central directory of a zip (APPNOTE 4.3.12), with the 64-bit sizes of large members (4.5.3).
std::vector<DirectoryEntry> directoryOf(BinaryFile& file) {
    constexpr std::uint64_t kEndBytes = 22, kMostComment = 65535;
    const std::uint64_t tailBytes = std::min(file.size(), kEndBytes + kMostComment);
    const std::string tail = file.text(file.size() - tailBytes, tailBytes);
    const std::size_t end = tail.rfind("PK\x05\x06");
    if (end == std::string::npos || tail.size() - end < kEndBytes)
        file.place().refuse("is cut off: the zip has no directory (truncated)", "copy it again");
    std::uint64_t bytes = numberAt(tail, end + 12, 4), offset = numberAt(tail, end + 16, 4);
    if (offset == 0xFFFFFFFFU && end >= 20) {
        const std::string record = file.text(numberAt(tail, end - 12, 8), 56);
        bytes = numberAt(record, 40, 8);
        offset = numberAt(record, 48, 8);
    }
    const std::string directory = file.text(offset, bytes);
    std::vector<DirectoryEntry> members;
    for (std::size_t at = 0; at + 46 <= directory.size() && members.size() < kMostMembers;) {
        if (directory.compare(at, 4, "PK\x01\x02") != 0) break;
        const std::size_t name = numberAt(directory, at + 28, 2), extra = numberAt(directory, at + 30, 2);
        const std::size_t comment = numberAt(directory, at + 32, 2);
        if (at + 46 + name + extra + comment > directory.size()) break;
        DirectoryEntry member{directory.substr(at + 46, name), numberAt(directory, at + 8, 2),
                              numberAt(directory, at + 10, 2), numberAt(directory, at + 16, 4),
                              numberAt(directory, at + 20, 4), numberAt(directory, at + 24, 4),
                              numberAt(directory, at + 42, 4)};
        for (std::size_t field = at + 46 + name, stop = field + extra; field + 4 <= stop;) {
            const std::size_t fieldBytes = numberAt(directory, field + 2, 2);
            std::size_t value = field + 4;
            if (numberAt(directory, field, 2) == 1 && field + 4 + fieldBytes <= stop)
                for (std::uint64_t* number : {&member.bytes, &member.storedBytes, &member.header})
                    if (*number == 0xFFFFFFFFU && value + 8 <= field + 4 + fieldBytes) {
                        *number = numberAt(directory, value, 8);
                        value += 8;
                    }
            field += 4 + fieldBytes;
        }
        members.push_back(std::move(member));
        at += 46 + name + extra + comment;
    }
    return members;
}

ElementType numpyType(const std::string& descr, const FilePlace& at) {
    ElementType type;
    const char kind = descr.size() > 1 ? descr[1] : '?';
    std::size_t bytes = 0;
    std::from_chars(descr.data() + std::min<std::size_t>(2, descr.size()), descr.data() + descr.size(), bytes);
    type.bytes = bytes;
    type.bigEndian = !descr.empty() && descr[0] == '>';
    if (kind == 'f' && (bytes == 2 || bytes == 4 || bytes == 8)) {
        type.kind = ElementType::Class::Float;
        type.plainLayout = true;
        type.exponentBits = bytes == 2 ? 5 : (bytes == 4 ? 8 : 11);
        type.mantissaBits = static_cast<int>(bytes * 8) - 1 - type.exponentBits;
        type.exponentBias = (std::size_t{1} << static_cast<unsigned>(type.exponentBits - 1)) - 1;
    } else if ((kind == 'i' || kind == 'u' || kind == 'b') && bytes >= 1 && bytes <= 8) {
        type.kind = ElementType::Class::Integer;
        type.isSigned = kind == 'i';
    } else if (kind == 'V') {
        type.kind = ElementType::Class::Opaque;
    } else {
        at.refuse(kind == 'O' ? std::string("holds pickled Python objects (dtype object), which are never unpickled")
                              : fmt::format("has dtype \"{}\", expected numbers", printable(descr)),
                  "save plain arrays of float32, float16 or float64");
    }
    return type;
}

/// Header of a .npy (numpy.lib.format): a dictionary of three entries; its text is matched, never evaluated. `leading`
/// gives its first bytes, `bytes` is how many there are in all.
template <class Leading>
FlatArray describeNpy(const Leading& leading, std::uint64_t bytes, const FilePlace& at) {
    const auto damaged = [&](const char* what) { at.refuse(what, kSaveAgain); };
    const std::string magic = bytes >= 12 ? leading(12) : std::string();
    if (!magic.starts_with("\x93NUMPY") || magic.size() < 12) damaged("is no .npy array (no NUMPY signature)");
    const bool wide = magic[6] > 1;
    const std::uint64_t length = numberAt(magic, 8, wide ? 4 : 2), data = (wide ? 12U : 10U) + length;
    if (length > kMostNpyHeader || data > bytes) damaged("its header is damaged or cut off");
    const std::string start = leading(data);
    if (start.size() < data) damaged("its header is damaged or cut off");
    const std::string header = start.substr(wide ? 12 : 10);
    std::smatch descr, order, shape;
    if (!std::regex_search(header, descr, std::regex("'descr': *'([^']{1,8})'")) ||
        !std::regex_search(header, order, std::regex("'fortran_order': *(True|False)")) ||
        !std::regex_search(header, shape, std::regex("'shape': *\\(([0-9, ]*)\\)")))
        damaged(header.find("'descr': [") != std::string::npos ? "has a structured dtype, expected plain numbers"
                                                               : "its header is damaged");
    FlatArray array;
    array.layout.type = numpyType(descr[1], at);
    const std::string sizes = shape[1];
    for (const char *p = sizes.data(), *end = p + sizes.size(); p < end;) {
        std::uint64_t size = 0;
        const auto [next, failure] = std::from_chars(p, end, size);
        if (failure == std::errc{}) array.layout.shape.push_back(size);
        p = next == p ? p + 1 : next;
    }
    if (order[1] == "True" && array.layout.shape.size() > 1)
        at.refuse("is stored in Fortran order (fortran_order=True)", "save numpy.ascontiguousarray(a)");
    std::uint64_t total = array.layout.type.bytes;
    for (const std::uint64_t size : array.layout.shape)
        if (__builtin_mul_overflow(total, size, &total)) damaged("declares a shape whose size overflows");
    if (total != bytes - data)
        at.refuse(fmt::format("declares a shape of {} bytes, but {} bytes are stored", total, bytes - data),
                  kSaveAgain);
    array.offset = data;
    array.layout.storedBytes = total;
    return array;
}

FlatArray describeMember(BinaryFile& file, const std::shared_ptr<const ReadOnlyFile>& bytes,
                         const DirectoryEntry& member) {
    constexpr std::uint64_t kStored = 0, kDeflated = 8, kEncrypted = 1;
    const FilePlace at{file.place().file, printable(member.name)};
    if ((member.flags & kEncrypted) != 0) at.refuse("is encrypted", kSaveAgain);
    if (member.method != kStored && member.method != kDeflated)
        at.refuse(fmt::format("is compressed by method {} of zip, of which 0 (stored) and 8 (deflate) are read",
                              member.method),
                  "save it again with numpy.savez or numpy.savez_compressed");
    const std::string local = file.text(member.header, 30);
    if (!local.starts_with("PK\x03\x04")) at.refuse("its entry in the zip is damaged", kSaveAgain);
    const std::uint64_t start = member.header + 30 + numberAt(local, 26, 2) + numberAt(local, 28, 2);
    if (start > file.size() || member.storedBytes > file.size() - start)
        at.refuse("its data lie beyond the end of the file: cut off (truncated)", "copy it again");
    const ZipEntry entry{start, member.storedBytes, member.bytes, static_cast<std::uint32_t>(member.checksum),
                         member.method == kDeflated};
    const ZipMember unpacked(bytes, at, entry);
    FlatArray array = describeNpy([&](std::uint64_t count) { return unpacked.leading(count); }, entry.bytes, at);
    array.zip = entry;
    if (entry.deflated) array.layout.storedBytes = entry.storedBytes;
    return array;
}

}  // namespace

std::unique_ptr<ArrayFile> openNpz(const std::filesystem::path& path) {
    BinaryFile file(path);
    std::map<std::string, FlatArray> arrays;
    if (file.text(0, std::min<std::uint64_t>(file.size(), 6)) == "\x93NUMPY") {
        const auto leading = [&](std::uint64_t count) { return file.text(0, count); };
        arrays.emplace(path.stem().string(), describeNpy(leading, file.size(), file.place()));
        return std::make_unique<FlatFile>(path, std::move(arrays), std::map<std::string, std::string>{});
    }
    const std::vector<DirectoryEntry> members = directoryOf(file);
    const bool pickled = std::any_of(members.begin(), members.end(),
                                     [](const DirectoryEntry& member) { return member.name.ends_with(".pkl"); });
    if (pickled)
        file.place().refuse("is a file of torch.save (a zip with a pickle, .pt), which is never unpickled here",
                            "convert it in Python: torch.load, then safetensors.torch.save_file or numpy.savez");
    const auto bytes = std::make_shared<const ReadOnlyFile>(path);
    for (const DirectoryEntry& member : members)
        if (member.name.ends_with(".npy"))
            arrays.emplace(member.name.substr(0, member.name.size() - 4), describeMember(file, bytes, member));
    if (arrays.empty())
        file.place().refuse("is a zip archive without .npy arrays, not an attention dump",
                            "unpack it, or save the tensors with numpy.savez");
    return std::make_unique<FlatFile>(path, std::move(arrays), std::map<std::string, std::string>{});
}

}  // namespace dimscope::io
