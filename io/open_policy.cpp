// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/open_policy.h"

#include <algorithm>

namespace dimscope::io {
namespace {

bool liesInside(const std::filesystem::path& file, const std::filesystem::path& folder) {
    std::error_code failure;
    const std::filesystem::path base = std::filesystem::weakly_canonical(folder, failure);
    const auto [end, unused] = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
    return !failure && end == base.end();
}

}  // namespace

std::filesystem::path OpenPolicy::resolved(const std::string& name) const {
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::weakly_canonical(folder / name, failure);
    return failure ? std::filesystem::path(folder / name).lexically_normal() : path;
}

bool OpenPolicy::allows(const std::filesystem::path& resolvedFile) const {
    if (outside == Outside::Never) return false;
    return outside == Outside::Anywhere || liesInside(resolvedFile, folder);
}

std::string OpenPolicy::advice(const std::filesystem::path& resolvedFile) const {
    return liesInside(resolvedFile, folder) ? "if you trust the file: --allow links, or copy the data in (h5repack)"
                                            : "if you trust the file: --allow outside, or copy the data in (h5repack)";
}

}  // namespace dimscope::io
