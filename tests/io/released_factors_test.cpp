// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/released_factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/kernel_parameters.h"
#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using kernels::LayerIndex;
using kernels::ParameterSet;
using Release = nlohmann::json;

Release release() {
    std::ifstream stream(TEST_DATA_DIR "/oal_release.json");
    return Release::parse(stream);
}

/// The test release after `edit`, read.
ParameterSet readEdited(const std::function<void(Release&)>& edit, bool skipBroken = false,
                        std::vector<analysis::Warning>* warnings = nullptr) {
    const TemporaryFolder folder;
    Release document = release();
    edit(document);
    writeContent(folder / "r.json", document.dump());
    std::vector<analysis::Warning> own;
    return io::readReleasedFactors(folder / "r.json", skipBroken, warnings ? *warnings : own);
}

const kernels::ParameterArray& arrayIn(const ParameterSet& set, int layer, const char* name) {
    return set.layers.at(LayerIndex{layer}).at("oal").arrays.at(name);
}

TEST(ReleasedFactors, GroupsBecomeLabelsAndPaddingIsDropped) {
    const ParameterSet set = readEdited([](Release&) {});
    ASSERT_EQ(set.layers.size(), 2U);
    EXPECT_EQ(arrayIn(set, 4, "label").shape, (std::vector<kernels::Index>{2, 6}));
    EXPECT_EQ(arrayIn(set, 4, "label").values, (std::vector<double>{0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(arrayIn(set, 12, "groups").values, (std::vector<double>{2, 4}));
    EXPECT_EQ(arrayIn(set, 4, "validation_output_mse").values, (std::vector<double>{0.031, 0.25}));
    const kernels::ParameterArray& factor = arrayIn(set, 4, "l");
    EXPECT_EQ(factor.shape, (std::vector<kernels::Index>{2, 10}));
    const auto packed = release()["layers"]["04"]["heads"]["1"]["packed_lower_triangular"].get<std::vector<double>>();
    for (std::size_t n = 0; n < 10; ++n) EXPECT_EQ(factor.values[10 + n], n < 6 ? packed[n] : 0.0) << n;
}

TEST(ReleasedFactors, ExportedThroughAParameterFileIsTheReleaseAgain) {
    const TemporaryFolder folder;
    io::writeKernelParameters(readEdited([](Release&) {}), folder / "k.h5");
    std::vector<analysis::Warning> warnings;
    io::writeReleasedFactors(*io::readKernelParameters(folder / "k.h5", warnings), folder / "again.json");
    EXPECT_TRUE(warnings.empty());
    const Release again = Release::parse(contentOf(folder / "again.json")), first = release();
    for (const char* key : {"model_name", "head_dim", "epsilon"}) EXPECT_EQ(again[key], first[key]) << key;
    for (const auto& [layer, heads] : first["layers"].items())
        for (const auto& [number, head] : heads["heads"].items()) {
            const Release& other = again["layers"][layer]["heads"][number];
            EXPECT_EQ(other["group_count"], head["group_count"]);
            EXPECT_EQ(other["validation_output_mse"], head["validation_output_mse"]);
            ASSERT_EQ(other["packed_lower_triangular"].size(), 45U);
            const std::size_t active = other["group_count"] == 2 ? 6 : other["group_count"] == 3 ? 10 : 15;
            for (std::size_t n = 0; n < active; ++n)
                EXPECT_EQ(other["packed_lower_triangular"][n], head["packed_lower_triangular"][n]);
            for (std::size_t r = 0; r < 9; ++r)
                for (std::size_t c = 0; c < 9; ++c)  // the test file is rounded to seven places
                    EXPECT_NEAR(other["expanded_quadratic_matrix"][r][c].get<double>(),
                                head["expanded_quadratic_matrix"][r][c].get<double>(), 1e-7);
        }
    // Group 0 of the release need not be in order; ours is.
    EXPECT_EQ(again["layers"]["12"]["heads"]["0"]["groups"], Release::parse("[[0,1,2,5],[3,4]]"));
}

TEST(ReleasedFactors, ABrokenHeadIsNamed) {
    struct Broken {
        const char* cause;
        std::function<void(Release& head)> edit;
    };
    const Broken cases[] = {
        {"in two groups",
         [](Release& head) {
             head["groups"] = {{0, 1, 3, 5}, {2}, {4, 2}};
         }},
        {"in no group",
         [](Release& head) {
             head["groups"] = {{0, 1, 3}, {2}, {4}};
         }},
        {"expected 0..5",
         [](Release& head) {
             head["groups"] = {{0, 1, 3, 5}, {2}, {6}};
         }},
        {"is empty", [](Release& head) { head["groups"] = Release::parse("[[0,1,2,3,4,5],[],[]]"); }},
        {"'groups' has 3", [](Release& head) { head["group_count"] = 2; }},
        {"at least 1", [](Release& head) { head["group_count"] = 0; }},
        {"3 groups need 10",
         [](Release& head) {
             head["packed_lower_triangular"] = {1, 2, 3};
         }},
        {"the factor gives", [](Release& head) { head["expanded_quadratic_matrix"][1][2] = 77.0; }},
        {"a square of at least", [](Release& head) { head["expanded_quadratic_matrix"] = {{1.0}}; }},
        {"not a number", [](Release& head) { head["packed_lower_triangular"][0] = "x"; }},
        {"is missing", [](Release& head) { head.erase("groups"); }},
    };
    for (const Broken& broken : cases) {
        const auto edit = [&](Release& document) { broken.edit(document["layers"]["04"]["heads"]["0"]); };
        try {
            readEdited(edit);
            ADD_FAILURE() << broken.cause;
        } catch (const kernels::FormatError& error) {
            EXPECT_EQ(error.parts().object, "/layers/04/heads/0");
            EXPECT_NE(error.parts().cause.find(broken.cause), std::string::npos) << error.parts().cause;
        }
        std::vector<analysis::Warning> warnings;
        const ParameterSet rest = readEdited(edit, true, &warnings);
        ASSERT_EQ(warnings.size(), 1U) << broken.cause;
        EXPECT_EQ(warnings[0].place, "/layers/04/heads/0");
        EXPECT_EQ(arrayIn(rest, 4, "groups").values, (std::vector<double>{1, 2}));
        EXPECT_NEAR(arrayIn(rest, 4, "l").values[1], 0.5, 1e-6);  // the Taylor start
        EXPECT_EQ(arrayIn(rest, 12, "groups").values, (std::vector<double>{2, 4}));
    }
}

TEST(ReleasedFactors, AMissingHeadIsNamedToo) {
    const auto edit = [](Release& document) { document["layers"]["04"]["heads"].erase("0"); };
    EXPECT_THROW(readEdited(edit), kernels::FormatError);
    std::vector<analysis::Warning> warnings;
    EXPECT_EQ(arrayIn(readEdited(edit, true, &warnings), 4, "groups").values, (std::vector<double>{1, 2}));
    EXPECT_EQ(warnings.size(), 1U);
}

TEST(ReleasedFactors, RefusesWhatIsNoRelease) {
    const TemporaryFolder folder;
    std::vector<analysis::Warning> warnings;
    for (const char* text : {"", "[]", "{}", "{\"head_dim\": 6}", "not json"}) {
        writeContent(folder / "r.json", text);
        EXPECT_THROW(io::readReleasedFactors(folder / "r.json", true, warnings), kernels::FormatError) << text;
    }
    EXPECT_THROW(io::readReleasedFactors(folder / "absent.json", true, warnings), kernels::FileError);
    EXPECT_THROW(readEdited([](Release& document) { document["layers"]["x"] = document["layers"]["04"]; }, true),
                 kernels::FormatError);
    EXPECT_THROW(readEdited([](Release& document) { document["epsilon"] = -1; }, true), kernels::FormatError);
    EXPECT_THROW(io::writeReleasedFactors({}, folder / "out.json"), kernels::FormatError);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"r.json"});
}

}  // namespace
}  // namespace dimscope::tests
