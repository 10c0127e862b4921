// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/flat_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/dump/tensor_name.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr std::uint64_t kQuickMember = std::uint64_t{16} << 20;  ///< of a zip: checked as a whole before it is read

/// Bytes that stand in the file as they are.
class FileBytes final : public ByteSource {
public:
    explicit FileBytes(std::shared_ptr<const ReadOnlyFile> file) : file_(std::move(file)) {}
    bool read(std::uint64_t at, std::span<std::byte> out) const override { return file_->read(at, out); }

private:
    std::shared_ptr<const ReadOnlyFile> file_;
};

class FlatStoredArray final : public StoredArray {
public:
    FlatStoredArray(std::shared_ptr<const ReadOnlyFile> file, std::shared_ptr<const ByteSource> bytes, FilePlace place,
                    FlatArray array)
        : file_(std::move(file)), bytes_(std::move(bytes)), place_(std::move(place)), array_(std::move(array)) {}

    const FilePlace& place() const override { return place_; }
    const ArrayLayout& layout() const override { return array_.layout; }

    void prepare(const kernels::RunControl& control) const override { bytes_->prepare(control); }

    void readBytes(const ArrayBox& box, std::span<std::byte> out) const override {
        const std::vector<std::uint64_t>& shape = array_.layout.shape;
        const std::size_t bytes = array_.layout.type.bytes;
        std::size_t run = shape.size();  // axes from here on are read in one piece
        while (run > 0 && box.offset[run - 1] == 0 && box.count[run - 1] == shape[run - 1]) --run;
        std::size_t pieceBytes = bytes;
        for (std::size_t a = run > 0 ? run - 1 : 0; a < shape.size(); ++a) pieceBytes *= box.count[a];
        if (pieceBytes == 0) return;
        std::vector<std::uint64_t> at = box.offset;
        for (std::size_t done = 0; done < out.size(); done += pieceBytes) {
            std::uint64_t element = 0;
            for (std::size_t a = 0; a < shape.size(); ++a) element = element * shape[a] + at[a];
            if (!bytes_->read(array_.offset + element * bytes, out.subspan(done, pieceBytes)))
                place_.refuse("cannot be read: the file ends before its data, or was changed meanwhile",
                              "copy or write it again, and reload");
            for (std::size_t a = run > 0 ? run - 1 : 0; a > 0; --a) {
                if (++at[a - 1] < box.offset[a - 1] + box.count[a - 1]) break;
                at[a - 1] = box.offset[a - 1];
            }
        }
    }

    bool isReadInParts() const override { return !array_.zip || array_.zip->bytes <= kQuickMember; }

    std::vector<std::byte> leadingStoredBytes(std::size_t limit) const override {
        std::vector<std::byte> bytes(std::min<std::size_t>(limit, array_.layout.storedBytes));
        std::uint64_t at = array_.offset;
        if (array_.zip) at = array_.zip->deflated ? array_.zip->start : array_.zip->start + array_.offset;
        if (!file_->read(at, bytes)) bytes.clear();
        return bytes;
    }

private:
    std::shared_ptr<const ReadOnlyFile> file_;
    std::shared_ptr<const ByteSource> bytes_;
    FilePlace place_;
    FlatArray array_;
};

}  // namespace

std::optional<AttributeValue> FlatAttributes::attribute(const std::string& name) const {
    const auto found = texts_.find(name);
    return found == texts_.end() ? std::nullopt : std::optional<AttributeValue>(found->second);
}

std::vector<std::string> FlatAttributes::attributeNames() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : texts_) names.push_back(name);
    return names;
}

FlatFile::FlatFile(std::filesystem::path path, std::map<std::string, FlatArray> arrays,
                   std::map<std::string, std::string> texts)
    : path_(std::move(path)),
      place_(FilePlace::ofFile(path_)),
      arrays_(std::move(arrays)),
      attributes_(place_, std::move(texts)) {}

std::vector<ArrayRef> FlatFile::arrays() const {
    std::vector<ArrayRef> refs;
    for (const auto& [name, array] : arrays_)
        if (readTensorName(name)) refs.push_back({name, ""});
    return refs;
}

std::shared_ptr<const StoredArray> FlatFile::open(const ArrayRef& array, std::size_t) const {
    const auto found = arrays_.find(array.path);
    const FilePlace at{place_.file, printable(array.path)};
    if (found == arrays_.end()) at.refuse("missing: no such array", "choose one that the file holds");
    auto file = std::make_shared<const ReadOnlyFile>(path_);
    std::shared_ptr<const ByteSource> bytes;
    if (const std::optional<ZipEntry>& zip = found->second.zip) {
        std::shared_ptr<const ByteSource>& member = members_[array.path];
        if (!member) member = std::make_shared<const ZipMember>(file, at, *zip);
        bytes = member;
    } else {
        bytes = std::make_shared<const FileBytes>(file);
    }
    return std::make_shared<const FlatStoredArray>(std::move(file), std::move(bytes), at, found->second);
}

std::vector<std::string> FlatFile::topNames() const {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_) names.push_back(name);
    return names;
}

}  // namespace dimscope::io
