// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/dump/attention_dump.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"

namespace dimscope::tests {
namespace {

// The files of tests/data/make_layouts.py: the same numbers, stored in the ways in which people store them.

using namespace analysis;

std::filesystem::path layoutFile(const std::string& name) {
    return std::filesystem::path(TEST_DATA_DIR) / "layouts" / name;
}

/// Entries of all heads that differ from what was stored. `repeated`: key heads stand once for each query head.
int wrongIn(HeadSource& source, bool repeated) {
    int wrong = 0;
    for (const LayerInfo& layer : source.info().layers)
        for (int p = 0; p < layer.prompts; ++p) {
            const int group = repeated ? layer.nHeads / 2 : 1;
            for (int h = 0; h < layer.nHeads; ++h)
                wrong += wrongEntries(source, TensorKind::Query, layer.layer.value, p, h);
            for (int h = 0; h < layer.nKvHeads; h += group)
                for (const TensorKind kind : {TensorKind::Key, TensorKind::Value}) {
                    const auto tensor = loadTensor(source, kind, layer.layer.value, p, h);
                    const int number = kind == TensorKind::Key ? 1 : 2, stored = h / group;
                    std::visit(
                        [&](const auto& m) {
                            for (kernels::Index n = 0; n < m.rows(); ++n)
                                for (kernels::Index d = 0; d < m.cols(); ++d)
                                    wrong +=
                                        static_cast<double>(m(n, d)) == storedValue(number, p, stored, n, d) ? 0 : 1;
                        },
                        tensor);
                }
        }
    return wrong;
}

struct Layout {
    std::string file;
    std::vector<int> layers{4, 12};
    int heads = 4, kvHeads = 2, prompts = 2;
};

class EveryLayout : public testing::TestWithParam<Layout> {};

TEST_P(EveryLayout, GivesTheSameNumbers) {
    const Layout& expected = GetParam();
    const auto source = io::openDump(layoutFile(expected.file));
    std::vector<int> layers;
    for (const LayerInfo& layer : source->info().layers) {
        layers.push_back(layer.layer.value);
        EXPECT_EQ(layer.nHeads, expected.heads);
        EXPECT_EQ(layer.storedKvHeads, expected.kvHeads);
        EXPECT_EQ(layer.prompts, expected.prompts);
        EXPECT_EQ(layer.positions, 12);
        EXPECT_EQ(layer.headDim, 8);
        EXPECT_TRUE(layer.hasValue);
    }
    EXPECT_EQ(layers, expected.layers);
    EXPECT_EQ(wrongIn(*source, expected.kvHeads == 4), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryLayout,
    testing::Values(Layout{"names_long.h5"}, Layout{"names_upper.h5"}, Layout{"names_hf.h5"}, Layout{"names_flat.h5"},
                    Layout{"names_transformer_lens.h5"}, Layout{"names_decoys.h5"}, Layout{"group_layer.h5"},
                    Layout{"group_number.h5"}, Layout{"prompts_apart.h5"},
                    Layout{.file = "heads_apart.h5", .prompts = 1}, Layout{"layer_axis.h5"},
                    Layout{"layer_axis_second.h5"},
                    Layout{.file = "one_head.h5", .layers = {0}, .heads = 1, .kvHeads = 1, .prompts = 1},
                    Layout{"axes_positions_first.h5"}, Layout{.file = "axes_stated.h5", .kvHeads = 4},
                    Layout{"axes_flat.h5"}, Layout{"axes_reversed.h5"},
                    Layout{.file = "axes_one_prompt.h5", .prompts = 1}, Layout{.file = "axes_labels.h5", .kvHeads = 4},
                    Layout{"matlab.h5"}, Layout{.file = "fused_c_attn.h5", .kvHeads = 4},
                    Layout{.file = "fused_kqv.h5", .kvHeads = 4}, Layout{.file = "fused_per_head.h5", .kvHeads = 4},
                    Layout{.file = "fused_stacked.h5", .kvHeads = 4}, Layout{"fused_grouped.h5"},
                    Layout{.file = "compound.h5", .kvHeads = 4}, Layout{"int8.h5"}, Layout{"int16_big_endian.h5"},
                    Layout{"float128.h5"}, Layout{"bf16_torch.h5"}, Layout{"filters.h5"}, Layout{"filters_gzip.h5"},
                    Layout{"wide_chunks.h5"}, Layout{"dump.safetensors"}, Layout{"dump.npz"},
                    Layout{"dump_compressed.npz"}, Layout{"dump_zip64.npz"}),
    [](const auto& given) {
        std::string name = given.param.file;
        std::replace(name.begin(), name.end(), '.', '_');
        return name;
    });

TEST(DumpLayouts, AssumedReadingsAreSaid) {
    EXPECT_TRUE(hasWarning(io::openDump(layoutFile("axes_reversed.h5"))->info(), "reversed"));
    EXPECT_TRUE(hasWarning(io::openDump(layoutFile("matlab.h5"))->info(), "MATLAB"));
    EXPECT_TRUE(hasWarning(io::openDump(layoutFile("float128.h5"))->info(), "converted to double"));
    const auto stated = io::openDump(layoutFile("axes_positions_first.h5"));
    EXPECT_TRUE(stated->info().warnings.empty());
    ASSERT_FALSE(stated->info().readings.empty());
    EXPECT_NE(stated->info().readings.front().evidence.find("differs between q and k"), std::string::npos);
}

TEST(DumpLayouts, APromptThatALayerLacksIsNamed) {
    const auto source = io::openDump(layoutFile("prompt_missing.h5"));
    ASSERT_EQ(source->info().layers.size(), 2U);
    EXPECT_TRUE(source->info().layers[0].missingPrompts.empty());
    EXPECT_EQ(source->info().layers[1].missingPrompts, std::vector<int>{1});
    EXPECT_TRUE(hasWarning(source->info(), "lacks 1 of 2 prompts"));
    EXPECT_THROW(loadTensor(*source, TensorKind::Query, 12, 1, 0), kernels::FormatError);
}

TEST(DumpLayouts, StridedHeadsAreFoundWhereTheyAre) {
    const auto source = io::openDump(dataFile("gqa_strided"));
    const LayerInfo& layer = source->info().layers.front();
    EXPECT_EQ(layer.storedKvHeads, 2);
    ASSERT_EQ(layer.nKvHeads, 4);
    for (int h = 0; h < 4; ++h) {
        const auto key = std::get<kernels::Matrix<float>>(loadTensor(*source, TensorKind::Key, 4, 1, h));
        for (kernels::Index n = 0; n < key.rows(); ++n)
            EXPECT_EQ(static_cast<double>(key(n, 2)), storedValue(1, 1, h % 2, n, 2)) << h;
    }
}

struct Question {
    std::string file;
    std::vector<std::string> words;  ///< of the cause
    std::map<std::string, io::AttributeValue> answer;
    int kvHeads = 2, prompts = 2;
};

class EveryQuestion : public testing::TestWithParam<Question> {};

TEST_P(EveryQuestion, NamesBothReadingsAndTakesAnAnswer) {
    try {
        static_cast<void>(io::openDump(layoutFile(GetParam().file)));
        FAIL() << "it was read without an answer";
    } catch (const kernels::FormatError& error) {
        for (const std::string& word : GetParam().words)
            EXPECT_NE(error.parts().cause.find(word), std::string::npos) << error.parts().cause;
        EXPECT_NE(error.parts().advice.find("--"), std::string::npos);
    }
    io::ReadingDecisions decisions;
    decisions.attributes = GetParam().answer;
    const auto source = io::openDump(layoutFile(GetParam().file), decisions);
    EXPECT_EQ(source->info().layers.front().storedKvHeads, GetParam().kvHeads);
    EXPECT_EQ(source->info().layers.front().prompts, GetParam().prompts);
    EXPECT_EQ(wrongIn(*source, GetParam().kvHeads == 4), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryQuestion,
    testing::Values(
        Question{"asks_bits.h5", {"bf16", "float16"}, {{"encoding", "bf16"}}},
        Question{"asks_integers.h5", {"scale_factor"}, {{"scale_factor", 0.125}}},
        Question{"asks_reversed.h5", {"dim pos head prompt", "prompt pos head dim"}, {{"axes", "dim pos head prompt"}}},
        Question{
            "asks_square.h5", {"prompt head pos dim", "prompt pos head dim"}, {{"axes", "prompt head pos dim"}}, 4},
        Question{"asks_heads_or_prompts.h5", {"head pos dim", "prompt pos dim"}, {{"axes", "head pos dim"}}, 4, 1},
        Question{"asks_flat.h5", {"one axis"}, {{"n_heads", 4.0}, {"head_dim", 8.0}}}),
    [](const auto& given) { return given.param.file.substr(0, given.param.file.find('.')); });

TEST(DumpLayouts, OneOfTwoSetsIsChosenByName) {
    EXPECT_THROW(static_cast<void>(io::openDump(layoutFile("asks_two_sets.h5"))), kernels::FormatError);
    io::ReadingDecisions decisions;
    decisions.map = {{"q", "/run_b/layer_4/q"}, {"k", "/run_b/layer_4/k"}, {"v", "/run_b/layer_4/v"}};
    EXPECT_EQ(wrongIn(*io::openDump(layoutFile("asks_two_sets.h5"), decisions), false), 0);
}

TEST(DumpLayouts, RotationIsDoneOnRequestOnly) {
    io::ReadingDecisions decisions;
    decisions.attributes = {{"rope", "pre"}, {"rope_theta", 100.0}};
    const auto asStored = io::openDump(layoutFile("names_long.h5"), decisions);
    EXPECT_EQ(wrongIn(*asStored, false), 0);
    EXPECT_TRUE(hasWarning(asStored->info(), "before RoPE"));
    decisions.rotate = true;
    const auto rotated = io::openDump(layoutFile("names_long.h5"), decisions);
    const auto q = std::get<kernels::Matrix<float>>(loadTensor(*rotated, TensorKind::Query, 4, 1, 2));
    for (kernels::Index n = 0; n < 12; ++n)
        for (kernels::Index r = 0; r < 4; ++r) {
            const double angle = static_cast<double>(n) * std::pow(100.0, -2.0 * static_cast<double>(r) / 8.0);
            const double x = storedValue(0, 1, 2, n, r), y = storedValue(0, 1, 2, n, r + 4);
            // float32 of numbers below 8: half a unit in the last place is below 2.4e-7
            EXPECT_NEAR(q(n, r), x * std::cos(angle) - y * std::sin(angle), 5e-7);
            EXPECT_NEAR(q(n, r + 4), y * std::cos(angle) + x * std::sin(angle), 5e-7);
        }
    decisions.attributes.erase("rope");
    EXPECT_THROW(static_cast<void>(io::openDump(layoutFile("names_long.h5"), decisions)), kernels::FormatError);
}

TEST(DumpLayouts, DataOutsideAreReadWhereThatIsAllowed) {
    io::ReadingDecisions decisions;
    for (const char* file : {"harm_links.h5", "harm_virtual.h5"})
        EXPECT_THROW(static_cast<void>(io::openDump(layoutFile(file))), kernels::FormatError) << file;
    decisions.outside = io::OpenPolicy::Outside::OwnFolder;
    for (const char* file : {"harm_links.h5", "harm_virtual.h5"})
        EXPECT_EQ(wrongIn(*io::openDump(layoutFile(file), decisions), false), 0) << file;
}

struct Harm {
    std::string file, cause;
};

class EveryHarm : public testing::TestWithParam<Harm> {};

TEST_P(EveryHarm, IsRefusedWithItsCause) {
    try {
        const auto source = io::openDump(layoutFile(GetParam().file));
        static_cast<void>(loadTensor(*source, TensorKind::Query, 4, 0, 0));
        FAIL() << "it was read";
    } catch (const kernels::FormatError& error) {
        EXPECT_NE(error.parts().cause.find(GetParam().cause), std::string::npos) << error.parts().cause;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryHarm,
    testing::Values(Harm{"harm_short.h5", "decodes to 100 bytes instead of 384"},
                    Harm{"harm_long.h5", "inflates to more than"},
                    Harm{"harm_checksum.h5", "too short for its checksum"}, Harm{"harm_lzf.h5", "lzf"},
                    Harm{"harm_giant.h5", "chunks of 1 GiB"}, Harm{"harm_pointer.h5", "Git LFS"},
                    Harm{"harm_page.h5", "web page"}, Harm{"harm_torch.pt", "never unpickled"},
                    Harm{"harm_deep.safetensors", "header is damaged"}, Harm{"harm_shape.safetensors", "overflows"},
                    Harm{"harm_header.safetensors", "header declares"}, Harm{"harm_pickle.npz", "never unpickled"},
                    Harm{"harm_zip_checksum.npz", "checksum"}, Harm{"harm_zip_data.npz", "damaged"},
                    Harm{"harm_zip_cut.npz", "end too early"}, Harm{"harm_zip_longer.npz", "declares a shape of"},
                    Harm{"harm_zip_bomb.npz", "implausible"}, Harm{"harm_zip_inflates.npz", "declares a shape of"},
                    Harm{"harm_zip_encrypted.npz", "encrypted"}, Harm{"harm_zip_method.npz", "method 14"},
                    Harm{"harm_zip_stored.npz", "checksum"}),
    [](const auto& given) { return given.param.file.substr(0, given.param.file.find('.')); });

}  // namespace
}  // namespace dimscope::tests
