// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace dimscope::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Document, UndefinedNumbersAreNullAndKeepTheirPlace) {
    EXPECT_TRUE(numberJson(kNaN).is_null());
    EXPECT_TRUE(numberJson(-kInfinity).is_null());
    EXPECT_TRUE(numberJson(std::optional<double>()).is_null());
    EXPECT_EQ(numbersJson({1.0, kNaN, kInfinity, 0.25}).dump(), "[1.0,null,null,0.25]");
}

TEST(Document, DoublesReadBackEqual) {
    std::mt19937_64 random(7);
    std::vector<double> values{0.1,     1.0 / 3.0,           5e-324, std::numeric_limits<double>::max(),
                               -1e-300, 123456789012345678.0};
    while (values.size() < 2000) {
        const std::uint64_t bits = random();
        double value = 0.0;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isfinite(value)) values.push_back(value);
    }
    const Json back = Json::parse(documentText({{"values", numbersJson(values)}}))["values"];
    ASSERT_EQ(back.size(), values.size());
    for (std::size_t n = 0; n < values.size(); ++n)
        EXPECT_EQ(back[n].get<double>(), values[n]) << "seed 7, value " << n;
}

TEST(Document, TextIsOneDocumentWithTheKeysInOrder) {
    const Json document{{"heads", {{{"layer", 3}}, {{"layer", 4}}}}, {"empty", Json::array()}, {"word", "a\"b"}};
    const std::string text = documentText(document);
    EXPECT_EQ(Json::parse(text), document);
    EXPECT_LT(text.find("heads"), text.find("empty"));
    EXPECT_EQ(text.back(), '\n');
}

TEST(Document, BytesThatAreNoUtf8AreReplaced) {
    const std::string text = documentText({{"model", std::string("a\xff") + "b"}});
    EXPECT_EQ(Json::parse(text)["model"],
              "a\xEF\xBF\xBD"
              "b");
}

TEST(Document, Provenance) {
    analysis::Provenance provenance;
    provenance.version = "1.2.3";
    provenance.verb = "compare";
    provenance.seed = 18446744073709551615U;
    provenance.dump = {"x.h5", 12, "ab"};
    provenance.selection = {{"layers", std::vector<std::int64_t>{4, 12}}};
    provenance.parameters = {{"tau", kNaN}, {"support", std::string("rank")}, {"exact", true}};
    provenance.elapsedSeconds = 0.5;
    const Json json = provenanceJson(provenance);
    EXPECT_EQ(json["seed"].get<std::uint64_t>(), 18446744073709551615U);
    EXPECT_EQ(json["dump"], (Json{{"name", "x.h5"}, {"size", 12}, {"sha256", "ab"}}));
    EXPECT_EQ(json["selection"].dump(), R"({"layers":[4,12]})");
    EXPECT_EQ(json["parameters"].dump(), R"({"tau":null,"support":"rank","exact":true})");
    EXPECT_EQ(json["elapsed"], 0.5);
}

TEST(Document, RefusalNamesItsParts) {
    const JobFailure refused{"f.h5: /layers/00/q: rank 2; export again",
                             kernels::FormatError::Parts{"f.h5", "/layers/00/q", "rank 2", "export again"}};
    EXPECT_EQ(errorJson(refused)["error"].dump(),
              R"({"file":"f.h5","object":"/layers/00/q","cause":"rank 2","advice":"export again"})");
    EXPECT_EQ(errorJson({"no head 9", std::nullopt})["error"]["cause"], "no head 9");
}

}  // namespace
}  // namespace dimscope::app
