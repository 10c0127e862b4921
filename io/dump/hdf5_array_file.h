// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "io/dump/array_file.h"
#include "io/hdf5_read.h"

namespace dimscope::io {

/// The arrays of an HDF5 file. The walk over its groups is bounded in depth and number, follows no link out of the file
/// unless the policy allows it, and visits each object once.
class Hdf5ArrayFile final : public ArrayFile {
public:
    Hdf5ArrayFile(const std::filesystem::path& path, const OpenPolicy& policy);

    const FilePlace& place() const override { return root_.place(); }
    std::vector<ArrayRef> arrays() const override { return arrays_; }
    std::shared_ptr<const StoredArray> open(const ArrayRef& array, std::size_t cacheBytes) const override;
    std::vector<const AttributeHolder*> attributes(const ArrayRef& array) const override;
    const AttributeHolder& rootAttributes() const override { return root_; }
    std::vector<std::string> axisNames(const ArrayRef& array) const override;
    bool hasReversedAxes() const override { return matlab_; }
    const Hdf5Group* hdf5Root() const override { return &root_; }
    std::vector<std::string> topNames() const override;
    std::vector<analysis::Warning> oddities() const override { return oddities_; }

private:
    const Hdf5Group& group(const std::string& path) const;
    std::shared_ptr<const Hdf5Dataset> dataset(const std::string& path) const;
    Hdf5Group root_;
    bool matlab_ = false;
    std::vector<ArrayRef> arrays_;
    std::vector<analysis::Warning> oddities_;
    mutable std::map<std::string, std::unique_ptr<Hdf5Group>> groups_;            ///< opened, by path
    mutable std::map<std::string, std::shared_ptr<const Hdf5Dataset>> datasets_;  ///< opened, by path
};

}  // namespace dimscope::io
