// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/dump_reading.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/core/dump_opening.h"
#include "app/core/reading_trial.h"
#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

// This program starts itself for the first look, as the real ones do.
int main(int argc, char** argv) {
    if (const auto code = dimscope::app::serveFirstLook(argc, argv)) return *code;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

namespace dimscope::app {
namespace {

namespace fs = std::filesystem;

fs::path askingFile(const std::string& name) { return fs::path(TEST_DATA_DIR) / "layouts" / name; }

io::ReadingDecisions axes(const std::string& text) {
    io::ReadingDecisions decisions;
    decisions.attributes["axes"] = text;
    return decisions;
}

int headsOf(const OpenedDump& opened) { return opened.source->info().layers.front().nHeads; }

OpenedDump opened(const ReadingRequest& request, const ReadingMemory& memory) {
    ReadingOutcome outcome = readDump(request, memory, {});
    EXPECT_TRUE(std::holds_alternative<OpenedDump>(outcome)) << request.path;
    return std::get<OpenedDump>(std::move(outcome));
}

bool asks(const ReadingRequest& request, const ReadingMemory& memory) {
    return std::holds_alternative<OpenQuestion>(readDump(request, memory, {}));
}

class DumpReading : public testing::Test {
protected:
    DumpReading() : memory_(folder_ / "settings" / "readings.json") {
        fs::copy_file(askingFile("asks_square.h5"), file_);
    }

    tests::TemporaryFolder folder_;
    fs::path file_ = folder_ / "square.h5";
    ReadingMemory memory_;
};

TEST_F(DumpReading, TheQuestionComesFromTheFirstLook) {
    const ReadingOutcome outcome = readDump({file_, {}, DecidedBy::Nobody, {}}, memory_, {});
    ASSERT_TRUE(std::holds_alternative<OpenQuestion>(outcome));
    const auto& asked = std::get<OpenQuestion>(outcome);
    EXPECT_EQ(asked.question.topic, "axes");
    ASSERT_EQ(asked.question.candidates.size(), 2U);
    EXPECT_EQ(std::get<std::string>(asked.question.candidates[1].decision.attributes.at("axes")),
              "prompt pos head dim");
    EXPECT_EQ(asked.request.path, file_);
}

// The refusal of the command line is that of a file opened without a first look, word for word.
TEST_F(DumpReading, TheRefusalKeepsItsWords) {
    try {
        static_cast<void>(openDumpSafely(file_));
        FAIL() << "it was opened";
    } catch (const kernels::FormatError& error) {
        EXPECT_EQ(error.what(), file_.string() +
                                    ": /layers/04/q: its axes are ambiguous, shape [2, 4, 5, 8] could be \"prompt head "
                                    "pos dim\" (2 prompt(s), 4 head(s), 5 positions, head_dim 8) or \"prompt pos head "
                                    "dim\" (2 prompt(s), 5 head(s), 4 positions, head_dim 8); choose one, for example "
                                    "--axes \"prompt head pos dim\"");
    }
}

TEST_F(DumpReading, WhatAPersonDecidedIsRemembered) {
    EXPECT_TRUE(asks({file_, {}, DecidedBy::Nobody, {}}, memory_));
    const OpenedDump first = opened({file_, axes("prompt pos head dim"), DecidedBy::Person, {}}, memory_);
    EXPECT_EQ(first.complaint, "");
    EXPECT_EQ(headsOf(first), 5);
    const OpenedDump second = opened({file_, {}, DecidedBy::Nobody, {}}, memory_);
    EXPECT_EQ(second.by, DecidedBy::Memory);
    EXPECT_EQ(headsOf(second), 5);
    ASSERT_EQ(memory_.entries().size(), 1U);
    EXPECT_EQ(memory_.entries().front().dump, second.source->info().identity.sha256);

    const fs::path moved = folder_ / "elsewhere.h5";
    fs::rename(file_, moved);
    EXPECT_EQ(headsOf(opened({moved, {}, DecidedBy::Nobody, {}}, memory_)), 5);

    memory_.forget(second.source->info().identity.sha256);
    EXPECT_TRUE(asks({moved, {}, DecidedBy::Nobody, {}}, memory_));
}

TEST_F(DumpReading, AChangedFileIsAskedAboutAgain) {
    static_cast<void>(opened({file_, axes("prompt pos head dim"), DecidedBy::Person, {}}, memory_));
    std::string content = tests::contentOf(file_);
    // -3.75, the first number that make_layouts.py stores; the file keeps its size
    const std::size_t number = content.find(std::string("\x00\x00\x70\xc0", 4));
    ASSERT_NE(number, std::string::npos);
    content[number + 2] = '\x71';
    tests::writeContent(file_, content);
    EXPECT_TRUE(asks({file_, {}, DecidedBy::Nobody, {}}, memory_));
}

TEST_F(DumpReading, OnlyAPersonsDecisionsAreRememberedAndNoneMeansForget) {
    static_cast<void>(opened({file_, axes("prompt pos head dim"), DecidedBy::CommandLine, {}}, memory_));
    EXPECT_TRUE(memory_.entries().empty());
    const fs::path plain = fs::path(TEST_DATA_DIR) / "float32.h5";
    io::ReadingDecisions scale;
    scale.attributes["scale"] = 2.0;
    scale.outside = io::OpenPolicy::Outside::OwnFolder;
    const OpenedDump scaled = opened({plain, scale, DecidedBy::Person, {}}, memory_);
    ASSERT_EQ(memory_.entries().size(), 1U);
    EXPECT_EQ(memory_.entries().front().decisions.outside, io::OpenPolicy::Outside::Never);
    EXPECT_EQ(opened({plain, {}, DecidedBy::Nobody, {}}, memory_).source->info().layers.front().scale, 2.0);
    const OpenedDump reset = opened({plain, {}, DecidedBy::Person, scaled.source->info().identity.sha256}, memory_);
    EXPECT_EQ(reset.by, DecidedBy::Nobody);
    EXPECT_NE(reset.source->info().layers.front().scale, 2.0);
    EXPECT_TRUE(memory_.entries().empty());
}

// Dumps of one size, as a series has them: what was decided about another one is not taken for this one.
TEST_F(DumpReading, EachOfManyDumpsOfOneSizeIsKnownByItself) {
    std::string content = tests::contentOf(file_);
    const std::size_t number = content.find(std::string("\x00\x00\x70\xc0", 4));
    ASSERT_NE(number, std::string::npos);
    const fs::path other = folder_ / "other.h5", third = folder_ / "third.h5";
    content[number] = 1;
    tests::writeContent(other, content);
    content[number] = 2;
    tests::writeContent(third, content);
    static_cast<void>(opened({file_, axes("prompt pos head dim"), DecidedBy::Person, {}}, memory_));
    static_cast<void>(opened({other, axes("prompt head pos dim"), DecidedBy::Person, {}}, memory_));
    ASSERT_EQ(memory_.entries().size(), 2U);
    EXPECT_EQ(memory_.entries().front().name, "other.h5");
    EXPECT_EQ(headsOf(opened({file_, {}, DecidedBy::Nobody, {}}, memory_)), 5);
    EXPECT_EQ(headsOf(opened({other, {}, DecidedBy::Nobody, {}}, memory_)), 4);
    EXPECT_TRUE(asks({third, {}, DecidedBy::Nobody, {}}, memory_));
}

// Other arrays of a file are another dump: the former decision about the file goes.
TEST_F(DumpReading, AnotherSetOfTheSameFileReplacesTheFormer) {
    const fs::path sets = askingFile("asks_two_sets.h5");
    const auto question = std::get<OpenQuestion>(readDump({sets, {}, DecidedBy::Nobody, {}}, memory_, {})).question;
    const auto& candidates = question.candidates;
    const OpenedDump a = opened({sets, candidates[0].decision, DecidedBy::Person, {}}, memory_);
    const std::string former = a.source->info().identity.sha256;
    const OpenedDump b = opened({sets, candidates[1].decision, DecidedBy::Person, former}, memory_);
    EXPECT_NE(b.source->info().identity.sha256, former);
    ASSERT_EQ(memory_.entries().size(), 1U);
    EXPECT_EQ(opened({sets, {}, DecidedBy::Nobody, {}}, memory_).source->info().identity.sha256,
              b.source->info().identity.sha256);
}

TEST_F(DumpReading, ADamagedMemoryIsAComplaintAndStaysAsItIs) {
    fs::create_directories(memory_.file().parent_path());
    tests::writeContent(memory_.file(), "{\"readings\": 3");
    const fs::path plain = fs::path(TEST_DATA_DIR) / "float32.h5";
    EXPECT_NE(opened({plain, {}, DecidedBy::Nobody, {}}, memory_).complaint.find("readings.json"), std::string::npos);
    const OpenedDump decided = opened({file_, axes("prompt pos head dim"), DecidedBy::Person, {}}, memory_);
    EXPECT_NE(decided.complaint, "");
    EXPECT_EQ(tests::contentOf(memory_.file()), "{\"readings\": 3");
}

// The right order of axes is the one under which the rows of a head belong together.
TEST_F(DumpReading, ATrialShowsAHeadOrTheQuestionThatFollows) {
    BackendSlot slot;
    const ReadingTrial trial = tryReading(file_, axes("prompt pos head dim"), slot, {});
    ASSERT_TRUE(trial.preview);
    EXPECT_EQ(trial.preview->layer.nHeads, 5);
    EXPECT_EQ(trial.preview->numbers, 4 * 8);
    const ReadingTrial next = tryReading(askingFile("asks_square_bits.h5"), axes("prompt pos head dim"), slot, {});
    EXPECT_FALSE(next.preview);
    EXPECT_NE(next.nextQuestion.find("uint16"), std::string::npos);
    kernels::RunControl control;
    control.cancel();
    EXPECT_THROW(static_cast<void>(tryReading(file_, axes("prompt pos head dim"), slot, control)), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::app
