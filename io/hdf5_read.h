// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5_handle.h"
#include "io/open_policy.h"
#include "io/stored_array.h"

namespace dimscope::io {

/// A group or dataset.
class Hdf5Object : public AttributeHolder {
public:
    const FilePlace& place() const override { return place_; }
    std::optional<AttributeValue> attribute(const std::string& name) const override;
    std::vector<std::string> attributeNames() const override;

protected:
    Hdf5Object(Hdf5Handle handle, FilePlace place) : handle_(std::move(handle)), place_(std::move(place)) {}
    ~Hdf5Object() override = default;
    Hdf5Object(Hdf5Object&&) = default;
    Hdf5Object& operator=(Hdf5Object&&) = default;

    Hdf5Handle handle_;
    FilePlace place_;
};

class ChunkReader;

/// A dataset, or one numeric field of a compound one.
class Hdf5Dataset : public Hdf5Object, public StoredArray {
public:
    /// `field`: of a compound dataset; empty: the whole. `cacheBytes`: for decoded chunks; 0: one chunk.
    Hdf5Dataset(Hdf5Handle handle, FilePlace place, const std::string& field = "", std::size_t cacheBytes = 0);
    Hdf5Dataset(Hdf5Dataset&&) noexcept;
    ~Hdf5Dataset() override;

    const FilePlace& place() const override { return place_; }
    const ArrayLayout& layout() const override { return layout_; }
    void readBytes(const ArrayBox& box, std::span<std::byte> out) const override;
    void readConverted(const ArrayBox& box, std::span<double> out) const override;
    std::vector<std::byte> leadingStoredBytes(std::size_t limit) const override;
    bool wasWritten(const ArrayBox& box) const override;

    /// Product of the shape; throws FormatError where it does not fit 63 bits.
    std::uint64_t elements() const;
    /// Whole small datasets of numbers, converted by HDF5.
    std::vector<double> readNumbers() const;
    std::vector<std::int64_t> readIntegers() const;
    std::vector<std::int64_t> readIntegers(const ArrayBox& box) const;
    std::vector<std::string> readStrings() const;
    /// Refuses whole-dataset reads of an implausible size; `bytesEach` in memory.
    std::uint64_t checkedElements(std::size_t bytesEach) const;
    /// What people or libraries wrote about the axes: dimension labels, else the names of attached scales; one per
    /// axis, or nothing.
    std::vector<std::string> axisNames() const;

private:
    void readBox(const ArrayBox& box, Hdf5Id memoryType, void* out) const;
    void checkWritten(const ArrayBox& box) const;
    Hdf5Handle storedType() const;  ///< of the elements as readBytes gives them
    std::string field_;
    ArrayLayout layout_;
    std::unique_ptr<ChunkReader> chunks_;  ///< null: HDF5 reads the data
};

/// File and address of an object: equal for two links to one object.
using Hdf5ObjectId = std::pair<std::uint64_t, std::uint64_t>;

enum class Hdf5Kind { Missing, Group, Dataset, ExternalLink, BrokenLink, Other };

class Hdf5Group : public Hdf5Object {
public:
    Hdf5Group(Hdf5Handle handle, FilePlace place, std::shared_ptr<const OpenPolicy> policy)
        : Hdf5Object(std::move(handle), std::move(place)), policy_(std::move(policy)) {}
    /// The root group. `policy`: which data outside the file may be used. Throws as openHdf5ForReading.
    static Hdf5Group openFile(const std::filesystem::path& path, OpenPolicy policy = {});

    /// Follows links inside the file, and links out of it where the policy allows them.
    Hdf5Kind kind(const std::string& name) const;
    /// Children in alphabetical order.
    std::vector<std::string> names() const;
    /// Nothing where the link cannot be followed.
    std::optional<Hdf5ObjectId> objectId(const std::string& name) const;
    /// "../other.h5:/q" of an external link; empty for other links.
    std::string externalTarget(const std::string& name) const;
    /// Throw FormatError: missing, another kind, a link out of the file, external storage, virtual, no such filter.
    Hdf5Group group(const std::string& name) const;
    /// `path` may have several steps; `field` and `cacheBytes` as for Hdf5Dataset.
    Hdf5Dataset dataset(const std::string& path, std::size_t cacheBytes = 0, const std::string& field = "") const;
    const OpenPolicy& policy() const { return *policy_; }
    /// Whether the file says that a program still writes it; it was opened beside that program (SWMR).
    bool isMarkedOpen() const;

private:
    void requireKind(const std::string& name, Hdf5Kind wanted) const;
    std::shared_ptr<const OpenPolicy> policy_;
};

}  // namespace dimscope::io
