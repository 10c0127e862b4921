// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/provenance.h"
#include "io/open_policy.h"
#include "io/stored_array.h"

namespace dimscope::io {

class Hdf5Group;

/// An array, or one field of a compound one.
struct ArrayRef {
    std::string path, field;

    /// "/layers/04/q", "/layers/04/qkv.q"
    std::string text() const { return field.empty() ? path : path + "." + field; }
    /// The path under which the array would stand alone: "/layers/04/q".
    std::string ownPath() const { return field.empty() ? path : path.substr(0, path.rfind('/')) + "/" + field; }
};

/// A file of named arrays: HDF5, safetensors or npz. Opening it reads no array.
class ArrayFile {
public:
    virtual ~ArrayFile() = default;
    virtual const FilePlace& place() const = 0;
    /// Every array of the file whose name can be a tensor's, in alphabetical order; bounded, whatever links there are.
    virtual std::vector<ArrayRef> arrays() const = 0;
    /// Throws FormatError: missing, no array, a link out of the file, no such filter. `cacheBytes` for decoded chunks.
    virtual std::shared_ptr<const StoredArray> open(const ArrayRef& array, std::size_t cacheBytes) const = 0;
    /// Those of the array itself, then of the groups above it, the root last. They live as long as the file.
    virtual std::vector<const AttributeHolder*> attributes(const ArrayRef& array) const = 0;
    virtual const AttributeHolder& rootAttributes() const = 0;
    /// What the file says about the axes of an array; one name per axis, or nothing.
    virtual std::vector<std::string> axisNames(const ArrayRef&) const { return {}; }
    /// Written by a program that stores arrays with reversed axes (MATLAB).
    virtual bool hasReversedAxes() const { return false; }
    /// Null where the file is not HDF5.
    virtual const Hdf5Group* hdf5Root() const { return nullptr; }
    /// Names for a message that says what is there instead.
    virtual std::vector<std::string> topNames() const = 0;
    /// What was found and not used: links out of the file.
    virtual std::vector<analysis::Warning> oddities() const { return {}; }
};

/// Recognises the file by its content. Throws FileError: missing, a directory, empty, cut off; FormatError: another
/// kind of file, named.
std::unique_ptr<ArrayFile> openArrayFile(const std::filesystem::path& path, const OpenPolicy& policy);

}  // namespace dimscope::io
