// SPDX-License-Identifier: GPL-3.0-or-later
// The synthetic dumps beside the sample are what the program writes.
#include <gtest/gtest.h>

#include "analysis/orders/synthetic_sequences.h"
#include "io/dump/attention_dump.h"
#include "io/dump/dump_writer.h"
#include "kernels/error.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
namespace fs = std::filesystem;

std::vector<double> numbersOf(HeadSource& source, TensorKind kind, PromptIndex prompt) {
    return std::get<kernels::Matrix<double>>(source.load(kind, LayerIndex{0}, prompt, 0, {})->values).values();
}

/// The same numbers in the same frame, whatever the file is called.
void expectSequence(const fs::path& file, SyntheticSource& expected) {
    const auto dump = io::openDump(file);
    ASSERT_EQ(dump->info().layers.size(), 1U);
    const LayerInfo &got = dump->info().layers.front(), &want = expected.info().layers.front();
    EXPECT_EQ(dump->info().model, expected.info().model);
    EXPECT_TRUE(dump->info().warnings.empty());
    EXPECT_EQ(got.layer, want.layer);
    EXPECT_EQ(got.nHeads, 1);
    EXPECT_EQ(got.nKvHeads, 1);
    EXPECT_EQ(got.headDim, want.headDim);
    EXPECT_EQ(got.valueDim, want.valueDim);
    EXPECT_EQ(got.positions, want.positions);
    EXPECT_EQ(got.scale, 1.0);
    EXPECT_EQ(got.rope, "none");
    EXPECT_TRUE(got.causal);
    EXPECT_FALSE(got.hasOutput) << "the target is no output of exact attention";
    ASSERT_EQ(dump->info().prompts.size(), expected.info().prompts.size());
    for (int p = 0; p < want.prompts; ++p)
        for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value})
            EXPECT_EQ(numbersOf(*dump, kind, PromptIndex{p}), numbersOf(expected, kind, PromptIndex{p})) << p;
}

TEST(BundledSequences, AreWhatTheGeneratorMakes) {
    for (const SyntheticSequence& sequence : syntheticSequences()) {
        SCOPED_TRACE(sequence.name);
        SyntheticSource expected(sequence.name, 0);
        const fs::path file = fs::path(SAMPLE_DIR) / ("synthetic-" + sequence.name + ".h5");
        ASSERT_TRUE(fs::is_regular_file(file));
        EXPECT_LT(fs::file_size(file), 32U << 10);
        expectSequence(file, expected);
    }
}

TEST(WriteDump, IsReadBackAsItWas) {
    const TemporaryFolder folder;
    SyntheticSource source("alternating-differences", 3);
    const fs::path file = folder.path() / "dump.h5";
    io::writeDump(file, source, {}, "test", {});
    expectSequence(file, source);
}

TEST(WriteDump, KeepsLayersHeadsAndScale) {
    const TemporaryFolder folder;
    MemorySource source({.prompts = 2, .positions = 5, .headDim = 4, .valueDim = 3});
    source.editInfo().layers[1].window = 2;
    const fs::path file = folder.path() / "dump.h5";
    io::writeDump(file, source, {}, "test", {});
    const auto dump = io::openDump(file);
    ASSERT_EQ(dump->info().layers.size(), 2U);
    EXPECT_EQ(dump->info().layers[1].layer, LayerIndex{7});
    EXPECT_EQ(dump->info().layers[1].window, 2);
    EXPECT_EQ(dump->info().layers[0].scale, 0.5);
    EXPECT_EQ(dump->info().layers[0].nKvHeads, 2);
    for (const auto& [kind, head] : {std::pair{TensorKind::Query, 3}, {TensorKind::Key, 1}, {TensorKind::Value, 0}}) {
        const auto got = dump->load(kind, LayerIndex{7}, PromptIndex{1}, head, {});
        const auto want = source.load(kind, LayerIndex{7}, PromptIndex{1}, head, {});
        EXPECT_EQ(std::get<kernels::Matrix<double>>(got->values).values(),
                  std::get<kernels::Matrix<double>>(want->values).values());
    }
}

TEST(WriteDump, RefusesWhatItWouldLose) {
    const TemporaryFolder folder;
    MemorySource source({.prompts = 1});
    source.setValidity(0, std::vector<std::uint8_t>(24, 1));
    EXPECT_THROW(io::writeDump(folder.path() / "dump.h5", source, {}, "test", {}), kernels::ArgumentError);
    MemorySource sinks({.prompts = 1});
    sinks.editInfo().layers[0].hasSink = true;
    EXPECT_THROW(io::writeDump(folder.path() / "dump.h5", sinks, {}, "test", {}), kernels::ArgumentError);
    EXPECT_TRUE(fs::is_empty(folder.path()));
    const RunControl control;
    control.cancel();
    SyntheticSource source2("alternating-differences", 3);
    EXPECT_THROW(io::writeDump(folder.path() / "dump.h5", source2, {}, "test", control), kernels::Cancelled);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace dimscope::tests
