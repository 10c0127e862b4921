// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

json resultOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const FinishedProgram program = runCli(arguments);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.document();
}

std::vector<std::string> smallCalibration(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "calibrate",    samplePath(), "--layers", "15", "--heads",      "4", "--length",  "96",
        "--replicates", "50",         "--train",  "0",  "--validation", "1", "--kernels", "global,oal,taylorshift"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(CliCalibration, FitsAndWritesWhatCompareUses) {
    const TemporaryFolder folder;
    const std::string file = folder.file("k.h5");
    const json document = resultOf(smallCalibration({"--write", file, "--evaluation", "2"}));
    ASSERT_EQ(document["heads"].size(), 3U);
    const json compared = resultOf({"compare", samplePath(), "--layers", "15", "--heads", "4", "--length", "96",
                                    "--prompts", "1", "--rows", "all", "--kernels", "global,oal,taylorshift,taylor",
                                    "--params", file, "--backend", "reference"});
    EXPECT_TRUE(compared["warnings"].empty()) << compared["warnings"];
    for (std::size_t n = 0; n < 3; ++n) {
        const json& fit = document["heads"][n];
        for (const char* key : {"layer", "head", "kernel", "start_mse", "train_mse", "validation_mse", "updates",
                                "seconds", "evaluation_mse"})
            EXPECT_TRUE(fit.contains(key)) << key;
        const double mse = compared["results"][n]["mse"].get<double>();
        EXPECT_EQ(compared["results"][n]["kernel"], fit["kernel"]);
        EXPECT_NEAR(fit["validation_mse"].get<double>(), mse, 1e-6 * mse);  // prepared rows are squares of outputs
    }
    const double taylor = compared["results"][3]["mse"].get<double>();
    EXPECT_NEAR(document["heads"][0]["start_mse"].get<double>(), taylor, 1e-6 * taylor);
    EXPECT_LE(document["heads"][1]["validation_mse"], document["heads"][0]["validation_mse"]);
    EXPECT_LE(document["heads"][0]["validation_mse"], document["heads"][0]["start_mse"]);
}

TEST(CliCalibration, WrongUsageIsRefused) {
    EXPECT_EQ(runCli(smallCalibration({"--method", "newton"})).exitCode, 2);
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--kernels", "performer"}).exitCode, 2);
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--kernels", "hedgehog"}).exitCode, 2);  // gauss-newton does not
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--prompts", "0"}).exitCode, 2);
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--train", "0-"}).exitCode, 2);
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--train", "9"}).exitCode, 1);
}

TEST(CliCalibration, AnInterruptKeepsTheBestSoFar) {
    const TemporaryFolder folder;
    const std::string file = folder.file("k.h5");
    const FinishedProgram program =
        runCli({"calibrate", samplePath(), "--kernels", "global", "--method", "adam", "--write", file, "--json"},
               std::chrono::milliseconds(1500));
    EXPECT_EQ(program.exitCode, 130);
    EXPECT_EQ(program.out, "");
    EXPECT_LT(program.afterInterrupt, std::chrono::seconds(1));
}

TEST(CliCalibration, ImportAndExportAreEachOthersReverse) {
    const TemporaryFolder folder;
    const std::string file = folder.file("k.h5");
    const json imported = resultOf({"import", TEST_DATA_DIR "/oal_release.json", "--write", file});
    ASSERT_EQ(imported["heads"].size(), 4U);
    EXPECT_EQ(imported["heads"][0]["layer"], 4);
    EXPECT_EQ(imported["heads"][0]["groups"], 3);
    EXPECT_EQ(imported["heads"][3]["validation_output_mse"], 0.0625);
    const json exported = resultOf({"export", file, "--out", folder.file("again.json")});
    EXPECT_EQ(exported["heads"], imported["heads"]);
    EXPECT_EQ(resultOf({"import", folder.file("again.json"), "--write", folder.file("k2.h5")})["heads"],
              imported["heads"]);
    EXPECT_EQ(runCli({"export", file, "--out", folder.file("again.csv")}).exitCode, 2);
    EXPECT_EQ(runCli({"import", file, "--write", folder.file("no.h5")}).exitCode, 1);
    EXPECT_FALSE(std::filesystem::exists(folder.file("no.h5")));
}

}  // namespace
}  // namespace dimscope::tests
