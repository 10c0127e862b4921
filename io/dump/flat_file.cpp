// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/flat_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "io/dump/tensor_name.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

/// An open file, closed with the last array that reads from it.
class ReadOnlyFile {
public:
    explicit ReadOnlyFile(const std::filesystem::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~ReadOnlyFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    ReadOnlyFile(const ReadOnlyFile&) = delete;
    ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;

    /// Whether all bytes could be read.
    bool read(std::uint64_t offset, std::span<std::byte> out) const {
        for (std::size_t done = 0; done < out.size();) {
            const ssize_t got =
                ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
            if (got <= 0) return false;
            done += static_cast<std::size_t>(got);
        }
        return true;
    }

private:
    int descriptor_;
};

class FlatStoredArray final : public StoredArray {
public:
    FlatStoredArray(std::shared_ptr<const ReadOnlyFile> file, FilePlace place, FlatArray array)
        : file_(std::move(file)), place_(std::move(place)), array_(std::move(array)) {}

    const FilePlace& place() const override { return place_; }
    const ArrayLayout& layout() const override { return array_.layout; }

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
            if (!file_->read(array_.offset + element * bytes, out.subspan(done, pieceBytes)))
                place_.refuse("cannot be read: the file ends before its data, or was changed meanwhile",
                              "copy or write it again, and reload");
            for (std::size_t a = run > 0 ? run - 1 : 0; a > 0; --a) {
                if (++at[a - 1] < box.offset[a - 1] + box.count[a - 1]) break;
                at[a - 1] = box.offset[a - 1];
            }
        }
    }

    std::vector<std::byte> leadingStoredBytes(std::size_t limit) const override {
        std::vector<std::byte> bytes(std::min<std::size_t>(limit, array_.layout.storedBytes));
        if (!file_->read(array_.offset, bytes)) bytes.clear();
        return bytes;
    }

private:
    std::shared_ptr<const ReadOnlyFile> file_;
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
    return std::make_shared<const FlatStoredArray>(std::make_shared<const ReadOnlyFile>(path_), at, found->second);
}

std::vector<std::string> FlatFile::topNames() const {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_) names.push_back(name);
    return names;
}

}  // namespace dimscope::io
