// SPDX-License-Identifier: GPL-3.0-or-later
// The doctor, and what it finds left out of other verbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

json checkNamed(const json& document, const std::string& name) {
    for (const json& check : document["checks"])
        if (check["name"] == name) return check;
    ADD_FAILURE() << "no check " << name;
    return {};
}

std::string dataPath(const std::string& name) { return std::string(TEST_DATA_DIR) + "/" + name + ".h5"; }

TEST(CliDoctor, TheSampleIsReadAsItWasWritten) {
    const FinishedProgram program = runCli({"doctor", samplePath(), "--json"});
    EXPECT_EQ(program.exitCode, 0) << program.err;
    const json document = program.document();
    std::set<std::string> names;
    for (const json& check : document["checks"]) {
        names.insert(check["name"]);
        EXPECT_TRUE(check["detail"].is_string());
        EXPECT_NE(check["status"], "fail") << check;
    }
    EXPECT_EQ(names.size(), 12U);
    const json output = checkNamed(document, "output reading");
    EXPECT_EQ(output["status"], "pass");
    EXPECT_EQ(output["layer"], 15);
    EXPECT_LT(output["residual"].get<double>(), 5.0 * std::ldexp(1.0, -11));  // float16; 1.3 unit roundoffs observed
    EXPECT_GT(output["residual"].get<double>(), 0.0);
    EXPECT_TRUE(checkNamed(document, "padding")["residual"].is_null());
    const json sinks = checkNamed(document, "attention sinks");
    EXPECT_EQ(sinks["status"], "warn");
    EXPECT_EQ(sinks["detail"].get<std::string>().rfind("position 0 in ", 0), 0U) << sinks;
    for (const json& sink : document["sinks"])
        if (sink["position"] == 0) {
            EXPECT_LT(sink["key_norm"].get<double>(), 1.0) << "its key is small";
            EXPECT_FALSE(sink["by_norm"].get<bool>());
        }
    EXPECT_TRUE(document["readings"][0]["stated"].get<bool>());
    EXPECT_EQ(document["provenance"]["verb"], "doctor");
}

TEST(CliDoctor, ObjectsToWhatTheAttributesSay) {
    EXPECT_EQ(runCli({"doctor", dataPath("output_right")}).exitCode, 0);
    const std::pair<const char*, const char*> wrong[] = {{"output_strided", "gqa=\"strided\""},
                                                         {"output_scale_1", "scale=1"}};
    for (const auto& [name, correction] : wrong) {
        const FinishedProgram program = runCli({"doctor", dataPath(name), "--json"});
        EXPECT_EQ(program.exitCode, 1) << name;
        const json output = checkNamed(program.document(), "output reading");
        EXPECT_EQ(output["status"], "fail");
        EXPECT_NE(output["detail"].get<std::string>().find(correction), std::string::npos) << output;
        EXPECT_GT(output["residual"].get<double>(), 0.05);
    }
}

TEST(CliDoctor, ALineForEveryCheckAndAFile) {
    const TemporaryFolder folder;
    const std::string file = folder.file("checks.csv");
    const FinishedProgram program = runCli({"doctor", dataPath("output_strided"), "--out", file});
    EXPECT_EQ(program.exitCode, 1);
    EXPECT_NE(program.out.find("output reading"), std::string::npos);
    EXPECT_NE(program.out.find("fail"), std::string::npos);
    EXPECT_EQ(program.err, "");
    EXPECT_TRUE(std::ifstream(file).good()) << "the result is there all the same";
    EXPECT_EQ(runCli({"doctor", dataPath("output_right"), "--rows", "none"}).exitCode, 2);
    EXPECT_EQ(runCli({"doctor", dataPath("output_right"), "--layers", "9"}).exitCode, 1);
    EXPECT_EQ(runCli({"doctor", dataPath("output_right"), "--exclude-sinks"}).exitCode, 2) << "it is what finds them";
}

TEST(CliExcludeSinks, AreStatedInEveryDocument) {
    const std::vector<std::string> part{"--layers", "25", "--heads", "0", "--json"};
    const auto documentOf = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), part.begin(), part.end());
        const FinishedProgram program = runCli(arguments);
        EXPECT_EQ(program.exitCode, 0) << program.err;
        return program.document();
    };
    const json whole = documentOf({"profile", samplePath()});
    const json without = documentOf({"profile", samplePath(), "--exclude-sinks"});
    EXPECT_FALSE(whole["provenance"]["selection"].contains("excluded_sinks"));
    const json excluded = without["provenance"]["selection"]["excluded_sinks"];
    for (const char* first : {"0:0", "1:0", "2:0", "3:0"})
        EXPECT_NE(std::find(excluded.begin(), excluded.end(), first), excluded.end()) << excluded;
    EXPECT_NE(whole["heads"][0]["chi"], without["heads"][0]["chi"]);
    const auto warned = [](const json& document) {
        for (const json& warning : document["warnings"])
            if (warning["code"] == "sinks_excluded") return true;
        return false;
    };
    EXPECT_TRUE(warned(without));
    EXPECT_FALSE(warned(whole));
    const json compared = documentOf({"compare", samplePath(), "--kernels", "elu", "--exclude-sinks"});
    EXPECT_EQ(compared["provenance"]["selection"]["excluded_sinks"], excluded) << "whatever part is looked at";
    for (const json& positions : compared["positions"])
        for (const json& position : positions) EXPECT_NE(position, 0);
}

}  // namespace
}  // namespace dimscope::tests
