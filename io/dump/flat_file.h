// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "io/dump/array_file.h"
#include "io/dump/zip_member.h"

namespace dimscope::io {

/// Where an array lies in a file that stores its elements side by side, row major, maybe compressed as a whole.
struct FlatArray {
    ArrayLayout layout;
    std::uint64_t offset = 0;     ///< of the first element in the file, or in the member of a zip
    std::optional<ZipEntry> zip;  ///< the member that holds it
};

/// The attributes of a file that has only one set of them: texts.
class FlatAttributes final : public AttributeHolder {
public:
    FlatAttributes(FilePlace place, std::map<std::string, std::string> texts)
        : place_(std::move(place)), texts_(std::move(texts)) {}
    const FilePlace& place() const override { return place_; }
    std::optional<AttributeValue> attribute(const std::string& name) const override;
    std::vector<std::string> attributeNames() const override;

private:
    FilePlace place_;
    std::map<std::string, std::string> texts_;
};

/// A file of named arrays: safetensors, and npz as numpy.savez and numpy.savez_compressed write it.
class FlatFile final : public ArrayFile {
public:
    /// Arrays by name; the names count as paths ("layers.4.q").
    FlatFile(std::filesystem::path path, std::map<std::string, FlatArray> arrays,
             std::map<std::string, std::string> texts);

    const FilePlace& place() const override { return place_; }
    std::vector<ArrayRef> arrays() const override;
    std::shared_ptr<const StoredArray> open(const ArrayRef& array, std::size_t cacheBytes) const override;
    std::vector<const AttributeHolder*> attributes(const ArrayRef&) const override { return {&attributes_}; }
    const AttributeHolder& rootAttributes() const override { return attributes_; }
    std::vector<std::string> topNames() const override;

private:
    std::filesystem::path path_;
    FilePlace place_;
    std::map<std::string, FlatArray> arrays_;
    FlatAttributes attributes_;
    mutable std::map<std::string, std::shared_ptr<const ByteSource>> members_;  ///< of a zip, opened, by name
};

/// Throws FormatError where the header is damaged or does not fit the file.
std::unique_ptr<ArrayFile> openSafetensors(const std::filesystem::path& path);

/// .npz, or one .npy. Throws FormatError where the zip is damaged, or a member is neither stored nor deflated.
std::unique_ptr<ArrayFile> openNpz(const std::filesystem::path& path);

}  // namespace dimscope::io
