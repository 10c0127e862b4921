// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_repack.h"
#include "analysis/loading_time.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/loading_time.h"
#include "io/dump/array_file.h"
#include "io/dump/attention_dump.h"
#include "io/dump/number_encoding.h"
#include "io/hdf5_read.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
namespace fs = std::filesystem;

fs::path testFile(const std::string& name) { return fs::path(TEST_DATA_DIR) / name; }

template <class T>
bool sameBits(const kernels::Matrix<T>& a, const kernels::Matrix<T>& b) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    for (std::size_t i = 0; i < a.values().size(); ++i)
        if (std::bit_cast<Word>(a.values()[i]) != std::bit_cast<Word>(b.values()[i])) return false;
    return true;
}

/// The same type and the same bits.
bool sameTensor(const LoadedTensor& a, const LoadedTensor& b) {
    if (a.values.index() != b.values.index() || a.nonFinite != b.nonFinite) return false;
    return std::visit(
        [&](const auto& values) { return sameBits(values, std::get<std::decay_t<decltype(values)>>(b.values)); },
        a.values);
}

/// Matrices of all heads of the prompts that count; each must be the same in both.
int comparedHeads(HeadSource& a, HeadSource& b, const LayerInfo& layer) {
    int compared = 0;
    for (int p = 0; p < layer.prompts; ++p) {
        if (b.info().prompts[static_cast<std::size_t>(p)].leftOut) continue;
        for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value, TensorKind::Output}) {
            if ((kind == TensorKind::Value && !layer.hasValue) || (kind == TensorKind::Output && !layer.hasOutput))
                continue;
            const bool ofQueries = kind == TensorKind::Query || kind == TensorKind::Output;
            for (int head = 0; head < (ofQueries ? layer.nHeads : layer.nKvHeads); ++head, ++compared)
                EXPECT_TRUE(sameTensor(*a.load(kind, layer.layer, PromptIndex{p}, head, {}),
                                       *b.load(kind, layer.layer, PromptIndex{p}, head, {})))
                    << "layer " << layer.layer.value << " prompt " << p << " head " << head << " kind "
                    << static_cast<int>(kind);
        }
    }
    return compared;
}

void expectSameHidden(HeadSource& a, HeadSource& b, const LayerInfo& layer) {
    for (int p = 0; p < layer.prompts; ++p) {
        if (b.info().prompts[static_cast<std::size_t>(p)].leftOut) continue;
        const auto x = a.hiddenState(layer.layer, PromptIndex{p}, {}),
                   y = b.hiddenState(layer.layer, PromptIndex{p}, {});
        ASSERT_EQ(x == nullptr, y == nullptr);
        if (!x) continue;
        ASSERT_EQ(x->positions.has_value(), y->positions.has_value());
        if (x->positions) {
            EXPECT_TRUE(sameTensor(*x->positions, *y->positions));
        }
        EXPECT_EQ(x->meanAbs, y->meanAbs);
        EXPECT_EQ(x->maxAbs, y->maxAbs);
    }
}

void expectSameLayer(HeadSource& a, HeadSource& b, const LayerInfo& x, const LayerInfo& y) {
    EXPECT_EQ(x.layer.value, y.layer.value);
    EXPECT_EQ(x.nHeads, y.nHeads);
    EXPECT_EQ(x.nKvHeads, y.nKvHeads);
    EXPECT_EQ(x.headDim, y.headDim);
    EXPECT_EQ(x.valueDim, y.valueDim);
    EXPECT_EQ(x.positions, y.positions);
    EXPECT_EQ(x.scale, y.scale);
    EXPECT_EQ(x.softcap, y.softcap);
    EXPECT_EQ(x.causal, y.causal);
    EXPECT_EQ(x.window, y.window);
    EXPECT_EQ(x.rope, y.rope);
    EXPECT_EQ(x.ropeLayout, y.ropeLayout);
    EXPECT_EQ(x.ropeTheta, y.ropeTheta);
    EXPECT_EQ(x.rotaryDim, y.rotaryDim);
    EXPECT_EQ(x.hasOutput, y.hasOutput);
    ASSERT_EQ(x.hasSink, y.hasSink);
    for (int head = 0; head < x.nHeads; ++head)
        EXPECT_EQ(a.sink(x.layer, HeadIndex{head}), b.sink(x.layer, HeadIndex{head}));
    const auto before = a.outputProjection(x.layer, {}), after = b.outputProjection(x.layer, {});
    ASSERT_EQ(before == nullptr, after == nullptr);
    if (before) {
        EXPECT_TRUE(sameBits(*before, *after));
    }
}

void expectSamePrompts(HeadSource& a, HeadSource& b) {
    ASSERT_EQ(a.info().prompts.size(), b.info().prompts.size());
    for (std::size_t p = 0; p < a.info().prompts.size(); ++p) {
        const PromptInfo &x = a.info().prompts[p], &y = b.info().prompts[p];
        EXPECT_EQ(x.leftOut, y.leftOut) << p;
        EXPECT_EQ(x.split, y.split) << p;
        if (x.leftOut) continue;
        EXPECT_EQ(x.validPositions, y.validPositions) << p;
        const auto before = a.validity(PromptIndex{static_cast<int>(p)}),
                   after = b.validity(PromptIndex{static_cast<int>(p)});
        ASSERT_EQ(before == nullptr, after == nullptr) << p;
        if (before) {
            EXPECT_EQ(*before, *after) << p;
        }
    }
}

class Repacked : public testing::TestWithParam<const char*> {};

TEST_P(Repacked, ReadsBackWithTheSameBits) {
    const TemporaryFolder folder;
    const auto before = io::openDump(testFile(GetParam()));
    const io::RepackResult result = io::repackDump(folder / "new.h5", *before, {});
    EXPECT_EQ(folder.names(), std::vector<std::string>{"new.h5"});
    EXPECT_EQ(result.bytes, static_cast<std::int64_t>(fs::file_size(folder / "new.h5")));
    const auto after = io::openDump(folder / "new.h5");
    EXPECT_EQ(after->info().format, "attn-dump 1");
    EXPECT_EQ(after->info().model, before->info().model);
    EXPECT_EQ(after->info().promptSource, before->info().promptSource);
    expectSamePrompts(*before, *after);
    ASSERT_EQ(before->info().layers.size(), after->info().layers.size());
    for (std::size_t i = 0; i < before->info().layers.size(); ++i) {
        const LayerInfo &x = before->info().layers[i], &y = after->info().layers[i];
        expectSameLayer(*before, *after, x, y);
        EXPECT_GT(comparedHeads(*before, *after, x), 0);
        expectSameHidden(*before, *after, x);
    }
}

INSTANTIATE_TEST_SUITE_P(Dumps, Repacked,
                         testing::Values("float16.h5", "float16_big_endian.h5", "float32.h5", "float64.h5",
                                         "bf16_bits.h5", "compressed.h5", "mask_holes.h5", "lengths.h5",
                                         "attributes.h5", "hidden_state.h5", "non_finite.h5", "gqa_strided.h5",
                                         "chunks_over_heads.h5", "scale_factors.h5", "layouts/axes_positions_first.h5",
                                         "layouts/dump.safetensors", "layouts/int8.h5"));

TEST(Repack, KeepsTheEncodingWhereItHoldsEveryValue) {
    const TemporaryFolder folder;
    for (const char* name : {"float16", "bf16_bits", "float32", "float64"}) {
        const auto before = io::openDump(dataFile(name));
        io::repackDump(folder / "new.h5", *before, {});
        EXPECT_EQ(io::openDump(folder / "new.h5")->info().layers.front().encoding,
                  before->info().layers.front().encoding);
    }
}

TEST(Repack, APromptThatALayerLacksIsLeftOutOfAll) {
    const TemporaryFolder folder;
    const auto before = io::openDump(testFile("layouts/prompt_missing.h5"));
    const io::RepackResult result = io::repackDump(folder / "new.h5", *before, {});
    ASSERT_FALSE(result.warnings.empty());
    const auto after = io::openDump(folder / "new.h5");
    int lacking = 0;
    for (const LayerInfo& layer : before->info().layers) {
        for (const int p : layer.missingPrompts) {
            EXPECT_TRUE(after->info().prompts[static_cast<std::size_t>(p)].leftOut);
            ++lacking;
        }
        EXPECT_GT(comparedHeads(*before, *after, layer), 0);
    }
    EXPECT_GT(lacking, 0);
}

TEST(Repack, CancelLeavesNoFile) {
    const TemporaryFolder folder;
    const auto source = io::openDump(dataFile("float32"));
    const RunControl control;
    control.cancel();
    EXPECT_THROW(io::repackDump(folder / "new.h5", *source, control), kernels::Cancelled);
    EXPECT_TRUE(folder.names().empty());
}

TEST(Repack, TheDumpItselfIsRefused) {
    const TemporaryFolder folder;
    fs::copy_file(dataFile("float32"), folder / "dump.h5");
    fs::create_symlink("dump.h5", folder / "link.h5");
    const std::string content = contentOf(folder / "dump.h5");
    const auto source = io::openDump(folder / "dump.h5");
    EXPECT_THROW(io::repackDump(folder / "dump.h5", *source, {}), kernels::ArgumentError);
    EXPECT_THROW(io::repackDump(folder / "link.h5", *source, {}), kernels::ArgumentError);
    EXPECT_EQ(contentOf(folder / "dump.h5"), content);
    EXPECT_THROW(io::repackDump(folder / "no" / "new.h5", *source, {}), kernels::FileError);
}

TEST(Repack, LoadTimesAreCompared) {
    const auto open = [] { return io::openDump(dataFile("float32")); };
    const double ratio = analysis::loadTimeRatio(open, open, {});
    EXPECT_GT(ratio, 0.0);
    EXPECT_TRUE(std::isfinite(ratio));
}

bool isExact(io::StoredNumber number, double value) {
    return io::isExactAs(number, kernels::Matrix<double>(1, 1, {value}).view());
}

TEST(NumberEncoding, KnowsWhatATypeHolds) {
    using enum io::StoredNumber;
    for (const double value : {0.0, -0.0, 1.0, -65504.0, 0x1p-14, 0x1p-24, 0x1.ff8p-15, 1.0 + 0x1p-10})
        EXPECT_TRUE(isExact(Float16, value)) << value;
    for (const double value : {65536.0, 0x1p-25, 1.0 + 0x1p-11, 0x1.ffcp-15, 1e-40})
        EXPECT_FALSE(isExact(Float16, value)) << value;
    EXPECT_TRUE(isExact(Float16, std::numeric_limits<double>::infinity()));
    EXPECT_TRUE(isExact(BFloat16, 0x1p120));
    EXPECT_TRUE(isExact(BFloat16, 1.0 + 0x1p-7));
    EXPECT_FALSE(isExact(BFloat16, 1.0 + 0x1p-8));
    EXPECT_TRUE(isExact(Float32, 1.0 + 0x1p-23));
    EXPECT_FALSE(isExact(Float32, 0.1));
    EXPECT_TRUE(isExact(Float64, 0.1));
}

TEST(NumberEncoding, HalfBits) {
    const kernels::Matrix<float> values(1, 5, {1.0F, -2.0F, 0x1p-24F, 65504.0F, -0.0F});
    const auto raw = io::encoded(io::StoredNumber::Float16, values.view());
    ASSERT_EQ(raw.size(), 10U);
    std::uint16_t words[5];
    std::memcpy(words, raw.data(), sizeof(words));
    EXPECT_EQ(words[0], 0x3C00);
    EXPECT_EQ(words[1], 0xC000);
    EXPECT_EQ(words[2], 0x0001);
    EXPECT_EQ(words[3], 0x7BFF);
    EXPECT_EQ(words[4], 0x8000);
}

TEST(DumpRepack, DamagedHeadsBecomeNaNOnRequestAndTheRestIsWhole) {
    const fs::path path = testFile("layouts/damaged_chunk.h5");
    const auto source = io::openDump(path);
    const auto original = io::openArrayFile(path, {});
    const TemporaryFolder folder;
    EXPECT_THROW(static_cast<void>(io::repackDump(folder / "no.h5", *source, {}, {false, original.get()})),
                 kernels::FormatError);
    EXPECT_FALSE(fs::exists(folder / "no.h5"));
    const io::RepackResult result = io::repackDump(folder / "rest.h5", *source, {}, {true, original.get()});
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0].place, "/layers/04/k");
    EXPECT_NE(result.warnings[0].text.find("1 of 4 matrices (prompt:head) could not be read and are NaN: 1:0"),
              std::string::npos)
        << result.warnings[0].text;
    const auto rest = io::openDump(folder / "rest.h5");
    for (int p = 0; p < 2; ++p)
        for (int h = 0; h < 2; ++h)
            for (const int layer : {4, 12}) {
                const auto loaded = rest->load(TensorKind::Key, LayerIndex{layer}, PromptIndex{p}, h, {});
                if (layer == 4 && p == 1 && h == 0)
                    EXPECT_EQ(loaded->nonFinite, 12 * 8);
                else
                    EXPECT_EQ(wrongEntries(*rest, TensorKind::Key, layer, p, h), 0) << layer << " " << p << " " << h;
            }
    const io::Hdf5Group root = io::Hdf5Group::openFile(folder / "rest.h5");
    EXPECT_EQ(std::get<std::string>(*root.dataset("layers/04/k").attribute("damaged")), "1:0");
    EXPECT_FALSE(root.dataset("layers/12/k").attribute("damaged").has_value());
}

TEST(DumpRepack, InputsIdsAndTokensAreCopied) {
    const fs::path path = testFile("layouts/damaged_chunk.h5");
    const auto original = io::openArrayFile(path, {});
    const TemporaryFolder folder;
    static_cast<void>(io::repackDump(folder / "rest.h5", *io::openDump(path), {}, {true, original.get()}));
    const io::Hdf5Group before = io::Hdf5Group::openFile(path), after = io::Hdf5Group::openFile(folder / "rest.h5");
    EXPECT_EQ(after.dataset("layers/04/x").readNumbers(), before.dataset("layers/04/x").readNumbers());
    EXPECT_EQ(after.dataset("layers/04/x").layout().shape, (std::vector<std::uint64_t>{2, 12, 3}));
    EXPECT_EQ(after.group("layers").group("12").kind("x"), io::Hdf5Kind::Missing);
    EXPECT_EQ(after.dataset("prompts/ids").readIntegers(), before.dataset("prompts/ids").readIntegers());
    EXPECT_EQ(after.dataset("prompts/tokens").layout().shape, (std::vector<std::uint64_t>{2, 12}));
    EXPECT_EQ(after.dataset("prompts/tokens").readStrings().at(13), "t1.1 \xC3\xA9");
}

}  // namespace
}  // namespace dimscope::tests
