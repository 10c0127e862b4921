// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "io/dump/attention_dump.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
namespace fs = std::filesystem;

/// What openDump says about a file it does not take; "" when it takes it.
kernels::FormatError::Parts refusalOf(const fs::path& path) {
    try {
        static_cast<void>(io::openDump(path));
    } catch (const kernels::FormatError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.parts();
    }
    ADD_FAILURE() << path << " was accepted";
    return {};
}

void expectCause(const std::string& file, const std::string& object, const std::string& words) {
    const kernels::FormatError::Parts parts = refusalOf(dataFile(file));
    EXPECT_EQ(parts.object, object);
    EXPECT_NE(parts.cause.find(words), std::string::npos) << parts.cause;
    EXPECT_FALSE(parts.advice.empty());
}

TEST(DumpStorage, ChunksMayHoldSeveralHeadsAndHalfRows) {
    const auto source = io::openDump(dataFile("chunks_over_heads"));
    for (int p = 0; p < 2; ++p)
        for (int h = 0; h < 4; ++h) EXPECT_EQ(wrongEntries(*source, TensorKind::Query, 4, p, h), 0) << p << " " << h;
    EXPECT_EQ(wrongEntries(*source, TensorKind::Value, 4, 1, 1), 0);
}

TEST(DumpStorage, WhatWasNeverWrittenIsMissingAndNotZero) {
    const auto source = io::openDump(dataFile("partly_written"));  // prompt 1: rows 0 to 3 of 6
    EXPECT_EQ(wrongEntries(*source, TensorKind::Query, 4, 0, 3), 0);
    try {
        loadTensor(*source, TensorKind::Query, 4, 1, 0);
        FAIL() << "fill values were taken for data";
    } catch (const kernels::FormatError& error) {
        EXPECT_EQ(error.parts().object, "/layers/04/q");
        EXPECT_NE(error.parts().cause.find("[1, 0, 4, 0] was never written"), std::string::npos) << error.what();
    }
}

TEST(DumpStorage, ScaleFactorsMultiply) {
    const auto source = io::openDump(dataFile("scale_factors"));  // q: 2; k: 1 for head 0, -0.5 for head 1
    const auto at = [&](TensorKind kind, int head) {
        return std::get<kernels::Matrix<float>>(loadTensor(*source, kind, 4, 1, head))(5, 2);
    };
    EXPECT_EQ(at(TensorKind::Query, 3), 2.0 * storedValue(0, 1, 3, 5, 2));
    EXPECT_EQ(at(TensorKind::Key, 0), storedValue(1, 1, 0, 5, 2));
    EXPECT_EQ(at(TensorKind::Key, 1), -0.5 * storedValue(1, 1, 1, 5, 2));
    expectCause("scale_factor_count", "/layers/04/q", "2 scale factors");
}

TEST(DumpStorage, ImplausibleSizesAreRefusedBeforeAnyAllocation) {
    expectCause("declared_huge", "/layers/04/q", "declares 3.5 PiB");
    expectCause("declared_overflow", "/layers/04/q", "overflows");
}

TEST(DumpStorage, DataInOtherFilesAreNotFollowed) {
    expectCause("external_storage", "/layers/04/q", "external storage");
    expectCause("no_values", "/layers/04/q", "empty");
}

TEST(DumpStorage, NamesCannotBreakTheLine) { expectCause("control_characters", "/", "a\\x0ab\\x07"); }

TEST(DumpStorage, AFileThatMayNotBeRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const TemporaryFolder folder;
    fs::copy_file(dataFile("float32"), folder / "closed.h5");
    fs::permissions(folder / "closed.h5", fs::perms::none);
    EXPECT_NE(refusalOf(folder / "closed.h5").cause.find("ermission denied"), std::string::npos);
}

TEST(DumpStorage, AWriterIsNeitherBlockedNorInTheWay) {
    const TemporaryFolder folder;
    fs::copy_file(dataFile("float32"), folder / "busy.h5");
    const int writer = ::open((folder / "busy.h5").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(writer, 0);
    ASSERT_EQ(::flock(writer, LOCK_EX | LOCK_NB), 0);
    const auto source = io::openDump(folder / "busy.h5");
    EXPECT_EQ(wrongEntries(*source, TensorKind::Key, 4, 0, 1), 0);
    ::flock(writer, LOCK_UN);
    EXPECT_EQ(::flock(writer, LOCK_EX | LOCK_NB), 0) << "the open dump holds a lock";
    ::close(writer);
}

TEST(DumpStorage, ThreadsMayShareASource) {
    const auto source = io::openDump(dataFile("compressed"));
    std::vector<int> wrong(4, -1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&source, &wrong, t] {
            int count = 0;
            for (int round = 0; round < 20; ++round) count += wrongEntries(*source, TensorKind::Query, 4, round % 2, t);
            wrong[static_cast<std::size_t>(t)] = count;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace dimscope::tests
