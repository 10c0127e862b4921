// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(AtomicFile, WritesAndReplaces) {
    const TemporaryFolder folder;
    io::writeFileAtomically(folder / "a.csv", "one");
    EXPECT_EQ(contentOf(folder / "a.csv"), "one");
    io::writeFileAtomically(folder / "a.csv", std::string_view("two\0three", 9));
    EXPECT_EQ(contentOf(folder / "a.csv"), std::string("two\0three", 9));
    EXPECT_EQ(folder.names(), Names{"a.csv"});
}

TEST(AtomicFile, AWriterThatThrowsLeavesTheOldFile) {
    const TemporaryFolder folder;
    writeContent(folder / "a.csv", "old");
    const auto fail = [](const fs::path& part) {
        writeContent(part, "half");
        throw std::runtime_error("disk full");
    };
    EXPECT_THROW(io::writeFileAtomically(folder / "a.csv", fail), std::runtime_error);
    EXPECT_THROW(io::writeFileAtomically(folder / "new.csv", fail), std::runtime_error);
    EXPECT_EQ(contentOf(folder / "a.csv"), "old");
    EXPECT_EQ(folder.names(), Names{"a.csv"});
}

TEST(AtomicFile, TheOldFileIsWholeWhileTheNewOneIsWritten) {
    const TemporaryFolder folder;
    writeContent(folder / "a.csv", "old");
    io::writeFileAtomically(folder / "a.csv", [&](const fs::path& part) {
        EXPECT_EQ(part.parent_path(), folder.path());  // a rename does not cross file systems
        EXPECT_EQ(part.extension(), ".csv");
        writeContent(part, "new");
        EXPECT_EQ(contentOf(folder / "a.csv"), "old");
    });
    EXPECT_EQ(contentOf(folder / "a.csv"), "new");
}

TEST(AtomicFile, WritesThroughALink) {
    const TemporaryFolder folder;
    writeContent(folder / "target.csv", "old");
    fs::create_symlink(folder / "target.csv", folder / "link.csv");
    io::writeFileAtomically(folder / "link.csv", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
    EXPECT_EQ(contentOf(folder / "target.csv"), "new");
}

TEST(AtomicFile, KeepsThePermissionsOfTheOldFile) {
    const TemporaryFolder folder;
    writeContent(folder / "a.csv", "old");
    fs::permissions(folder / "a.csv", fs::perms::owner_read | fs::perms::owner_write);
    io::writeFileAtomically(folder / "a.csv", "new");
    EXPECT_EQ(fs::status(folder / "a.csv").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, RefusalsNameTheFile) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "folder.csv");
    for (const fs::path& path : {folder / "folder.csv", folder / "absent/a.csv", fs::path("/dev/null")}) {
        try {
            io::writeFileAtomically(path, "text");
            FAIL() << path;
        } catch (const kernels::FileError& error) {
            EXPECT_EQ(error.parts().file, path.string());
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_EQ(folder.names(), Names{"folder.csv"});
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace dimscope::tests
