// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_theme.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace dimscope::io {
namespace {

const std::vector<std::string> kKernels{"softmax",  "performer", "spectraformer", "spectraformer_unbiased",
                                        "dijiang",  "global",    "taylorshift",   "oal",
                                        "zeros_sm", "elu",       "linear_zeros",  "cosformer",
                                        "rfa",      "hedgehog",  "based",         "rebased",
                                        "power",    "lolcats",   "polysketch",    "retnet",
                                        "taylor"};

TEST(KernelStyle, NoTwoKernelsLookAlike) {
    for (const FigureTheme& theme : {lightTheme(), darkTheme(), printTheme()}) {
        std::set<std::string> looks;
        for (const std::string& kernel : kKernels) {
            const KernelStyle style = kernelStyle(kernel, theme);
            EXPECT_FALSE(style.reference) << kernel;
            looks.insert(style.colour.name().toStdString() + std::to_string(static_cast<int>(style.shape)) +
                         (style.filled ? "filled" : "open"));
        }
        EXPECT_EQ(looks.size(), kKernels.size());
    }
}

TEST(KernelStyle, AsInTheLegend) {
    const KernelStyle oal = kernelStyle("oal", lightTheme());
    EXPECT_EQ(oal.colour, QColor(0xD5, 0x5E, 0x00));
    EXPECT_EQ(oal.shape, analysis::MarkerShape::Disc);
    EXPECT_TRUE(oal.filled);
    EXPECT_EQ(kernelStyle("taylor", darkTheme()).colour, QColor(0x3D, 0x9A, 0xD6));
    EXPECT_TRUE(kernelStyle("first_value", lightTheme()).reference);
    EXPECT_EQ(kernelStyle("softmax", darkTheme()).colour, darkTheme().text);
}

double luminance(const QColor& colour) {
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Theme, TextOfEveryInkCanBeRead) {
    using analysis::Role;
    for (const FigureTheme& theme : {lightTheme(), darkTheme(), printTheme()})
        for (Role role : {Role::Text, Role::Secondary, Role::BulkQuery, Role::BulkKey, Role::OutlierQuery,
                          Role::OutlierKey, Role::OutlierText, Role::Partner, Role::Band, Role::Accent, Role::Kernel})
            for (const QColor& ground : {theme.ground, theme.band})
                EXPECT_GE(contrast(textColour({role, "performer"}, theme), ground), 4.5)
                    << static_cast<int>(role) << " on " << ground.name().toStdString();
}

}  // namespace
}  // namespace dimscope::io
