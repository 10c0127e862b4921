// SPDX-License-Identifier: GPL-3.0-or-later
// Concentration, stability and layers on the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

json contributionDocument(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, samplePath());
    arguments.emplace_back("--json");
    const FinishedProgram program = runCli(arguments);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.document();
}

TEST(CliConcentration, EveryHeadBesideItsDraws) {
    const json document = contributionDocument({"concentration", "--layers", "15", "--length", "128", "--draws", "4"});
    ASSERT_EQ(document["heads"].size(), 9U);
    for (const json& head : document["heads"]) {
        EXPECT_LE(head["top_share"]["1"], head["top_share"]["5"]);
        EXPECT_LE(head["top_share"]["5"], head["top_share"]["10"]);
        const json& gaussian = head["gaussian"];
        EXPECT_LE(gaussian["same"], gaussian["own"]);
        EXPECT_LT(gaussian["own"], head["top_share"]["5"]) << "the sample has outlier dimensions in every head";
        EXPECT_EQ(gaussian["quantiles"]["own"].size(), 5U);
        EXPECT_EQ(gaussian["draws"]["own"].size(), 4U);
        EXPECT_DOUBLE_EQ(gaussian["p_at_most"].get<double>(), 0.2);
        EXPECT_EQ(head["lorenz"].size(), 65U);
    }
    EXPECT_EQ(document["provenance"]["parameters"]["draws"], 4);
}

TEST(CliConcentration, TheSameSeedGivesTheSameNumbersOnAnyNumberOfThreads) {
    const auto run = [](const char* threads) {
        json document = contributionDocument({"concentration", "--layers", "5", "--heads", "0-2", "--length", "64",
                                              "--draws", "3", "--seed", "7", "--threads", threads});
        for (const char* varies : {"started", "elapsed", "device"}) document["provenance"].erase(varies);
        return document;
    };
    EXPECT_EQ(run("1"), run("2"));
}

TEST(CliStability, LayersHeadsAndDimensions) {
    const json document =
        contributionDocument({"stability", "--layers", "15,25", "--lengths", "128,256", "--replicates", "50"});
    EXPECT_EQ(document["lengths"], json({128, 256, 512}));
    EXPECT_EQ(document["parts"], "halves");  // all four prompts are calibration prompts
    ASSERT_EQ(document["layers"].size(), 2U);
    for (const json& layer : document["layers"]) {
        EXPECT_GT(layer["rho"].get<double>(), 0.9);
        EXPECT_EQ(layer["top_share"].size(), 3U);
        EXPECT_EQ(layer["top_share"][2], layer["top_share_fixed"][2]);
        EXPECT_EQ(layer["rho_interval"], json::array());  // four prompts
        EXPECT_EQ(layer["prompts"].size(), 4U);
    }
    EXPECT_EQ(document["heads"].size(), 18U);
    ASSERT_EQ(document["dims"].size(), 18U * 5U);
    EXPECT_EQ(document["dims"][0]["share"].size(), 3U);
    EXPECT_GT(document["dims"][0]["frequency"].get<double>(), 0.5);
}

TEST(CliStability, OnePromptIsNullAndSaid) {
    const json document = contributionDocument({"stability", "--layers", "15", "--heads", "0", "--prompts", "2"});
    EXPECT_TRUE(document["layers"][0]["rho"].is_null());
    EXPECT_TRUE(document["heads"][0]["set_frequency"].is_null());
    EXPECT_EQ(document["heads"][0]["top_share"].size(), 6U);  // 16 .. 512
    const json& warnings = document["warnings"];
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                            [](const json& warning) { return warning["code"] == "one_prompt"; }));
}

TEST(CliLayers, MagnitudesOfEveryTensor) {
    const json document = contributionDocument({"layers", "--length", "128", "--rows", "4"});
    ASSERT_EQ(document["layers"].size(), 3U);
    for (const json& layer : document["layers"])
        for (const char* tensor : {"q", "k", "v", "y_w_o"}) {
            ASSERT_EQ(layer[tensor]["top3"].size(), 3U) << tensor;
            EXPECT_GE(layer[tensor]["top3"][0], layer[tensor]["top3"][2]);
            EXPECT_GT(layer[tensor]["top3"][2], layer[tensor]["median"]);
        }
    EXPECT_TRUE(document["layers"][0]["hidden"].is_null());
}

TEST(CliContribution, TablesFiguresAndText) {
    const TemporaryFolder folder;
    for (const char* verb : {"concentration", "stability", "layers"}) {
        for (const char* extension : {".csv", ".md", ".tex", ".tikz"}) {
            const std::string file = folder.file(verb + std::string(extension));
            const FinishedProgram program =
                runCli({verb, samplePath(), "--layers", "15", "--heads", "3", "--length", "64", "--out", file});
            EXPECT_EQ(program.exitCode, 0) << program.err;
            EXPECT_NE(program.out.find("layer"), std::string::npos);
            EXPECT_TRUE(std::ifstream(file).good()) << file;
        }
    }
}

TEST(CliContribution, WrongUsageIsTwoAndBadInputOne) {
    const auto exitOf = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, samplePath());
        return runCli(arguments).exitCode;
    };
    EXPECT_EQ(exitOf({"concentration", "--draws", "-1"}), 2);
    EXPECT_EQ(exitOf({"stability", "--lengths", "long"}), 2);
    EXPECT_EQ(exitOf({"layers", "--rows", "0"}), 2);
    EXPECT_EQ(exitOf({"stability", "--lengths", "0"}), 1);
    EXPECT_EQ(exitOf({"stability", "--lengths", "513"}), 1);
    EXPECT_EQ(exitOf({"layers", "--layers", "4"}), 1);
}

}  // namespace
}  // namespace dimscope::tests
