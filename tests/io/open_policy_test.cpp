// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/open_policy.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;

TEST(OpenPolicy, FollowsOnlyAsFarAsAllowed) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "dumps/part");
    fs::create_directories(folder / "dumps-of-others");
    io::OpenPolicy policy;
    policy.folder = folder / "dumps";
    const auto allows = [&](const char* name) { return policy.allows(policy.resolved(name)); };
    EXPECT_FALSE(allows("part/a.h5"));
    policy.outside = io::OpenPolicy::Outside::OwnFolder;
    EXPECT_TRUE(allows("part/a.h5"));
    EXPECT_TRUE(allows("part/../a.h5"));
    EXPECT_FALSE(allows("../a.h5"));
    EXPECT_FALSE(allows("../dumps-of-others/a.h5"));
    EXPECT_FALSE(allows("/etc/hostname"));
    policy.outside = io::OpenPolicy::Outside::Anywhere;
    EXPECT_TRUE(allows("/etc/hostname"));
}

TEST(OpenPolicy, ASymbolicLinkCountsAsWhereItLeads) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "dumps");
    writeContent(folder / "secret.h5", "x");
    fs::create_symlink(folder / "secret.h5", folder / "dumps/inside.h5");
    io::OpenPolicy policy;
    policy.folder = folder / "dumps";
    policy.outside = io::OpenPolicy::Outside::OwnFolder;
    EXPECT_FALSE(policy.allows(policy.resolved("inside.h5")));
}

}  // namespace
}  // namespace dimscope::tests
