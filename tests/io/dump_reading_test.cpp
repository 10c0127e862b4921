// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "io/dump/attention_dump.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

constexpr int kHeads = 4, kKvHeads = 2, kPositions = 6, kDim = 4, kValueDim = 3;

struct EncodingCase {
    std::string file, encoding;
};

class EveryEncoding : public testing::TestWithParam<EncodingCase> {};

TEST_P(EveryEncoding, ReadsEveryHeadExactly) {
    const auto source = io::openDump(dataFile(GetParam().file));
    ASSERT_EQ(source->info().layers.size(), 1U);
    const LayerInfo& layer = source->info().layers.front();
    EXPECT_EQ(layer.layer, LayerIndex{4});
    EXPECT_EQ(layer.encoding, GetParam().encoding);
    for (int p = 0; p < 2; ++p) {
        for (int h = 0; h < kHeads; ++h)
            EXPECT_EQ(wrongEntries(*source, TensorKind::Query, 4, p, h), 0) << p << " " << h;
        for (int h = 0; h < kKvHeads; ++h) {
            EXPECT_EQ(wrongEntries(*source, TensorKind::Key, 4, p, h), 0) << p << " " << h;
            EXPECT_EQ(wrongEntries(*source, TensorKind::Value, 4, p, h), 0) << p << " " << h;
        }
    }
    EXPECT_TRUE(source->info().warnings.empty());
}

TEST_P(EveryEncoding, KeepsTheStoredPrecision) {
    const auto source = io::openDump(dataFile(GetParam().file));
    const bool isDouble =
        std::holds_alternative<kernels::Matrix<double>>(loadTensor(*source, TensorKind::Query, 4, 0, 0));
    EXPECT_EQ(isDouble, GetParam().encoding == "float64");
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryEncoding,
    testing::Values(EncodingCase{"float16", "float16"}, EncodingCase{"float16_big_endian", "float16"},
                    EncodingCase{"float32", "float32"}, EncodingCase{"float32_big_endian", "float32"},
                    EncodingCase{"float64", "float64"}, EncodingCase{"float64_big_endian", "float64"},
                    EncodingCase{"bf16_bits", "bf16"}, EncodingCase{"bf16_bits_big_endian", "bf16"},
                    EncodingCase{"bf16_type", "bf16"}, EncodingCase{"compressed", "float16"}),
    [](const auto& given) { return given.param.file; });

TEST(DumpReading, KnowsSizesAndDefaults) {
    const auto source = io::openDump(dataFile("float32"));
    const LayerInfo& layer = source->info().layers.front();
    EXPECT_EQ(layer.nHeads, kHeads);
    EXPECT_EQ(layer.nKvHeads, kKvHeads);
    EXPECT_EQ(layer.positions, kPositions);
    EXPECT_EQ(layer.prompts, 2);
    EXPECT_EQ(layer.headDim, kDim);
    EXPECT_EQ(layer.valueDim, kValueDim);
    EXPECT_DOUBLE_EQ(layer.scale, 0.5);  // 1 / sqrt(4)
    EXPECT_TRUE(layer.causal);
    EXPECT_EQ(layer.window, 0);
    EXPECT_EQ(layer.softcap, 0.0);
    EXPECT_TRUE(layer.hasValue);
    EXPECT_FALSE(layer.hasOutput || layer.hasOutputProjection || layer.hasSink);
    EXPECT_EQ(source->validity(PromptIndex{0}), nullptr);
    EXPECT_EQ(source->sink(LayerIndex{4}, HeadIndex{0}), std::nullopt);
    EXPECT_EQ(source->outputProjection(LayerIndex{4}, {}), nullptr);
}

TEST(DumpReading, TheNearestAttributeWins) {
    // attributes.h5:      /            /layers   /layers/04   /layers/12
    //   scale             0.5                    0.25
    //   softcap           20           30
    //   window            5            3                      0
    //   causal                                                0
    //   encoding          ieee                   q: bf16
    const auto source = io::openDump(dataFile("attributes"));
    ASSERT_EQ(source->info().layers.size(), 2U);
    const LayerInfo &near = source->info().layers[0], &far = source->info().layers[1];
    EXPECT_EQ(near.layer, LayerIndex{4});
    EXPECT_EQ(far.layer, LayerIndex{12});
    EXPECT_EQ(near.scale, 0.25);
    EXPECT_EQ(far.scale, 0.5);
    EXPECT_EQ(near.softcap, 30.0);
    EXPECT_EQ(near.window, 3);
    EXPECT_EQ(far.window, 0);
    EXPECT_TRUE(near.causal);
    EXPECT_FALSE(far.causal);
    EXPECT_EQ(near.ropeTheta, 10000.0);
    EXPECT_EQ(near.encoding, "bf16");
    EXPECT_EQ(wrongEntries(*source, TensorKind::Query, 4, 1, 2), 0);
    EXPECT_EQ(wrongEntries(*source, TensorKind::Key, 4, 1, 1), 0);
    EXPECT_EQ(source->info().model, "made-up");
    EXPECT_EQ(source->info().prompts[1].split, "evaluation");
}

TEST(DumpReading, ReadsSinksOutputsAndProjection) {
    const auto source = io::openDump(dataFile("attributes"));
    EXPECT_TRUE(source->info().layers[0].hasSink);
    EXPECT_EQ(source->sink(LayerIndex{4}, HeadIndex{1}), -1.0);
    EXPECT_EQ(source->sink(LayerIndex{4}, HeadIndex{2}), 2.0);
    EXPECT_TRUE(source->info().layers[1].hasOutput);
    EXPECT_EQ(wrongEntries(*source, TensorKind::Output, 12, 1, 3), 0);
    const auto projection = source->outputProjection(LayerIndex{12}, {});
    ASSERT_NE(projection, nullptr);
    ASSERT_EQ(projection->rows(), 5);
    ASSERT_EQ(projection->cols(), kHeads * kValueDim);
    for (Index r = 0; r < 5; ++r)
        for (Index c = 0; c < projection->cols(); ++c) EXPECT_EQ((*projection)(r, c), storedValue(3, 0, 0, r, c));
}

TEST(DumpReading, CutsLengthsAndLeavesEmptyPromptsOut) {
    const auto source = io::openDump(dataFile("lengths"));  // 4, 0 and 9 of 6
    const std::vector<PromptInfo>& prompts = source->info().prompts;
    EXPECT_EQ(prompts[0].validPositions, 4);
    EXPECT_EQ(*source->validity(PromptIndex{0}), (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0}));
    EXPECT_TRUE(prompts[1].leftOut);
    EXPECT_FALSE(prompts[0].leftOut || prompts[2].leftOut);
    EXPECT_EQ(prompts[2].validPositions, kPositions);
    EXPECT_EQ(source->validity(PromptIndex{2}), nullptr);
    EXPECT_TRUE(hasWarning(source->info(), "cut"));
    EXPECT_TRUE(hasWarning(source->info(), "left out"));
}

TEST(DumpReading, HonoursMasksWithHoles) {
    for (const char* name : {"mask_holes", "mask_boolean"}) {
        const auto source = io::openDump(dataFile(name));
        EXPECT_EQ(*source->validity(PromptIndex{0}), (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 0})) << name;
        EXPECT_EQ(source->info().prompts[0].validPositions, 4) << name;
        EXPECT_EQ(*source->validity(PromptIndex{1}), (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0})) << name;
        EXPECT_EQ(source->validity(PromptIndex{2}), nullptr) << name;
        EXPECT_TRUE(hasWarning(source->info(), "holes")) << name;
    }
}

TEST(DumpReading, TakesLengthAndMaskThatAgree) {
    const auto source = io::openDump(dataFile("length_mask_agree"));
    EXPECT_EQ(source->info().prompts[1].validPositions, 4);
    EXPECT_TRUE(source->info().warnings.empty());
}

TEST(DumpReading, CountsNonFiniteNumbersOfValidRows) {
    const auto source =
        io::openDump(dataFile("non_finite"));  // head 1: NaN at [2, 3], infinity at [5, 0], which is padding
    const auto bad = source->load(TensorKind::Query, LayerIndex{4}, PromptIndex{0}, 1, {});
    EXPECT_EQ(bad->nonFinite, 1);
    EXPECT_EQ(bad->firstRow, 2);
    EXPECT_EQ(bad->firstColumn, 3);
    EXPECT_EQ(source->load(TensorKind::Query, LayerIndex{4}, PromptIndex{0}, 0, {})->nonFinite, 0);
}

TEST(DumpReading, OneBadLayerDoesNotEndTheRest) {
    const auto source = io::openDump(dataFile("one_bad_layer"));
    ASSERT_EQ(source->info().layers.size(), 1U);
    EXPECT_EQ(source->info().layers.front().layer, LayerIndex{12});
    EXPECT_TRUE(hasWarning(source->info(), "layer 4 is left out"));
    EXPECT_EQ(wrongEntries(*source, TensorKind::Query, 12, 0, 0), 0);
}

TEST(DumpReading, IdentityFollowsTheContentNotTheName) {
    const auto a = io::openDump(dataFile("float32"))->info().identity,
               b = io::openDump(dataFile("float64"))->info().identity;
    EXPECT_EQ(a.name, "float32.h5");
    EXPECT_EQ(a.sha256.size(), 64U);
    EXPECT_EQ(a.sha256, io::openDump(dataFile("float32"))->info().identity.sha256);
    EXPECT_NE(a.sha256, b.sha256);
    EXPECT_EQ(a.sizeBytes, static_cast<std::int64_t>(std::filesystem::file_size(dataFile("float32"))));
}

TEST(DumpReading, RefusesWhatIsNotThere) {
    const auto source = io::openDump(dataFile("float32"));
    EXPECT_THROW(loadTensor(*source, TensorKind::Query, 5, 0, 0), kernels::FormatError);
    EXPECT_THROW(loadTensor(*source, TensorKind::Query, 4, 2, 0), kernels::FormatError);
    EXPECT_THROW(loadTensor(*source, TensorKind::Query, 4, 0, kHeads), kernels::FormatError);
    EXPECT_THROW(loadTensor(*source, TensorKind::Key, 4, 0, kKvHeads), kernels::FormatError);
    EXPECT_THROW(loadTensor(*source, TensorKind::Output, 4, 0, 0), kernels::FormatError);
}

TEST(DumpReading, StopsWhenCancelled) {
    const auto source = io::openDump(dataFile("float32"));
    const kernels::RunControl control;
    control.cancel();
    EXPECT_THROW(source->load(TensorKind::Query, LayerIndex{4}, PromptIndex{0}, 0, control), kernels::Cancelled);
}

TEST(DumpReading, ReadsTheSampleOfTheProject) {
    const auto source = io::openDump(std::filesystem::path(SAMPLE_DIR) / "smollm2-sample.h5");
    ASSERT_FALSE(source->info().layers.empty());
    const LayerInfo& layer = source->info().layers.front();
    const auto query = source->load(TensorKind::Query, layer.layer, PromptIndex{0}, 0, {});
    EXPECT_EQ(kernels::colsOf(kernels::viewOf(query->values)), layer.headDim);
    EXPECT_EQ(query->nonFinite, 0);
}

}  // namespace
}  // namespace dimscope::tests
