// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/launch.h"

#include <gtest/gtest.h>

namespace dimscope::app {
namespace {

TEST(Launch, TakesTheReadingOptionsOfTheCommandLine) {
    const Launch launch = parseLaunch({"dimscope", "--report", "out", "dump.h5", "--axes", "prompt pos head dim",
                                       "--scale", "0.5", "--map", "q=/a", "--rotate"});
    EXPECT_EQ(launch.file, "dump.h5");
    EXPECT_EQ(launch.reportFolder, "out");
    EXPECT_TRUE(launch.exportFolder.isEmpty());
    EXPECT_EQ(std::get<std::string>(launch.decisions.attributes.at("axes")), "prompt pos head dim");
    EXPECT_EQ(std::get<double>(launch.decisions.attributes.at("scale")), 0.5);
    ASSERT_EQ(launch.decisions.map.size(), 1U);
    EXPECT_EQ(launch.decisions.map.front().second, "/a");
    EXPECT_TRUE(launch.decisions.rotate);
    EXPECT_EQ(parseLaunch({"dimscope", "--map", "q=/a", "--map", "k=/b", "dump.h5"}).file, "dump.h5");
    const Launch plain = parseLaunch({"dimscope"});
    EXPECT_TRUE(plain.file.isEmpty());
    EXPECT_TRUE(plain.decisions.attributes.empty());
}

TEST(Launch, WrongUseEndsWithTwo) {
    using testing::ExitedWithCode;
    EXPECT_EXIT(parseLaunch({"dimscope", "a.h5", "b.h5"}), ExitedWithCode(2), "dimscope: ");
    EXPECT_EXIT(parseLaunch({"dimscope", "--export", "a", "--report", "b"}), ExitedWithCode(2), "dimscope: ");
    EXPECT_EXIT(parseLaunch({"dimscope", "--scale", "two"}), ExitedWithCode(2), "--scale 'two': expected a number");
    EXPECT_EXIT(parseLaunch({"dimscope", "--valid", "both"}), ExitedWithCode(2), "dimscope: ");
    EXPECT_EXIT(parseLaunch({"dimscope", "--help"}), ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dimscope::app
