// SPDX-License-Identifier: GPL-3.0-or-later
// What else misleads: each check passes on a good dump and objects to a broken one.
#include "analysis/doctor/doctor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/doctor/sink_exclusion.h"
#include "analysis/head_profile.h"
#include "kernels/backend_registry.h"
#include "tests/analysis/made_dump.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

DoctorResult resultOf(HeadSource& source, const DoctorParams& params = {}) {
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    return examineDump(params, source, *backend, {});
}

DoctorCheck found(HeadSource& source, const std::string& name) {
    for (const DoctorCheck& check : resultOf(source).checks)
        if (check.name == name) return check;
    ADD_FAILURE() << "no check " << name;
    return {};
}

void expectWarning(HeadSource& source, const std::string& name, const std::string& words) {
    const DoctorCheck check = found(source, name);
    EXPECT_EQ(check.status, CheckStatus::Warn) << name << ": " << check.detail;
    EXPECT_NE(check.detail.find(words), std::string::npos) << check.detail;
}

TEST(Doctor, AGoodDumpHasNoObjection) {
    MadeDump dump;
    dump.makeOutput({});
    dump.storeAs("float16", 11);
    for (const DoctorCheck& check : resultOf(dump).checks)
        EXPECT_EQ(check.status, CheckStatus::Pass) << check.name << ": " << check.detail;
}

TEST(Doctor, TheEndOfFloat16) {
    MadeDump dump;
    dump.at(TensorKind::Key, 1)(3, 2) = -65504.0;
    expectWarning(dump, "float16 range", "k of layer 4 head 1 (1)");
    dump.layer().encoding = "float16";
    dump.at(TensorKind::Value, 0, 1)(9, 0) = std::numeric_limits<double>::infinity();
    expectWarning(dump, "float16 range", "v of layer 4 head 0 (1)");
    expectWarning(dump, "NaN and Inf", "0 NaN and 1 infinite");
    MadeDump single;
    EXPECT_EQ(found(single, "float16 range").status, CheckStatus::Skipped);
}

TEST(Doctor, DeadAndDuplicatedHeads) {
    MadeDump dump;
    for (int p = 0; p < 2; ++p) {
        dump.at(TensorKind::Query, 3, p) = dump.at(TensorKind::Query, 1, p);
        dump.at(TensorKind::Key, 0, p) = MadeDump::Tensor(MadeDump::kPositions, MadeDump::kDim);
    }
    expectWarning(dump, "dead heads", "key head 0 of layer 4");
    expectWarning(dump, "duplicated heads", "query heads 1 and 3 of layer 4");
    dump.at(TensorKind::Query, 3, 1)(63, 15) += 1e-9;
    EXPECT_EQ(found(dump, "duplicated heads").status, CheckStatus::Pass) << "one bit is enough to differ";
}

TEST(Doctor, RepeatedKvHeads) {
    MadeDump dump(4);
    EXPECT_EQ(found(dump, "repeated kv heads").status, CheckStatus::Pass);
    for (int p = 0; p < 2; ++p)
        for (const int h : {0, 2}) dump.at(TensorKind::Key, h + 1, p) = dump.at(TensorKind::Key, h, p);
    expectWarning(dump, "repeated kv heads", "layer 4 (4 -> 2)");
    EXPECT_EQ(found(dump, "duplicated heads").status, CheckStatus::Pass) << "said once";
}

TEST(Doctor, KvHeadsThatRepeatInTurnAreAStridedOrder) {
    MadeDump dump(4);
    for (int p = 0; p < 2; ++p)
        for (const int h : {0, 1}) dump.at(TensorKind::Key, h + 2, p) = dump.at(TensorKind::Key, h, p);
    const DoctorCheck check = found(dump, "repeated kv heads");
    EXPECT_EQ(check.status, CheckStatus::Pass);
    EXPECT_NE(check.detail.find("layer 4 (2 of 4)"), std::string::npos) << check.detail;
    EXPECT_EQ(found(dump, "duplicated heads").status, CheckStatus::Pass);
    for (int p = 0; p < 2; ++p) dump.at(TensorKind::Key, 3, p)(0, 0) += 1.0;
    EXPECT_EQ(found(dump, "repeated kv heads").detail, "no blocks of bit-identical key heads");
    expectWarning(dump, "duplicated heads", "key heads 0 and 2 of layer 4");
}

TEST(Doctor, PaddingThatCountsAsValid) {
    MadeDump dump;
    dump.change(TensorKind::Key, [](MadeDump::Tensor& k) {
        for (Index i = 54; i < k.rows(); ++i) std::fill_n(k.row(i), k.cols(), 0.5);
    });
    expectWarning(dump, "padding", "prompt 0 (layer 4): 0 leading and 10 trailing, N_valid would be 54 of 64");
    std::vector<std::uint8_t> valid(MadeDump::kPositions, 1);
    std::fill(valid.begin() + 54, valid.end(), std::uint8_t{0});
    for (int p = 0; p < 2; ++p) dump.setValidity(p, valid);
    EXPECT_EQ(found(dump, "padding").status, CheckStatus::Pass) << "the dump says so itself";

    MadeDump left;
    for (int h = 0; h < 2; ++h) {
        MadeDump::Tensor& keys = left.at(TensorKind::Key, h, 1);
        for (Index i = 0; i < 3; ++i) std::fill_n(keys.row(i), keys.cols(), 0.0);
    }
    expectWarning(left, "padding", "prompt 1 (layer 4): 3 leading and 0 trailing, N_valid would be 61 of 64");
    for (Index i = 0; i < 3; ++i) left.at(TensorKind::Key, 1, 1)(i, 0) = static_cast<double>(i + 1);
    EXPECT_EQ(found(left, "padding").status, CheckStatus::Pass) << "one head has another first key";
}

/// Every query points along the first dimension, every key but one against it: that one draws the attention by being
/// nearly nothing.
MadeDump withSmallSink(Index position) {
    MadeDump dump;
    dump.change(TensorKind::Query, [](MadeDump::Tensor& q) {
        for (Index i = 0; i < q.rows(); ++i) q(i, 0) = 12.0;
    });
    dump.change(TensorKind::Key, [&](MadeDump::Tensor& k) {
        for (Index i = 0; i < k.rows(); ++i) k(i, 0) = -2.0;
        std::fill_n(k.row(position), k.cols(), 0.0);
        k(position, 1) = 0.1;
    });
    return dump;
}

TEST(Doctor, ASinkWithASmallKeyNorm) {
    MadeDump dump = withSmallSink(2);
    expectWarning(dump, "attention sinks", "position 2 in 4 of 4 heads");
    const DoctorResult result = resultOf(dump);
    ASSERT_EQ(result.sinks.size(), 8U);  // four heads, two prompts
    for (const AttentionSink& sink : result.sinks) {
        EXPECT_EQ(sink.position, 2);
        EXPECT_TRUE(sink.byMass);
        EXPECT_FALSE(sink.byNorm);
        EXPECT_LT(sink.keyNorm, 0.1);
        EXPECT_GT(sink.mass, 0.5);
    }
    MadeDump plain;
    EXPECT_EQ(found(plain, "attention sinks").status, CheckStatus::Pass);
}

TEST(Doctor, ASinkByItsNorm) {
    MadeDump dump;
    for (Index c = 0; c < MadeDump::kDim; ++c) dump.at(TensorKind::Key, 1, 1)(60, c) *= 40.0;
    const DoctorResult result = resultOf(dump);
    ASSERT_EQ(result.sinks.size(), 2U);  // of the query heads that read this KV head
    EXPECT_EQ(result.sinks.front().head, HeadIndex{2});
    EXPECT_EQ(result.sinks.front().position, 60);
    EXPECT_TRUE(result.sinks.front().byNorm);
    EXPECT_TRUE(std::isnan(result.sinks.front().mass)) << "no query is far enough behind it";
}

TEST(Doctor, SinksAreExcludedAsKeysAndQueries) {
    const auto dump = std::make_shared<MadeDump>(withSmallSink(2));
    std::vector<std::uint8_t> valid(MadeDump::kPositions, 1);
    valid.back() = 0;
    dump->setValidity(1, valid);
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    const auto positions = sinkPositions(findSinks({}, *dump, *backend, {}));
    ASSERT_EQ(positions.size(), 2U);
    EXPECT_EQ(positions[0].positions, std::vector<Index>{2});
    const auto source = withoutSinks(dump, positions);
    EXPECT_EQ(source->info().prompts[0].validPositions, 63);
    EXPECT_EQ(source->info().prompts[1].validPositions, 62);
    for (int p = 0; p < 2; ++p) {
        const auto left = source->validity(PromptIndex{p});
        ASSERT_TRUE(left);
        for (std::size_t i = 0; i < left->size(); ++i)
            EXPECT_EQ((*left)[i], i != 2 && (p == 0 || i != 63) ? 1 : 0) << "prompt " << p << " position " << i;
    }
    ASSERT_EQ(source->info().warnings.size(), 1U);
    EXPECT_NE(source->info().warnings[0].text.find("2 attention sinks are excluded"), std::string::npos);

    const DoctorResult again = resultOf(*source);
    EXPECT_TRUE(again.sinks.empty());
    const auto& selection = again.provenance.selection;
    ASSERT_EQ(selection.back().first, "excluded_sinks");
    EXPECT_EQ(std::get<std::vector<std::string>>(selection.back().second), (std::vector<std::string>{"0:2", "1:2"}));
}

TEST(Doctor, NothingToExcludeIsSaid) {
    const auto source = withoutSinks(std::make_shared<MadeDump>(), {});
    ASSERT_EQ(source->info().warnings.size(), 1U);
    EXPECT_EQ(source->validity(PromptIndex{0}), nullptr);
    EXPECT_EQ(source->info().exclusions.size(), 1U);
}

TEST(Doctor, KeysFromBeforeRope) {
    MadeDump dump;
    dump.change(TensorKind::Key, [](MadeDump::Tensor& k) {
        for (Index i = 0; i < k.rows(); ++i) k(i, 0) += 3.0;  // real keys have means that differ from 0
    });
    expectWarning(dump, "rope", "as before RoPE");
    dump.change(TensorKind::Key, [](MadeDump::Tensor& k) { k = turned(k, 1e4); });
    EXPECT_EQ(found(dump, "rope").status, CheckStatus::Pass);
    dump.layer().rope = "pre";
    expectWarning(dump, "rope", "rope=\"pre\"");
    MadeDump plain;
    EXPECT_EQ(found(plain, "rope").status, CheckStatus::Skipped) << "keys without a mean tell nothing";
}

TEST(Doctor, OddLogits) {
    MadeDump dump;
    EXPECT_EQ(found(dump, "scale").status, CheckStatus::Pass);
    dump.layer().scale = 1e-4;
    expectWarning(dump, "scale", "scale 0.0001");
    dump.layer().scale = 100.0;
    expectWarning(dump, "scale", "scale 100");
}

TEST(Doctor, OdditiesOfTheFileAreListed) {
    MadeDump dump;
    EXPECT_EQ(found(dump, "reading").status, CheckStatus::Pass);
    dump.editInfo().warnings.push_back({"length", "/prompts/length", "a length above N is cut"});
    expectWarning(dump, "reading", "/prompts/length: a length above N is cut");
}

TEST(Doctor, LooksAtAFewPromptsSpreadEvenly) {
    MadeDump dump(2, 6);
    dump.at(TensorKind::Query, 0, 5)(0, 0) = kNaN;
    const auto prompts = [&](DoctorParams params, int most) {
        params.prompts = most;
        const DoctorResult result = resultOf(dump, params);
        return std::get<std::vector<std::int64_t>>(result.provenance.selection[1].second);
    };
    EXPECT_EQ(prompts({}, 3), (std::vector<std::int64_t>{0, 2, 4}));
    EXPECT_EQ(prompts({}, 0).size(), 6U);
    DoctorParams named;
    named.selection.prompts = {PromptIndex{5}, PromptIndex{1}};
    EXPECT_EQ(prompts(named, 1), (std::vector<std::int64_t>{1, 5}));
}

}  // namespace
}  // namespace dimscope::tests
