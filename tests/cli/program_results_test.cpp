// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

/// Runs a verb that must succeed with one document; every document has provenance and warnings.
json documentOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const FinishedProgram program = runCli(arguments);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    EXPECT_EQ(program.err, "");
    const json document = program.document();
    EXPECT_TRUE(document.is_object()) << program.out.substr(0, 200);
    for (const char* key : {"program", "version", "verb", "backend", "device", "seed", "selection", "parameters",
                            "dump", "started", "elapsed"})
        EXPECT_TRUE(document["provenance"].contains(key)) << key;
    EXPECT_TRUE(document["warnings"].is_array());
    return document;
}

TEST(CliResults, InfoTellsTheShapesOfTheSample) {
    const json document = documentOf({"info", samplePath()});
    ASSERT_EQ(document["layers"].size(), 3U);
    const json& layer = document["layers"][1];
    EXPECT_EQ(layer["layer"], 15);
    EXPECT_EQ(layer["n_heads"], 9);
    EXPECT_EQ(layer["n_kv_heads"], 3);
    EXPECT_EQ(layer["head_dim"], 64);
    EXPECT_EQ(layer["positions"], 512);
    EXPECT_EQ(layer["prompts"], 4);
    EXPECT_EQ(layer["encoding"], "float16");
    EXPECT_EQ(layer["has_o"], true);
    EXPECT_EQ(layer["has_w_o"], true);
    EXPECT_EQ(document["layers"][0]["has_o"], false);
    EXPECT_NEAR(layer["scale"].get<double>(), 0.125, 1e-12);
}

TEST(CliResults, ProfileFindsTheOutliersOfLayer15Head4) {
    const json document = documentOf({"profile", samplePath(), "--layers", "15", "--heads", "4", "--length", "256"});
    ASSERT_EQ(document["heads"].size(), 1U);
    const json& head = document["heads"][0];
    for (const char* key : {"q_mean_abs", "k_mean_abs", "q_max_abs", "k_max_abs", "chi", "share", "order", "chi_eff"})
        EXPECT_EQ(head[key].size(), 64U) << key;
    const auto order = head["order"].get<std::vector<int>>();
    EXPECT_EQ(std::set<int>(order.end() - 4, order.end()), (std::set<int>{22, 26, 54, 58}));
    const auto chi = head["chi"].get<std::vector<double>>();
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](int a, int b) {
        return chi[static_cast<std::size_t>(a)] < chi[static_cast<std::size_t>(b)];
    }));
    EXPECT_GT(head["top_share"]["5"].get<double>(), head["top_share"]["1"].get<double>());
    EXPECT_EQ(document["provenance"]["backend"], "cpu");
}

TEST(CliResults, BackendsAgree) {
    const std::vector<std::string> common{"profile",   samplePath(), "--layers", "5",  "--heads",  "0",
                                          "--prompts", "1",          "--length", "64", "--backend"};
    auto withBackend = [&](const std::string& name) {
        std::vector<std::string> arguments = common;
        arguments.push_back(name);
        const json document = documentOf(arguments);
        EXPECT_EQ(document["provenance"]["backend"], name);
        return document["heads"][0]["chi"].get<std::vector<double>>();
    };
    const auto cpu = withBackend("cpu"), reference = withBackend("reference");
    ASSERT_EQ(cpu.size(), reference.size());
    for (std::size_t r = 0; r < cpu.size(); ++r) EXPECT_NEAR(cpu[r], reference[r], 1e-6 * reference[r]);
}

TEST(CliResults, GroupsHoldEveryDimensionOnce) {
    const json document = documentOf({"group", samplePath(), "--layers", "15", "--heads", "4", "--length", "128",
                                      "--replicates", "50", "--support", "set"});
    const json& head = document["heads"][0];
    std::multiset<int> members;
    for (const json& group : head["groups"])
        for (const int r : group) members.insert(r);
    EXPECT_EQ(members.size(), 64U);
    EXPECT_EQ(std::set<int>(members.begin(), members.end()).size(), 64U);
    EXPECT_EQ(head["groups"].size(), head["cuts"].size() + 1);
    EXPECT_EQ(head["ratio"].size(), 63U);
    EXPECT_EQ(head["support"].size(), 63U);
    EXPECT_EQ(document["provenance"]["parameters"]["support"], "set");
}

TEST(CliResults, CompareAtGivenPositions) {
    const json document =
        documentOf({"compare", samplePath(), "--layers", "5,15", "--heads", "0-1", "--prompts", "0,2", "--length",
                    "128", "--kernels", "taylor,performer,zero", "--positions", "3,0,100", "--seeds", "0-2"});
    EXPECT_EQ(document["positions"], json::parse("[[3,0,100],[3,0,100]]"));
    EXPECT_EQ(document["results"].size(), 12U);  // 2 layers, 2 heads, 3 kernels
    for (const json& result : document["results"]) {
        EXPECT_EQ(result["seeds"].size(), result["kernel"] == "performer" ? 3U : 1U);
        EXPECT_EQ(result["bad_rows"], 0);
        if (result["kernel"] == "zero") {
            EXPECT_NEAR(result["rel_mse"].get<double>(), 1.0, 1e-12);
        }
    }
    ASSERT_EQ(document["pooled"].size(), 9U);
    EXPECT_EQ(document["pooled"].back()["layer"], "all");
    EXPECT_TRUE(document["pooled"][0]["mse_after_wo"].is_null());  // not all heads are there
}

TEST(CliResults, CompareDrawsTheSameRowsForTheSameSeed) {
    auto positions = [](const std::string& seed) {
        return documentOf({"compare", samplePath(), "--layers", "5", "--heads", "0", "--kernels", "zero", "--rows", "8",
                           "--length", "64", "--seed", seed})["positions"];
    };
    const json first = positions("1");
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first[0].size(), 8U);
    EXPECT_EQ(first, positions("1"));
    EXPECT_NE(first, positions("2"));
}

TEST(CliResults, KernelsAndDevicesNeedNoFile) {
    const json kernels = documentOf({"kernels"});
    std::set<std::string> names;
    for (const json& kernel : kernels["kernels"]) {
        names.insert(kernel["name"].get<std::string>());
        EXPECT_EQ(kernel["backends"]["reference"]["supported"], true) << kernel["name"];
        EXPECT_EQ(kernel["backends"]["cpu"]["supported"], true) << kernel["name"];
        EXPECT_EQ(kernel["cost"]["features"].is_null(), kernel["name"] == "softmax" || kernel["name"] == "zeros_sm");
    }
    for (const char* name : {"softmax",  "performer",    "spectraformer", "spectraformer_unbiased",
                             "dijiang",  "taylorshift",  "global",        "oal",
                             "zeros_sm", "linear_zeros", "elu",           "cosformer",
                             "rfa",      "hedgehog",     "based",         "rebased",
                             "power",    "polysketch",   "lolcats",       "retnet",
                             "taylor",   "uniform",      "zero",          "first_value"})
        EXPECT_TRUE(names.count(name)) << name;

    const json devices = documentOf({"devices"});
    for (const json& backend : devices["backends"])
        EXPECT_EQ(backend["usable"].get<bool>(), backend["reason"].get<std::string>().empty()) << backend;
}

TEST(CliResults, OutIsWrittenByExtension) {
    const TemporaryFolder folder;
    for (const char* name : {"t.csv", "t.md", "t.tex", "t.json"}) {
        const FinishedProgram program = runCli({"profile", samplePath(), "--layers", "5", "--heads", "0", "--prompts",
                                                "0", "--length", "32", "--out", folder.file(name)});
        EXPECT_EQ(program.exitCode, 0) << program.err;
        EXPECT_GT(std::filesystem::file_size(folder.file(name)), 500U) << name;
    }
    std::ifstream stream(folder.file("t.json"));
    EXPECT_EQ(json::parse(stream)["heads"][0]["chi"].size(), 64U);
}

TEST(CliResults, TheFigureOfOneHeadIsWrittenAsPgfplots) {
    const TemporaryFolder folder;
    for (const char* verb : {"profile", "group", "compare"}) {
        const std::string path = folder.file(std::string(verb) + ".tikz");
        std::vector<std::string> arguments{verb, samplePath(), "--layers", "15",    "--heads",
                                           "4",  "--length",   "64",       "--out", path};
        EXPECT_EQ(runCli(arguments).exitCode, 0) << verb;
        EXPECT_GT(std::filesystem::file_size(path), 500U) << verb;
    }
    EXPECT_EQ(runCli({"profile", samplePath(), "--length", "16", "--out", folder.file("all.tikz")}).exitCode, 1);
    EXPECT_FALSE(std::filesystem::exists(folder.file("all.tikz")));
}

TEST(CliResults, TextIsAShortTable) {
    const FinishedProgram program = runCli({"profile", samplePath(), "--layers", "15", "--length", "64"});
    EXPECT_EQ(program.exitCode, 0);
    EXPECT_EQ(std::count(program.out.begin(), program.out.end(), '\n'), 10);  // a heading and nine heads
    EXPECT_EQ(program.err.find('\r'), std::string::npos);                     // no bar: stderr is no terminal
}

}  // namespace
}  // namespace dimscope::tests
