// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/reading_question.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/dump/attention_dump.h"
#include "io/dump/reading_json.h"
#include "tests/io/dump_files.h"

namespace dimscope::tests {
namespace {

using io::AmbiguousReading;
using io::ReadingDecisions;
using io::ReadingQuestion;

std::filesystem::path askingFile(const std::string& name) {
    return std::filesystem::path(TEST_DATA_DIR) / "layouts" / name;
}

/// The question that opening the file ends with; without candidates: none.
ReadingQuestion questionOf(const std::filesystem::path& file, const ReadingDecisions& decisions = {}) {
    try {
        static_cast<void>(io::openDump(file, decisions));
    } catch (const AmbiguousReading& ambiguity) {
        EXPECT_FALSE(ambiguity.parts().cause.empty());
        EXPECT_FALSE(ambiguity.parts().advice.empty());
        return ambiguity.question();
    } catch (const kernels::FormatError& error) {
        ADD_FAILURE() << "refused without a question: " << error.what();
    }
    return {};
}

struct Asked {
    std::string file, topic;
    std::vector<std::string> titles;  ///< of the candidates, as far as they begin so
    std::size_t right;                ///< the one under which the file holds what make_layouts.py stored
    int kvHeads = 2, prompts = 2;
};

class EveryAsked : public testing::TestWithParam<Asked> {};

// Whatever the person takes, the file opens with it, and with the right one it gives the numbers that were stored.
TEST_P(EveryAsked, HasCandidatesThatOpenTheFile) {
    const Asked& expected = GetParam();
    const ReadingQuestion question = questionOf(askingFile(expected.file));
    EXPECT_EQ(question.topic, expected.topic);
    EXPECT_FALSE(question.text.empty());
    ASSERT_GE(question.candidates.size(), expected.titles.size());
    for (std::size_t n = 0; n < expected.titles.size(); ++n)
        EXPECT_TRUE(question.candidates[n].title.starts_with(expected.titles[n])) << question.candidates[n].title;
    for (const io::ReadingCandidate& candidate : question.candidates) {
        EXPECT_FALSE(candidate.evidence.empty()) << candidate.title;
        EXPECT_NO_THROW(static_cast<void>(io::openDump(askingFile(expected.file), candidate.decision)))
            << candidate.title;
    }
    const auto source = io::openDump(askingFile(expected.file), question.candidates[expected.right].decision);
    const analysis::LayerInfo& layer = source->info().layers.front();
    EXPECT_EQ(layer.kvHeadsOfFile(), expected.kvHeads);
    EXPECT_EQ(layer.prompts, expected.prompts);
    EXPECT_EQ(wrongEntries(*source, analysis::TensorKind::Query, layer.layer.value, expected.prompts - 1, 1), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryAsked,
    testing::Values(
        Asked{"asks_bits.h5", "encoding", {"bit patterns of bf16", "bit patterns of float16", "integers"}, 0},
        Asked{"asks_encoding.h5", "encoding", {"bit patterns of bf16", "bit patterns of float16"}, 0},
        Asked{"asks_head_order.h5", "head order", {"contiguous", "strided"}, 0},
        Asked{"asks_reversed.h5", "axes", {"dim pos head prompt", "prompt pos head dim"}, 0},
        Asked{"asks_square.h5", "axes", {"prompt head pos dim", "prompt pos head dim"}, 0, 4},
        Asked{"asks_heads_or_prompts.h5", "axes", {"head pos dim", "prompt pos dim"}, 0, 4, 1},
        Asked{"asks_flat.h5", "heads", {"head_dim 16: 2 query, 1", "head_dim 8: 4 query, 2"}, 1},
        Asked{"asks_fused.h5", "heads", {"head_dim 32: 1 query", "head_dim 16: 2 query"}, 3, 4},
        Asked{"asks_two_sets.h5", "tensors", {"/run_a/layer_4/q", "/run_b/layer_4/q"}, 1},
        Asked{"asks_hostile_names.h5", "tensors", {"/run <b>\\x0a&\\x1b[31m/layer_4/q", "/run_b/layer_4/q"}, 0},
        Asked{"asks_two_names.h5", "tensors", {"/layers/04/q", "/layers/04/query"}, 0}),
    [](const auto& given) { return given.param.file.substr(0, given.param.file.find('.')); });

TEST(ReadingQuestion, AnIntegersFactorIsANumberThatOnlyAPersonKnows) {
    const ReadingQuestion question = questionOf(askingFile("asks_integers.h5"));
    ASSERT_EQ(question.candidates.size(), 3U);  // two kinds of FP8, and integers
    EXPECT_EQ(question.candidates.back().number, "scale_factor");
    EXPECT_TRUE(question.candidates.front().number.empty());
    ReadingDecisions decisions = question.candidates.back().decision;
    decisions.attributes["scale_factor"] = 0.125;
    EXPECT_EQ(
        wrongEntries(*io::openDump(askingFile("asks_integers.h5"), decisions), analysis::TensorKind::Query, 4, 1, 1),
        0);
}

TEST(ReadingQuestion, WhichPositionsFewerQueriesAreOf) {
    const ReadingQuestion question = questionOf(askingFile("fewer_queries.h5"));
    EXPECT_EQ(question.topic, "queries");
    ASSERT_EQ(question.candidates.size(), 2U);
    const std::vector<kernels::PositionRange> ranges{{5, 12}, {0, 7}};
    for (std::size_t n = 0; n < 2; ++n) {
        const auto source = io::openDump(askingFile("fewer_queries.h5"), question.candidates[n].decision);
        EXPECT_EQ(source->info().layers.front().queries, ranges[n]) << question.candidates[n].title;
    }
}

TEST(ReadingQuestion, LengthOrMask) {
    const ReadingQuestion question = questionOf(dataFile("length_mask_disagree"));
    ASSERT_EQ(question.candidates.size(), 2U);
    for (const io::ReadingCandidate& candidate : question.candidates) {
        EXPECT_EQ(candidate.decision.valid, candidate.title);
        EXPECT_NO_THROW(static_cast<void>(io::openDump(dataFile("length_mask_disagree"), candidate.decision)));
    }
}

TEST(ReadingQuestion, OneFollowsTheOther) {
    const auto file = askingFile("asks_square_bits.h5");
    const ReadingQuestion axes = questionOf(file);
    ASSERT_EQ(axes.topic, "axes");
    const ReadingQuestion encoding = questionOf(file, axes.candidates[0].decision);
    ASSERT_EQ(encoding.topic, "encoding");
    const ReadingDecisions both = io::joined(axes.candidates[0].decision, encoding.candidates[0].decision);
    EXPECT_EQ(wrongEntries(*io::openDump(file, both), analysis::TensorKind::Query, 12, 1, 3), 0);
}

std::string outcomeOf(const std::filesystem::path& file) {
    try {
        static_cast<void>(io::openDump(file));
        return "accepted";
    } catch (const AmbiguousReading&) {
        return "asks";
    } catch (const kernels::FormatError&) {
        return "refused";
    }
}

TEST(ReadingQuestion, ARefusalThatNoAnswerHelpsIsNone) {
    for (const char* name : {"no_q", "other_dimension", "heads_do_not_divide", "unknown_encoding"})
        EXPECT_EQ(outcomeOf(dataFile(name)), "refused") << name;
}

TEST(ReadingQuestion, TheLaterDecisionCounts) {
    ReadingDecisions earlier;
    earlier.map = {{"q", "/a"}, {"q", "/b"}, {"k", "/c"}};
    earlier.attributes = {{"axes", "pos dim"}, {"scale", 2.0}};
    earlier.valid = "mask";
    ReadingDecisions later;
    later.map = {{"q", "/d"}};
    later.attributes = {{"scale", 3.0}};
    later.rotate = true;
    const ReadingDecisions both = io::joined(earlier, later);
    EXPECT_EQ(both.map, (std::vector<std::pair<std::string, std::string>>{{"k", "/c"}, {"q", "/d"}}));
    EXPECT_EQ(std::get<double>(both.attributes.at("scale")), 3.0);
    EXPECT_EQ(std::get<std::string>(both.attributes.at("axes")), "pos dim");
    EXPECT_EQ(both.valid, "mask");
    EXPECT_TRUE(both.rotate);
}

// Names of a file are bytes: what is no UTF-8 comes back as it was.
TEST(ReadingJson, DecisionsComeBackAsTheyWere) {
    ReadingDecisions decisions;
    decisions.map = {{"q", "/run \xff\n<b>/q"}, {"k\xfe", "/run/k"}};
    decisions.attributes = {{"axes", std::string("prompt pos head dim")},
                            {"scale", 0.1},
                            {"n_heads", std::int64_t{9}},
                            {"scale_factor", std::vector<double>{0.5, 0.25}}};
    decisions.valid = "length";
    decisions.rotate = true;
    decisions.outside = io::OpenPolicy::Outside::OwnFolder;
    const auto json = nlohmann::ordered_json::parse(io::decisionsJson(decisions).dump());
    const ReadingDecisions back = io::decisionsFromJson(json);
    EXPECT_EQ(back.map, decisions.map);
    EXPECT_EQ(back.attributes, decisions.attributes);
    EXPECT_EQ(back.valid, "length");
    EXPECT_TRUE(back.rotate);
    EXPECT_EQ(back.outside, decisions.outside);
    EXPECT_THROW(static_cast<void>(io::decisionsFromJson({{"map", 1}})), kernels::FormatError);
}

TEST(ReadingJson, AQuestionCrossesWithItsRefusalAndAllowsNothing) {
    io::ReadingCandidate candidate{"a\x1b title", "evidence \xff", {}, "scale_factor"};
    candidate.decision.attributes["axes"] = std::string("pos dim");
    candidate.decision.outside = io::OpenPolicy::Outside::Anywhere;
    const AmbiguousReading asked({"f.h5", "/q", "cause", "advice"}, {"axes", "Which?", {candidate}});
    const auto crossed = io::ambiguityFromText(io::ambiguityText(asked));
    ASSERT_TRUE(crossed);
    EXPECT_STREQ(crossed->what(), asked.what());
    EXPECT_EQ(crossed->question().text, "Which?");
    ASSERT_EQ(crossed->question().candidates.size(), 1U);
    const io::ReadingCandidate& back = crossed->question().candidates.front();
    EXPECT_EQ(back.title, "a\\x1b title");
    EXPECT_EQ(back.evidence, "evidence \\xff");
    EXPECT_EQ(back.number, "scale_factor");
    EXPECT_EQ(back.decision.attributes, candidate.decision.attributes);
    EXPECT_EQ(back.decision.outside, io::OpenPolicy::Outside::Never);
    std::string forged = io::ambiguityText(asked);
    forged.replace(forged.find("Which?"), 6, "\\u001b[2J");  // of a process that does not escape
    EXPECT_EQ(io::ambiguityFromText(forged)->question().text, "\\x1b[2J");
    for (const char* text : {"", "{}", "[1", R"({"file": 1})"}) EXPECT_FALSE(io::ambiguityFromText(text)) << text;
}

}  // namespace
}  // namespace dimscope::tests
