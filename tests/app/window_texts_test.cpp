// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "app/window/command_field.h"
#include "app/window/dump_facts.h"
#include "app/window/status_row.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

using namespace std::chrono_literals;

TEST(HeadFromText, understandsHowPeopleWriteAHead) {
    for (const char* text : {"15.4", "15 4", "L15 H4", "layer 15 head 4", "layer 15 · head 4", " 15, 4 "})
        EXPECT_EQ(headFromText(text), headOf(15, 4)) << text;
    for (const char* text : {"", "15", "head", "15.4.2", "fifteen four"}) EXPECT_FALSE(headFromText(text)) << text;
}

TEST(RemainingText, saysNothingBeforeItIsKnown) {
    EXPECT_TRUE(remainingText(0.01F, 5s).isEmpty());
    EXPECT_TRUE(remainingText(0.5F, 300ms).isEmpty());
}

TEST(RemainingText, countsSecondsAndMinutes) {
    EXPECT_EQ(remainingText(0.5F, 10s), "10 s left");
    EXPECT_EQ(remainingText(0.2F, 20s), "1 min 20 s left");
    EXPECT_EQ(remainingText(0.999F, 2s), "less than 1 s left");
}

TEST(DumpFacts, nameWhatLayersHaveInCommonAndSayWhereTheyDiffer) {
    analysis::DumpInfo info;
    info.path = "/somewhere/a.h5";
    for (const int layer : {5, 15}) {
        analysis::LayerInfo of;
        of.layer = analysis::LayerIndex{layer};
        of.nHeads = 9;
        of.nKvHeads = 3;
        of.headDim = 64;
        of.positions = layer == 5 ? 512 : 256;
        of.prompts = 4;
        of.scale = 0.125;
        of.hasValue = true;
        of.hasOutput = layer == 15;
        of.encoding = "float16";
        info.layers.push_back(of);
    }
    std::map<QString, QString> facts;
    for (const auto& [name, value] : dumpFacts(info)) facts[name] = value;
    EXPECT_TRUE(facts["File"].startsWith("a.h5"));
    EXPECT_EQ(facts["Layers"], "5 15");
    EXPECT_EQ(facts["Heads"], "9 query · 3 KV · d 64");
    EXPECT_TRUE(facts["Scale"].startsWith("1/√d = 0.125"));
    EXPECT_EQ(facts["Length"], "differ between layers");
    EXPECT_EQ(facts["Tensors"], "q k v (o) · float16");
}

}  // namespace
}  // namespace dimscope::app
