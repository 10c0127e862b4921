// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/dump/attribute_scope.h"
#include "io/message_text.h"
#include "io/sha256.h"

namespace dimscope::io {
namespace {

constexpr std::size_t kLeadingBytes = 64U * 1024U;

std::string groupOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// Attributes of a group and of those above it; each group is asked once.
class InheritedAttributes {
public:
    explicit InheritedAttributes(const Hdf5Group& root) : root_(root) {}

    const std::string& of(const std::string& path) {
        const auto known = texts_.find(path);
        if (known != texts_.end()) return known->second;
        std::string text = path == "/"
                               ? AttributeScope(root_, {}).everything()
                               : AttributeScope(root_.group(path.substr(1)), {}).everything() + of(groupOf(path));
        return texts_.emplace(path, std::move(text)).first->second;
    }

private:
    const Hdf5Group& root_;
    std::map<std::string, std::string> texts_;
};

}  // namespace

analysis::DumpIdentity identifyDump(const std::filesystem::path& file, const Hdf5Group& root,
                                    std::vector<std::string> used) {
    std::sort(used.begin(), used.end());
    analysis::DumpIdentity identity;
    identity.name = printable(file.filename().string());
    identity.sizeBytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    InheritedAttributes inherited(root);
    Sha256 hash;
    hash.add(fmt::format("{}\n", identity.sizeBytes));
    for (const std::string& path : used) {
        const Hdf5Dataset dataset = root.dataset(path.substr(1));
        const DatasetLayout& layout = dataset.layout();
        const std::string attributes = AttributeScope(dataset, {}).everything() + inherited.of(groupOf(path));
        hash.add(fmt::format("{}\n{} {}\n[{}]\n{}{}\n", path, layout.type.text(),
                             layout.type.bigEndian ? "big" : "little", fmt::join(layout.shape, ", "), attributes,
                             layout.storedBytes));
        hash.add(dataset.leadingStoredBytes(kLeadingBytes));
    }
    identity.sha256 = hash.hex();
    return identity;
}

}  // namespace dimscope::io
