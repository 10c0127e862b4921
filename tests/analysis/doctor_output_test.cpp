// SPDX-License-Identifier: GPL-3.0-or-later
// Recomputed outputs: the right reading passes at rounding level, every wrong one is named.
#include "analysis/doctor/doctor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/backend_registry.h"
#include "tests/analysis/made_dump.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

DoctorResult examined(HeadSource& source, const DoctorParams& params = {}) {
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    return examineDump(params, source, *backend, {});
}

DoctorCheck checkOf(const DoctorResult& result, const std::string& name) {
    for (const DoctorCheck& check : result.checks)
        if (check.name == name) return check;
    ADD_FAILURE() << "no check " << name;
    return {};
}

struct Stored {
    const char* encoding;
    int bits;
};

class StoredAs : public ::testing::TestWithParam<Stored> {};

TEST_P(StoredAs, TheRightReadingPassesAtRoundingLevel) {
    const auto [encoding, bits] = GetParam();
    MadeDump dump;
    dump.makeOutput({});
    dump.storeAs(encoding, bits);
    const DoctorResult result = examined(dump);
    const DoctorCheck check = checkOf(result, "output reading");
    EXPECT_EQ(check.status, CheckStatus::Pass) << check.detail;
    EXPECT_EQ(check.layer, LayerIndex{4});
    // q, k, v and o are rounded: each by at most one unit roundoff, RMS of all four together below two.
    EXPECT_LE(check.residual, 2.0 * std::ldexp(1.0, -bits));
    EXPECT_GE(check.residual, 0.1 * std::ldexp(1.0, -bits));
    EXPECT_FALSE(result.failed());
    ASSERT_GE(result.readings.size(), 16U);
    EXPECT_TRUE(result.readings.front().stated);
    for (std::size_t n = 1; n < result.readings.size(); ++n) {
        EXPECT_LE(result.readings[n - 1].residual, result.readings[n].residual);
        EXPECT_GT(result.readings[n].residual, 0.05) << readingText(result.readings[n]);
    }
}
INSTANTIATE_TEST_SUITE_P(Doctor, StoredAs,
                         ::testing::Values(Stored{"float32", 24}, Stored{"float16", 11}, Stored{"bf16", 8}),
                         [](const auto& tested) { return std::string(tested.param.encoding); });

TEST(DoctorOutput, DoublePrecisionPassesToo) {
    MadeDump dump;
    dump.makeOutput({});
    const DoctorCheck check = checkOf(examined(dump), "output reading");
    EXPECT_EQ(check.status, CheckStatus::Pass) << check.detail;
    EXPECT_LT(check.residual, 1e-13);
}

TEST(DoctorOutput, CoarserOutputsAreJudgedByTheirOwnType) {
    MadeDump dump;
    dump.makeOutput({});
    dump.storeAs("float32", 11);
    const DoctorCheck check = checkOf(examined(dump), "output reading");
    EXPECT_EQ(check.status, CheckStatus::Pass) << check.detail;
}

TEST(DoctorOutput, StatedWindowSoftcapAndSinkTakePart) {
    MadeDump dump;
    dump.layer().window = 7;
    dump.layer().softcap = 1.5;
    dump.setSink(0.5);
    dump.makeOutput({.window = 7, .softcap = 1.5, .sink = 0.5});
    const DoctorResult result = examined(dump);
    EXPECT_EQ(checkOf(result, "output reading").status, CheckStatus::Pass);
    int without = 0;
    for (const OutputReading& reading : result.readings)
        without += reading.window == 0 || reading.softcap == 0.0 || !reading.sink ? 1 : 0;
    EXPECT_EQ(without, 3);
}

struct Wrong {
    const char* name;
    MadeDump::Attention made;
    const char* correction;
    void (*state)(LayerInfo&) = [](LayerInfo&) {};
};

class WrongReading : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongReading, FailsAndNamesTheAttribute) {
    MadeDump dump;
    GetParam().state(dump.layer());
    dump.makeOutput(GetParam().made);
    dump.storeAs("float16", 11);
    const DoctorResult result = examined(dump);
    const DoctorCheck check = checkOf(result, "output reading");
    EXPECT_EQ(check.status, CheckStatus::Fail);
    EXPECT_GT(check.residual, 0.05);
    EXPECT_NE(check.detail.find(GetParam().correction), std::string::npos) << check.detail;
    EXPECT_TRUE(result.failed());
    EXPECT_FALSE(result.readings.front().stated);
    EXPECT_LE(result.readings.front().residual, 5.0 * std::ldexp(1.0, -11));
}
INSTANTIATE_TEST_SUITE_P(
    Doctor, WrongReading,
    ::testing::Values(Wrong{"scale_1", {.scale = 1.0}, "scale=1"},
                      Wrong{"scale_1_over_d", {.scale = 1.0 / 16}, "scale=0.0625"},
                      Wrong{"scale_default", {}, "scale=0.25", [](LayerInfo& l) { l.scale = 0.4; }},
                      Wrong{"strided", {.strided = true}, "gqa=\"strided\""},
                      Wrong{"not_causal", {.causal = false}, "causal=0"},
                      Wrong{"causal", {}, "causal=1", [](LayerInfo& l) { l.causal = false; }},
                      Wrong{"window", {}, "window=0", [](LayerInfo& l) { l.window = 3; }},
                      Wrong{"softcap", {}, "softcap=0", [](LayerInfo& l) { l.softcap = 0.5; }},
                      Wrong{"rotated", {.theta = 500.0}, "rope=\"pre\"", [](LayerInfo& l) { l.ropeTheta = 500.0; }},
                      Wrong{"usual_theta", {.theta = 1e4}, "rope=\"pre\""},
                      Wrong{"two_at_once", {.scale = 1.0, .strided = true}, "scale=1"}),
    [](const auto& tested) { return tested.param.name; });

TEST(DoctorOutput, RotationAndScaleHaveChecksOfTheirOwn) {
    MadeDump rotated;
    rotated.makeOutput({.theta = 1e4});
    EXPECT_EQ(checkOf(examined(rotated), "rope").status, CheckStatus::Fail);
    EXPECT_EQ(checkOf(examined(rotated), "scale").status, CheckStatus::Pass);
    MadeDump scaled;
    scaled.makeOutput({.scale = 1.0});
    EXPECT_EQ(checkOf(examined(scaled), "scale").status, CheckStatus::Fail);
    EXPECT_EQ(checkOf(examined(scaled), "rope").status, CheckStatus::Pass) << "q and k as stored reproduce o";
}

TEST(DoctorOutput, SomethingElseIsNoReading) {
    MadeDump dump;
    dump.makeOutput({});
    dump.change(TensorKind::Output, [](MadeDump::Tensor& o) {
        for (double& x : o.values()) x = std::sin(100.0 * x);
    });
    const DoctorCheck check = checkOf(examined(dump), "output reading");
    EXPECT_EQ(check.status, CheckStatus::Warn);
    EXPECT_NE(check.detail.find("no reading is near"), std::string::npos) << check.detail;
}

TEST(DoctorOutput, WithoutOIsSkipped) {
    MadeDump dump;
    const DoctorCheck check = checkOf(examined(dump), "output reading");
    EXPECT_EQ(check.status, CheckStatus::Skipped);
    EXPECT_FALSE(check.detail.empty());
    EXPECT_TRUE(std::isnan(check.residual));
}

TEST(DoctorOutput, PaddingIsHonoured) {
    MadeDump dump;
    dump.makeOutput({});
    std::vector<std::uint8_t> valid(MadeDump::kPositions, 1);
    for (std::size_t i = 50; i < valid.size(); ++i) valid[i] = 0;
    for (int p = 0; p < 2; ++p) dump.setValidity(p, valid);
    dump.at(TensorKind::Output, 0)(60, 0) = kNaN;
    const DoctorCheck check = checkOf(examined(dump), "output reading");
    EXPECT_EQ(check.status, CheckStatus::Pass) << check.detail;
}

TEST(DoctorOutput, AHeadThatIsNotFiniteIsLeftOut) {
    MadeDump dump;
    dump.makeOutput({});
    dump.at(TensorKind::Query, 1)(5, 3) = kNaN;
    const DoctorResult result = examined(dump);
    EXPECT_EQ(checkOf(result, "output reading").status, CheckStatus::Pass);
    const DoctorCheck census = checkOf(result, "NaN and Inf");
    EXPECT_EQ(census.status, CheckStatus::Warn);
    EXPECT_NE(census.detail.find("q of layer 4 head 1 (1, first at prompt 0, position 5, dimension 3)"),
              std::string::npos)
        << census.detail;
}

TEST(DoctorOutput, AnUnreadableTensorIsAFailedCheckAndNotTheEnd) {
    MadeDump dump;
    dump.makeOutput({});
    dump.makeUnreadable(TensorKind::Output);
    const DoctorResult result = examined(dump);
    const DoctorCheck readable = checkOf(result, "readable");
    EXPECT_EQ(readable.status, CheckStatus::Fail);
    EXPECT_NE(readable.detail.find("its chunk is damaged"), std::string::npos) << readable.detail;
    EXPECT_EQ(checkOf(result, "output reading").status, CheckStatus::Skipped);
    EXPECT_EQ(checkOf(result, "scale").status, CheckStatus::Pass);
    EXPECT_EQ(checkOf(result, "dead heads").status, CheckStatus::Pass);
}

TEST(DoctorOutput, ThreadsChangeNothing) {
    MadeDump dump;
    dump.makeOutput({.strided = true});
    std::vector<DoctorResult> results;
    for (const int threads : {1, 3}) {
        const auto backend = kernels::makeBackend("cpu", {.threads = threads});
        results.push_back(examineDump({}, dump, *backend, {}));
    }
    ASSERT_EQ(results[0].checks.size(), results[1].checks.size());
    for (std::size_t n = 0; n < results[0].checks.size(); ++n)
        EXPECT_EQ(results[0].checks[n].detail, results[1].checks[n].detail);
}

TEST(DoctorOutput, StopsWhenCancelled) {
    MadeDump dump;
    const auto backend = kernels::makeBackend("cpu", {.threads = 1});
    const RunControl control;
    control.cancel();
    EXPECT_THROW(examineDump({}, dump, *backend, control), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
