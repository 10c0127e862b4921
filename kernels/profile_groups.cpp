// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/profile_groups.h"

#include "kernels/checks.h"

namespace dimscope::kernels {
namespace {

const void* dataOf(const TensorView& view) {
    return std::visit([](const auto& v) { return static_cast<const void*>(v.data()); }, view);
}

bool sameGroup(const ProfileJob& a, const ProfileJob& b) {
    return dataOf(a.head.key) == dataOf(b.head.key) && a.head.mask.valid.data() == b.head.mask.valid.data() &&
           a.head.mask.queries == b.head.mask.queries && a.head.query.index() == b.head.query.index();
}

}  // namespace

std::vector<std::span<const ProfileJob>> profileGroups(std::span<const ProfileJob> jobs) {
    std::vector<std::span<const ProfileJob>> groups;
    for (std::size_t n = 0; n < jobs.size(); ++n) {
        checkProfileJob(jobs[n]);
        if (n > 0 && sameGroup(jobs[n - 1], jobs[n]))
            groups.back() = jobs.subspan(n - groups.back().size(), groups.back().size() + 1);
        else
            groups.push_back(jobs.subspan(n, 1));
    }
    return groups;
}

}  // namespace dimscope::kernels
