// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments on the command line, run as a person runs them.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

std::vector<std::string> withOptions(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

json measured(const std::vector<std::string>& arguments) {
    const FinishedProgram program = runCli(withOptions(arguments, {"--json"}));
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return json::parse(program.out);
}

std::vector<std::string> smallExperiment(const std::string& verb, const std::vector<std::string>& more) {
    return withOptions({verb, SAMPLE_DIR "/smollm2-sample.h5", "--layers", "15", "--rows", "8", "--length", "128"},
                       more);
}

TEST(CliOrders, PartsOfEveryHead) {
    const json document = measured(smallExperiment("orders", {"--prompts", "0,1"}));
    ASSERT_EQ(document["heads"].size(), 9U);
    for (const json& head : document["heads"]) {
        const json& o = head["output_energy"];
        const double cross = o["cross"]["zero_first"].get<double>() + o["cross"]["zero_higher"].get<double>() +
                             o["cross"]["first_higher"].get<double>();
        const double total = o["total"].get<double>();
        EXPECT_NEAR(o["zero"].get<double>() + o["first"].get<double>() + o["higher"].get<double>() + cross, total,
                    1e-9 * (std::abs(cross) + total));
        EXPECT_GE(head["gates"]["sigma1"].get<double>(), 0.0);
        EXPECT_LE(head["gates"]["sigmah"].get<double>(), 1.0);
        EXPECT_LE(head["rel_mse"]["linear_zeros_free0"], head["rel_mse"]["linear_zeros"]);
        EXPECT_EQ(head["rows"], 16);
    }
}

TEST(CliOrders, AblationsAndHullHaveTheirKeys) {
    const json document = measured(smallExperiment(
        "orders", {"--prompts", "0", "--heads", "0,4", "--ablations", "--hull", "--kernels", "softmax,elu,zeros_sm"}));
    const json plain = measured(smallExperiment("orders", {"--prompts", "0", "--heads", "0,4"}));
    EXPECT_EQ(document["heads"], plain["heads"]);
    EXPECT_FALSE(plain.contains("ablations"));
    EXPECT_FALSE(plain.contains("hull"));
    ASSERT_EQ(document["ablations"].size(), 22U);  // eleven variants of two heads
    for (std::size_t h = 0; h < 2; ++h) {
        const json& baseline = document["ablations"][11 * h];
        EXPECT_EQ(baseline["variant"], "baseline");
        EXPECT_EQ(baseline["rel_mse"], document["heads"][h]["rel_mse"]["linear_zeros"]);
        EXPECT_EQ(baseline["gates"].size(), 1U);
        EXPECT_EQ(baseline["gates"][0]["sigma1"], document["heads"][h]["linear"]["sigma1"]);
        EXPECT_TRUE(baseline["scale"].is_null());
    }
    ASSERT_EQ(document["ablations_pooled"].size(), 22U);  // layer 15 and all
    EXPECT_EQ(document["ablations_pooled"][11]["layer"], "all");
    EXPECT_EQ(document["ablations_pooled"][0]["rel_mse"], document["ablations_pooled"][11]["rel_mse"]);
    ASSERT_EQ(document["hull"].size(), 6U);
    for (const json& row : document["hull"]) {
        const bool leaves = row["kernel"] == "zeros_sm";
        EXPECT_EQ(row["outside_share"].get<double>() > 0.0, leaves) << row;
        EXPECT_EQ(row["max_distance"].get<double>() > 1e-4, leaves) << row;
        EXPECT_EQ(row["rows"].get<int>() + row["left_out"].get<int>(), 8);
    }
    EXPECT_EQ(document["provenance"]["verb"], "orders");
}

TEST(CliOrders, KernelsBelongToTheHull) {
    EXPECT_EQ(runCli(smallExperiment("orders", {"--kernels", "elu"})).exitCode, 2);
    EXPECT_EQ(runCli(smallExperiment("orders", {"--hull", "--kernels", "softermax"})).exitCode, 2);
}

TEST(CliSynthetic, WritesADumpThatOrdersReads) {
    const TemporaryFolder folder;
    for (const char* name : {"two-token-difference", "difference-from-mean", "alternating-differences"}) {
        const std::string file = folder.file(std::string(name) + ".h5");
        const json written = measured({"synthetic", name, "--write", file});
        EXPECT_EQ(written["sequence"], name);
        const json orders = measured(
            {"orders", file, "--rows", "all", "--hull", "--kernels", "softmax,zeros_sm", "--zeros_sm-sigmah", "0"});
        ASSERT_EQ(orders["hull"].size(), 2U);
        EXPECT_EQ(orders["hull"][0]["outside_share"], 0.0);
        EXPECT_EQ(orders["hull"][1]["outside_share"], 1.0);
    }
    EXPECT_EQ(runCli({"synthetic", "nothing", "--write", folder.file("x.h5")}).exitCode, 2);
    EXPECT_EQ(runCli({"synthetic", "two-token-difference"}).exitCode, 2);
    const FinishedProgram refused = runCli({"synthetic", "two-token-difference", "--write", folder.file("no/x.h5")});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("no/x.h5"), std::string::npos) << refused.err;
}

TEST(CliRepack, TheNewDumpGivesTheSameProfile) {
    const TemporaryFolder folder;
    const std::string file = folder.file("new.h5");
    const json repacked = measured({"repack", samplePath(), "--out", file});
    EXPECT_EQ(repacked["file"], file);
    EXPECT_EQ(repacked["bytes"], std::filesystem::file_size(file));
    EXPECT_EQ(repacked["bytes_before"], std::filesystem::file_size(samplePath()));
    EXPECT_GT(repacked["load_ratio"].get<double>(), 0.0);
    const json before = measured({"profile", samplePath(), "--layers", "5", "--heads", "0-1"});
    EXPECT_EQ(before["heads"], measured({"profile", file, "--layers", "5", "--heads", "0-1"})["heads"]);

    EXPECT_EQ(runCli({"repack", samplePath(), "--out", folder.file("new.csv")}).exitCode, 2);
    EXPECT_EQ(runCli({"repack", samplePath()}).exitCode, 2);
    const FinishedProgram refused = runCli({"repack", file, "--out", file});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("the dump itself"), std::string::npos) << refused.err;
}

/// While it lives, no file of this process and its children grows beyond `bytes`: writing fails as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : oldHandler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, oldHandler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit old_{};
    void (*oldHandler_)(int);
};

TEST(CliRepack, AFullDiskIsOneLineAndLeavesNothing) {
    const TemporaryFolder folder;
    const FileSizeLimit limit(200000);
    const FinishedProgram refused = runCli({"repack", samplePath(), "--out", folder.file("new.h5")});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_NE(refused.err.find("file write failed: File too large"), std::string::npos) << refused.err;
    EXPECT_TRUE(folder.empty());
}

TEST(CliIntervene, EveryControlHasItsKeys) {
    const json document = measured(smallExperiment(
        "intervene",
        {"--heads", "0-2", "--kernels", "taylor,performer", "--performer-features", "16", "--prompts", "0,1", "--train",
         "2,3", "--subset", "top:2", "--control", "ladder,subsets", "--replicates", "20", "--pool", "all"}));
    EXPECT_EQ(document["selected"]["dimensions"], 6);
    EXPECT_EQ(document["selected"]["total"], 192);
    EXPECT_EQ(document["selected"]["origin"], "top");
    ASSERT_EQ(document["methods"].size(), 2U);
    for (const json& method : document["methods"]) {
        EXPECT_GT(method["pretrained"]["ratio"].get<double>(), 0.0);
        EXPECT_EQ(method["pretrained"]["interval"], json::array());  // two sequences
        EXPECT_EQ(method["ladder"].size(), 6U);
        EXPECT_EQ(method["gaussian"]["draws"].size(), 1U);
        EXPECT_EQ(method["subsets"]["replicates"], 20);
        EXPECT_GE(method["subsets"]["p"].get<double>(), 1.0 / 21.0);
        EXPECT_EQ(method["subsets"]["quantiles"].size(), 5U);
    }
    EXPECT_EQ(document["cells"].size(), 4U);  // two kernels, one layer, two sequences
    EXPECT_EQ(document["heads"].size(), 6U);
    for (const json& head : document["heads"]) {
        EXPECT_EQ(head["rank_of"], 2016);  // 64 over 2: all of them
        EXPECT_EQ(head["exact"], true);
        EXPECT_NEAR(head["p"].get<double>(), head["rank"].get<double>() / 2016.0, 1e-15);
        EXPECT_GE(head["q"], head["p"]);
    }
}

TEST(CliIntervene, DoseAndSweepHaveTheirKeys) {
    const json document = measured(smallExperiment(
        "intervene", {"--heads", "0,1", "--kernels", "taylor", "--prompts", "0,1", "--train", "2,3", "--dose",
                      "--dose-draws", "2", "--sweep", "--bootstrap-replicates", "20", "--cross-fit"}));
    ASSERT_EQ(document["dose"].size(), 22U);  // eleven numbers in two orders
    EXPECT_EQ(document["dose"][0]["order"], "contribution");
    EXPECT_EQ(document["dose"][0]["interval"], json::array());
    EXPECT_EQ(document["dose"][21]["interval"].size(), 2U);
    EXPECT_NEAR(document["dose"][10]["ratio"].get<double>(), 1.0, 1e-12);
    ASSERT_EQ(document["sweep"].size(), 144U);
    std::size_t marked = 0;
    for (const json& point : document["sweep"]) marked += point["setting"] == "" ? 0U : 1U;
    EXPECT_EQ(marked, 2U);  // both papers', one of which is chosen
    EXPECT_FALSE(document.contains("folds")) << "no prompt is in both";
    EXPECT_EQ(document["provenance"]["parameters"]["cross_fit"], false);
}

TEST(CliIntervene, TheSameSeedGivesTheSameNumbersOnAnyNumberOfThreads) {
    const auto run = [](const char* threads) {
        json document =
            measured(smallExperiment("intervene", {"--heads", "0,1", "--kernels", "elu", "--control",
                                                   "gaussian,subsets", "--replicates", "10", "--threads", threads}));
        for (const char* varies : {"started", "elapsed", "device"}) document["provenance"].erase(varies);
        return document;
    };
    EXPECT_EQ(run("1"), run("2"));
}

TEST(CliIntervene, WrongUsageIsTwo) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"--subset", "top:x"},
                                                                                       {"--subset", "15.0"},
                                                                                       {"--subset", "share:2"},
                                                                                       {"--control", "placebo"},
                                                                                       {"--kernels", "softermax"},
                                                                                       {"--pool", "some"},
                                                                                       {"--draws", "0"}})
        EXPECT_EQ(runCli(smallExperiment("intervene", wrong)).exitCode, 2) << wrong.front() << " " << wrong.back();
    const FinishedProgram refused = runCli(smallExperiment("intervene", {"--kernels", "rfa"}));
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("rfa"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace dimscope::tests
