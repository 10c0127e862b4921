// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/latex_text.h"

#include <gtest/gtest.h>

namespace dimscope::io {
namespace {

TEST(LatexText, EscapesEverySpecial) {
    EXPECT_EQ(latexText("a_b & 5% of $x{1}#2"), R"(a\_b \& 5\% of \$x\{1\}\#2)");
    EXPECT_EQ(latexText("\\~^"), R"(\textbackslash{}\textasciitilde{}\textasciicircum{})");
    EXPECT_EQ(latexText("one\ntwo\r\nthree\tfour"), "one two three four");
    EXPECT_EQ(latexText("a<b>c|d"), R"(a\ensuremath{<}b\ensuremath{>}c\ensuremath{|}d)");
}

TEST(LatexText, KnowsGreekLatinAndNothingElse) {
    EXPECT_EQ(latexText("χ ≥ 0"), R"(\ensuremath{\chi} \ensuremath{\geq} 0)");
    EXPECT_EQ(latexText("Müller"), "Müller");
    EXPECT_EQ(latexText("日本\xFF\x01"), "????");
}

TEST(LatexText, UnderstandsTheTwoTagsOfFigures) {
    EXPECT_EQ(latexText("share of <i>χ</i><sub>r</sub>"), R"(share of \textit{\ensuremath{\chi}}\textsubscript{r})");
    EXPECT_EQ(latexText("<i>open"), R"(\ensuremath{<}i\ensuremath{>}open)");
    EXPECT_EQ(latexText("</i><i>"), R"(\ensuremath{<}/i\ensuremath{>}\ensuremath{<}i\ensuremath{>})");
}

TEST(LatexText, NumbersHaveTrueSigns) {
    EXPECT_EQ(latexNumber("0.123"), "0.123");
    EXPECT_EQ(latexNumber("-0.123"), R"(\ensuremath{-0.123})");
    EXPECT_EQ(latexNumber("1.77e-6"), R"(\ensuremath{1.77\times10^{-6}})");
    EXPECT_EQ(latexNumber("14.9 %"), R"(14.9\,\%)");
    EXPECT_EQ(latexNumber("3.20e-5 %"), R"(\ensuremath{3.20\times10^{-5}\,\%})");
    EXPECT_EQ(latexNumber("undefined"), "undefined");
}

TEST(LatexText, CommentsStayComments) { EXPECT_EQ(latexComment("a\n\\input{b}\rc"), "% a\n% \\input{b}\n% c\n"); }

}  // namespace
}  // namespace dimscope::io
