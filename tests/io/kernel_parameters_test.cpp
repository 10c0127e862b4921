// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/kernel_parameters.h"

#include <gtest/gtest.h>

#include "kernels/error.h"
#include "tests/io/dump_files.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using kernels::LayerIndex;
using kernels::ParameterArray;
using kernels::ParameterGroup;
using kernels::ParameterSet;
using Shape = std::vector<kernels::Index>;

std::shared_ptr<const ParameterSet> readQuietly(const std::filesystem::path& path) {
    std::vector<analysis::Warning> warnings;
    auto set = io::readKernelParameters(path, warnings);
    EXPECT_TRUE(warnings.empty());
    return set;
}

TEST(KernelParameters, ReadsAFileOfAnotherWriter) {
    const auto set = readQuietly(dataFile("parameters"));
    EXPECT_EQ(set->name, "parameters.h5");
    ASSERT_EQ(set->layers.size(), 2U);  // "notes" is no layer
    const auto& layer = set->layers.at(LayerIndex{15});
    const ParameterGroup& performer = layer.at("performer");
    const ParameterArray& w = performer.arrays.at("w");
    ASSERT_EQ(w.shape, (Shape{2, 4, 3, 4}));
    EXPECT_EQ(w.values.front(), storedValue(5, 0, 0, 0, 0));
    EXPECT_EQ(w.values[static_cast<std::size_t>(((1 * 4 + 2) * 3 + 1) * 4 + 3)], storedValue(5, 1, 2, 1, 3));
    EXPECT_EQ(layer.at("oal").arrays.at("label").values,
              (std::vector<double>{0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 2}));
    EXPECT_FALSE(layer.at("oal").arrays.contains("note"));
    EXPECT_TRUE(layer.contains("retnet"));
    EXPECT_EQ(layer.at("").arrays.at("key_mean").shape, (Shape{2, 4}));
    EXPECT_EQ(std::get<std::string>(layer.at("").attributes.at("provenance")), R"({"program": "by hand"})");
    EXPECT_EQ(set->bootstrapIndices.shape, (Shape{3, 2}));
    EXPECT_EQ(set->positions.values, (std::vector<double>{0, 3, 5, 1, 2, 4}));
}

TEST(KernelParameters, TheNearestAttributeWins) {
    const auto set = readQuietly(dataFile("parameters"));
    const auto& layer = set->layers.at(LayerIndex{15});
    EXPECT_EQ(std::get<double>(layer.at("performer").attributes.at("eps")), 0.125);
    EXPECT_EQ(std::get<double>(layer.at("oal").attributes.at("eps")), 0.5);  // of /layers
    EXPECT_FALSE(layer.at("oal").attributes.contains("provenance"));
    EXPECT_FALSE(layer.at("oal").attributes.contains("format"));
}

TEST(KernelParameters, DecodesBf16) {
    const auto set = readQuietly(dataFile("parameters"));
    const ParameterGroup& hedgehog = set->layers.at(LayerIndex{0}).at("hedgehog");
    EXPECT_EQ(std::get<std::string>(hedgehog.attributes.at("variant")), "fla");
    const ParameterArray& w = hedgehog.arrays.at("w");
    ASSERT_EQ(w.shape, (Shape{4, 4, 4}));
    for (int h = 0; h < 4; ++h) EXPECT_EQ(w.values[static_cast<std::size_t>(h * 16 + 6)], storedValue(6, 0, h, 1, 2));
}

/// Everything that a file can hold.
ParameterSet madeUp() {
    ParameterSet set;
    ParameterGroup& performer = set.layers[LayerIndex{3}]["performer"];
    performer.arrays["w"] = {{1, 2, 1, 2}, {0.1, -2.5e-300, 1.0 / 3.0, 4.0}};
    performer.attributes["eps"] = 0.1;
    ParameterGroup& oal = set.layers[LayerIndex{3}]["oal"];
    oal.arrays["label"] = {{2, 2}, {0, 1, 2, 0}};
    oal.arrays["groups"] = {{2}, {2, 0}};
    set.layers[LayerIndex{3}]["taylorshift"].attributes["note"] = std::string("χ, \"quoted\"\nand broken");
    set.layers[LayerIndex{3}][""].arrays["basis"] = {{1, 2, 2}, {0, 1, -1, 0}};
    set.layers[LayerIndex{120}]["dijiang"].arrays["t"] = {{1, 2}, {7.5, 8.5}};
    set.bootstrapIndices = {{2, 2}, {0, 1, 1, 1}};
    set.positions = {{1, 3}, {0, 5, 2147483647}};
    return set;
}

void expectEqual(const ParameterArray& got, const ParameterArray& expected, const std::string& name) {
    EXPECT_EQ(got.shape, expected.shape) << name;
    EXPECT_EQ(got.values, expected.values) << name;
}

TEST(KernelParameters, RoundTrip) {
    const TemporaryFolder folder;
    const ParameterSet written = madeUp();
    io::writeKernelParameters(written, folder / "p.h5");
    const auto read = readQuietly(folder / "p.h5");
    expectEqual(read->bootstrapIndices, written.bootstrapIndices, "bootstrap");
    expectEqual(read->positions, written.positions, "positions");
    ASSERT_EQ(read->layers.size(), written.layers.size());
    for (const auto& [layer, groups] : written.layers) {
        ASSERT_EQ(read->layers.at(layer).size(), groups.size()) << layer.value;
        for (const auto& [name, group] : groups) {
            const ParameterGroup& got = read->layers.at(layer).at(name);
            EXPECT_EQ(got.attributes, group.attributes) << name;
            ASSERT_EQ(got.arrays.size(), group.arrays.size()) << name;
            for (const auto& [array, content] : group.arrays)
                expectEqual(got.arrays.at(array), content, name + "/" + array);
        }
    }
    EXPECT_EQ(folder.names(), std::vector<std::string>{"p.h5"});
}

TEST(KernelParameters, AWriterThatFailsLeavesTheOldFile) {
    const TemporaryFolder folder;
    writeContent(folder / "p.h5", "old");
    ParameterSet fraction = madeUp(), sizes = madeUp();
    fraction.layers[LayerIndex{3}]["oal"].arrays["label"].values[0] = 0.5;
    sizes.layers[LayerIndex{3}]["performer"].arrays["w"].values.pop_back();
    EXPECT_THROW(io::writeKernelParameters(fraction, folder / "p.h5"), kernels::ArgumentError);
    EXPECT_THROW(io::writeKernelParameters(sizes, folder / "p.h5"), kernels::ShapeError);
    EXPECT_EQ(contentOf(folder / "p.h5"), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"p.h5"});
}

TEST(KernelParameters, RefusesOtherFiles) {
    std::vector<analysis::Warning> warnings;
    EXPECT_THROW(io::readKernelParameters(dataFile("not_there"), warnings), kernels::FileError);
    EXPECT_THROW(io::readKernelParameters(dataFile("float32"), warnings), kernels::FormatError);  // a dump
    EXPECT_TRUE(warnings.empty());
}

struct ParameterRefusal {
    std::string file, object, cause;
};

class EveryParameterRefusal : public testing::TestWithParam<ParameterRefusal> {};

TEST_P(EveryParameterRefusal, IsOneLineWithFileObjectAndCause) {
    std::vector<analysis::Warning> warnings;
    try {
        static_cast<void>(io::readKernelParameters(dataFile(GetParam().file), warnings));
        FAIL() << "accepted";
    } catch (const kernels::FormatError& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_NE(text.find(GetParam().file + ".h5"), std::string::npos) << text;
        EXPECT_EQ(error.parts().object, GetParam().object) << text;
        EXPECT_NE(error.parts().cause.find(GetParam().cause), std::string::npos) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryParameterRefusal,
                         testing::Values(ParameterRefusal{"parameters_version_2", "/", "newer program"},
                                         ParameterRefusal{"parameters_other_format", "/", "attn-dump"},
                                         ParameterRefusal{"parameters_link", "/layers/15/performer/w", "external link"},
                                         ParameterRefusal{"parameters_indices", "/positions", "not indices"},
                                         ParameterRefusal{"parameters_rank", "/bootstrap/indices", "two axes"},
                                         ParameterRefusal{"parameters_nothing", "/", "no kernel parameters"}),
                         [](const auto& given) { return given.param.file; });

}  // namespace
}  // namespace dimscope::tests
