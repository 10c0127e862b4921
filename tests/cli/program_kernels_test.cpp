// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

json printedBy(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const FinishedProgram program = runCli(arguments);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.document();
}

/// Relative error of each kernel on one head of the sample.
std::map<std::string, double> errorsWith(const std::string& kernels, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"compare", samplePath(), "--layers",  "15",       "--heads",
                                       "4",       "--prompts",  "0",         "--length", "64",
                                       "--rows",  "8",          "--kernels", kernels};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::map<std::string, double> errors;
    const json document = printedBy(arguments);
    for (const json& result : document["results"]) errors[result["kernel"]] = result["rel_mse"];
    return errors;
}

TEST(CliKernels, ParametersHaveDefaultRangeAndChoices) {
    std::map<std::string, json> parameters;
    const json document = printedBy({"kernels"});
    for (const json& kernel : document["kernels"])
        for (const json& parameter : kernel["parameters"]) {
            for (const char* key : {"title", "default", "least", "most", "integer", "choices", "learned", "note"})
                EXPECT_TRUE(parameter.contains(key)) << key;
            parameters[kernel["name"].get<std::string>() + "-" + parameter["name"].get<std::string>()] = parameter;
        }
    EXPECT_EQ(parameters["performer-features"]["default"], 250.0);
    EXPECT_EQ(parameters["power-p"]["most"], 8.0);
    EXPECT_EQ(parameters["power-p"]["choices"], json::array());
    EXPECT_EQ(parameters["hedgehog-variant"]["default"], "lolcats");
    EXPECT_EQ(parameters["hedgehog-variant"]["choices"], (json{"lolcats", "fla"}));
    EXPECT_TRUE(parameters["hedgehog-variant"]["least"].is_null());
    EXPECT_EQ(parameters["spectraformer-statistic"]["choices"], (json{"position", "sequence", "calibrated"}));
    EXPECT_EQ(parameters["taylorshift-tau"]["learned"], true);
}

TEST(CliKernels, EveryParameterOfTheCatalogueIsAnOptionInAGroupOfItsOwn) {
    const std::string compare = runCli({"compare", "--help"}).out, bench = runCli({"bench", "--help"}).out;
    EXPECT_NE(compare.find("Kernel parameters"), std::string::npos);
    int count = 0;
    const json document = printedBy({"kernels"});
    for (const json& kernel : document["kernels"])
        for (const json& parameter : kernel["parameters"]) {
            const std::string option =
                "--" + kernel["name"].get<std::string>() + "-" + parameter["name"].get<std::string>() + " ";
            EXPECT_NE(compare.find(option), std::string::npos) << option;
            EXPECT_NE(bench.find(option), std::string::npos) << option;
            ++count;
        }
    EXPECT_GE(count, 20);
    const std::string calibrate = runCli({"calibrate", "--help"}).out;
    EXPECT_NE(calibrate.find("--oal-epsilon "), std::string::npos);
    EXPECT_EQ(calibrate.find("--taylorshift-tau "), std::string::npos);  // that is what it fits
}

TEST(CliKernels, OptionsChangeTheKernelTheyNameAndNoOther) {
    const std::string kernels = "power,hedgehog,performer,lolcats,elu";
    const auto plain = errorsWith(kernels, {});
    const auto set = errorsWith(kernels, {"--power-p", "4", "--hedgehog-variant", "fla", "--performer-features", "16",
                                          "--lolcats-window", "8"});
    for (const char* kernel : {"power", "hedgehog", "performer", "lolcats"})
        EXPECT_NE(plain.at(kernel), set.at(kernel)) << kernel;
    EXPECT_EQ(plain.at("elu"), set.at("elu"));
    EXPECT_EQ(plain, errorsWith(kernels, {"--power-p", "2", "--hedgehog-variant", "lolcats"}));
}

TEST(CliKernels, ProvenanceListsWhatDiffersFromTheDefault) {
    const json document =
        printedBy({"compare", samplePath(), "--layers", "15", "--heads", "4", "--length", "32", "--kernels",
                   "power,dijiang", "--power-p", "4", "--dijiang-orientation", "inverse", "--rfa-floor", "1"});
    EXPECT_EQ(document["provenance"]["parameters"]["kernel_settings"], (json{"power-p = 4"}));
    ASSERT_EQ(document["warnings"].size(), 1U);
    EXPECT_EQ(document["warnings"][0]["code"], "setting-unused");
    EXPECT_EQ(document["warnings"][0]["place"], "rfa");
}

TEST(CliKernels, ValuesOutsideTheRangeAreWrongUsage) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"--power-p", "9"},
                                                                                       {"--power-p", "2.5"},
                                                                                       {"--power-p", "two"},
                                                                                       {"--hedgehog-variant", "small"},
                                                                                       {"--performer-epsilon", "-1"},
                                                                                       {"--spectraformer-scaling", ""},
                                                                                       {"--elu-p", "1"}}) {
        const FinishedProgram program =
            runCli({"compare", samplePath(), "--kernels", "power", wrong.front(), wrong.back()});
        EXPECT_EQ(program.exitCode, 2) << wrong.front();
        EXPECT_NE(program.err.find(wrong.front()), std::string::npos) << program.err;
    }
}

TEST(CliKernels, TheReferenceInTheDocumentsIsTheOneOfTheDescriptors) {
    const std::string made = runCli({"kernels", "--markdown"}).out;
    ASSERT_GT(made.size(), 4000U);
    std::ifstream stream(SAMPLE_DIR "/../docs/kernels.md", std::ios::binary);
    const std::string document{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const std::size_t section = document.find(made.substr(0, made.find('\n') + 1));
    ASSERT_NE(section, std::string::npos);
    EXPECT_EQ(document.substr(section), made) << "put the output of dimscope-cli kernels --markdown at the end of "
                                                 "resources/docs/kernels.md";
}

}  // namespace
}  // namespace dimscope::tests
