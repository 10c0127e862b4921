// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/piece_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using analysis::Piece;
using app::PieceFile;
using app::PieceRun;

PieceRun someRun(int shard = 1, int shards = 1) {
    return {"0.1.0", "intervene", {"--control", "subsets"}, "dump.h5", "abc", "", "cpu", "two threads", shard, shards};
}

/// A finished shard with one piece of its own and one that all have.
std::filesystem::path finishedShard(const TemporaryFolder& folder, int shard, int shards, double shared = 1.0) {
    const std::filesystem::path path = folder.path() / ("part" + std::to_string(shard) + ".json");
    const auto store = PieceFile::resumed(someRun(shard, shards), path);
    store->keep("profile", {{shared}, {}});
    store->keep("own/" + std::to_string(shard), {{0.5}, {}});
    store->save(true);
    return path;
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const kernels::Error& error) {
        return error.what();
    }
    return "";
}

TEST(PieceFiles, NumbersReadBackEqual) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "run.json";
    const Piece piece{{0.1, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, 0.0, 123456789012345.0,
                       std::numeric_limits<double>::quiet_NaN()},
                      {{"nonfinite", "layer 3 head 1", "left \"out\""}}};
    {
        const auto store = PieceFile::resumed(someRun(), path);
        store->keep("a/b", piece);
        store->save();
    }
    const auto again = PieceFile::resumed(someRun(), path);
    const std::optional<Piece> read = again->find("a/b");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->numbers.size(), piece.numbers.size());
    for (std::size_t n = 0; n + 1 < piece.numbers.size(); ++n) EXPECT_EQ(read->numbers[n], piece.numbers[n]);
    EXPECT_TRUE(std::isnan(read->numbers.back()));
    EXPECT_EQ(read->warnings, piece.warnings);
    EXPECT_FALSE(again->find("a/c"));
}

TEST(PieceFiles, AnotherRunIsRefusedInOneLine) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "run.json";
    PieceFile::resumed(someRun(), path)->save(true);
    const auto line = [&](const PieceRun& run) { return refusal([&] { PieceFile::resumed(run, path); }); };
    PieceRun run = someRun();
    EXPECT_EQ(line(run), "");
    run.device = "eight threads";
    run.file = "elsewhere/dump.h5";
    EXPECT_EQ(line(run), "") << "where it runs does not matter";
    run = someRun();
    run.dump = "abd";
    EXPECT_NE(line(run).find("another dump"), std::string::npos);
    run = someRun();
    run.version = "0.2.0";
    EXPECT_NE(line(run).find("version 0.1.0, not 0.2.0"), std::string::npos) << line(run);
    run = someRun();
    run.arguments = {"--control", "gaussian"};
    EXPECT_NE(line(run).find("other arguments: --control subsets"), std::string::npos) << line(run);
    EXPECT_NE(line(someRun(1, 2)).find("shard 1/1"), std::string::npos);
    for (const char* content : {"", "{}", "[1,2]", "{\"format\": \"dimscope-pieces\"}"}) {
        std::ofstream(path) << content;
        EXPECT_NE(line(someRun()).find("holds no pieces"), std::string::npos) << content;
    }
}

TEST(PieceFiles, ShardsComputeTheirDealsAndAMergeNone) {
    const TemporaryFolder folder;
    for (int shard = 1; shard <= 3; ++shard) {
        const auto store = PieceFile::resumed(someRun(shard, 3), "");
        for (std::size_t deal = 0; deal < 9; ++deal)
            EXPECT_EQ(store->computes(deal), deal % 3 == static_cast<std::size_t>(shard - 1));
        EXPECT_TRUE(store->computesShared());
    }
    const auto merged = PieceFile::merged({finishedShard(folder, 2, 2), finishedShard(folder, 1, 2)});
    EXPECT_FALSE(merged->computes(0) || merged->computes(1) || merged->computesShared());
    EXPECT_TRUE(merged->find("own/1") && merged->find("own/2") && merged->find("profile"));
    EXPECT_EQ(merged->run().shard, 1);
}

TEST(PieceFiles, AMissingRepeatedForeignOrUnfinishedShardIsNamed) {
    const TemporaryFolder folder;
    const auto one = finishedShard(folder, 1, 3), two = finishedShard(folder, 2, 3),
               three = finishedShard(folder, 3, 3);
    const auto line = [&](const std::vector<std::filesystem::path>& parts) {
        return refusal([&] { PieceFile::merged(parts); });
    };
    EXPECT_EQ(line({one, two, three}), "");
    EXPECT_EQ(line({one, three}), "shard 2/3 is missing");
    EXPECT_NE(line({one, two, two}).find("part2.json: shard 2/3 is there already"), std::string::npos);
    const auto other = finishedShard(folder, 4, 4);
    EXPECT_NE(line({one, other}).find("part4.json: it is no shard of the run"), std::string::npos);
    const auto differing = finishedShard(folder, 3, 3, 2.0);
    EXPECT_EQ(differing, three);  // the pieces of before stay: a run does not compute them again
    PieceFile::resumed(someRun(5, 5), folder.path() / "open.json")->keep("own/5", {{1.0}, {}});
    const auto open = PieceFile::resumed(someRun(5, 5), folder.path() / "open.json");
    open->keep("own/5", {{1.0}, {}});
    open->save();
    EXPECT_NE(line({folder.path() / "open.json"}).find("shard 5/5 is not finished"), std::string::npos);
    std::filesystem::remove(three);
    EXPECT_NE(line({one, two, finishedShard(folder, 3, 3, 2.0)}).find("piece profile differs"), std::string::npos);
    EXPECT_NE(line({folder.path() / "nothing.json"}), "");
}

}  // namespace
}  // namespace dimscope::tests
