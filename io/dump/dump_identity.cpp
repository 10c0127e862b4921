// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "io/dump/attribute_scope.h"
#include "io/message_text.h"
#include "io/sha256.h"

namespace dimscope::io {
namespace {

constexpr std::size_t kLeadingBytes = 64U * 1024U;

}  // namespace

analysis::DumpIdentity identifyDump(const std::filesystem::path& path, const ArrayFile& file,
                                    const std::vector<ArrayRef>& used, const std::vector<std::string>& usedPrompts) {
    std::set<std::string> paths(usedPrompts.begin(), usedPrompts.end());
    for (const ArrayRef& array : used) paths.insert(array.path);
    analysis::DumpIdentity identity;
    identity.name = printable(path.filename().string());
    identity.sizeBytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    std::map<const AttributeHolder*, std::string> texts;  // each holder is asked once
    Sha256 hash;
    hash.add(fmt::format("{}\n", identity.sizeBytes));
    for (const std::string& usedPath : paths) {
        const std::shared_ptr<const StoredArray> array = file.open({usedPath, ""}, 0);
        const ArrayLayout& layout = array->layout();
        std::string attributes;
        for (const AttributeHolder* holder : file.attributes({usedPath, ""})) {
            const auto [known, isNew] = texts.try_emplace(holder);
            if (isNew) known->second = AttributeScope({holder}).everything();
            attributes += known->second;
        }
        hash.add(fmt::format("{}\n{} {}\n[{}]\n{}{}\n", usedPath, layout.type.text(),
                             layout.type.bigEndian ? "big" : "little", fmt::join(layout.shape, ", "), attributes,
                             layout.storedBytes));
        hash.add(array->leadingStoredBytes(kLeadingBytes));
    }
    identity.sha256 = hash.hex();
    return identity;
}

}  // namespace dimscope::io
