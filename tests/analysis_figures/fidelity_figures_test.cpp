// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/fidelity_figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/figures/budget_figures.h"
#include "tests/analysis_figures/figure_checks.h"

namespace dimscope::analysis::test {
namespace {

using Strings = std::vector<std::string>;

struct MadeMethod {
    std::string kernel;
    bool calibrated;
    double before, after;  // RelMSE; NaN after: none
};

FidelityResult madeFidelity(const std::vector<MadeMethod>& methods) {
    FidelityResult result;
    result.prompts = {PromptIndex{0}, PromptIndex{1}};
    result.provenance.verb = "fidelity";
    for (const MadeMethod& made : methods) {
        MethodFidelity method;
        method.method = {made.kernel, made.calibrated, "state"};
        method.before.error = {0.1 * made.before, made.before};
        method.before.headQuartile1 = 0.8 * made.before;
        method.before.headMedian = made.before;
        method.before.headQuartile3 = 1.2 * made.before;
        if (!std::isnan(made.after)) {
            method.after = method.before;
            method.after->error = {0.1 * made.after, made.after};
        }
        for (int h = 0; h < 4; ++h) {
            HeadFidelity head;
            head.layer = LayerIndex{15};
            head.head = HeadIndex{h};
            head.method = method.method;
            head.before.relMse = made.before * (0.7 + 0.2 * h);
            if (!std::isnan(made.after)) head.after = MeanError{0.1, made.after * (0.7 + 0.2 * h)};
            result.heads.push_back(head);
        }
        result.methods.push_back(method);
    }
    return result;
}

FidelityResult someFidelity() {
    return madeFidelity({{"performer", false, 0.6, 0.5},
                         {"oal", false, 1.1, 0.9},
                         {"oal", true, 0.2, 0.1},
                         {"zero", false, 1.0, 1.0},
                         {"uniform", false, 0.95, 0.8},
                         {"first_value", false, 0.6, 0.7}});
}

TEST(FidelityFigure, PairsUntrainedWithCalibrated) {
    const Figure figure = fidelityFigure(someFidelity());
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 2U);
    EXPECT_EQ(figure.panels[0].y.tickLabels, (Strings{"OAL", "Performer"})) << "nearest first";
    EXPECT_EQ(figure.panels[0].x.scale, AxisScale::Log);
    EXPECT_EQ(figure.panels[0].note, "before W_o");
    EXPECT_EQ(figure.panels[1].note, "after W_o");
    EXPECT_EQ(writtenIn(figure.panels[0]), (Strings{"uniform", "first value", "zero"}));
    const auto lines = marksOf<Line>(figure.panels[0]);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].points, (std::vector<std::pair<double, double>>{{1.1, 1.0}, {0.2, 1.0}}));
    const auto points = marksOf<Points>(figure.panels[0]);
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].points[0].ink.role, Role::Secondary);
    EXPECT_EQ(points[1].points[0].ink.kernel, "oal");
    EXPECT_GT(points[1].points[0].sizePt, points[0].points[0].sizePt);
    EXPECT_EQ(figure.provenance.verb, "fidelity");
}

TEST(FidelityFigure, WhatIsUndefinedOrFarOffIsWritten) {
    const FidelityResult result = madeFidelity({{"oal", false, 0.5, NAN},
                                                {"performer", false, 1e7, NAN},
                                                {"taylor", false, NAN, NAN},
                                                {"zero", false, 1, NAN}});
    const Figure figure = fidelityFigure(result);
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 1U) << "nothing after W_o";
    EXPECT_LT(figure.panels[0].x.to, 2.0);
    EXPECT_EQ(figure.panels[0].y.tickLabels, (Strings{"OAL", "Performer", "Taylor"}));
    const Strings written = writtenIn(figure.panels[0]);
    EXPECT_EQ(written.back(), "undefined");
    EXPECT_TRUE(saysWhyEmpty(fidelityFigure(madeFidelity({{"zero", false, 1, 1}})), "no kernel"));
}

TEST(FidelityHeadsFigure, EveryHeadWithQuartilesAndMedian) {
    const Figure figure = fidelityHeadsFigure(someFidelity());
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 2U);
    EXPECT_EQ(figure.panels[0].y.tickLabels, (Strings{"OAL, calibrated", "Performer", "OAL"}));
    EXPECT_EQ(marksOf<Points>(figure.panels[0]).size(), 3U * 5U);
    EXPECT_EQ(marksOf<Line>(figure.panels[0]).size(), 3U);
    EXPECT_TRUE(saysWhyEmpty(fidelityHeadsFigure({}), "no kernel"));
    EXPECT_NE(fidelityHeadsFigure({}).name, fidelityFigure({}).name);
}

BudgetPoint madePoint(const std::string& order, const std::string& rule, double groups, double parameters,
                      double relMse, int draw = -1, bool front = false) {
    BudgetPoint point;
    point.order = order;
    point.cutRule = rule;
    point.groups = groups;
    point.parameters = parameters;
    point.relMse = relMse;
    point.draw = draw;
    point.front = front;
    return point;
}

TEST(BudgetFigure, JoinsTheFrontAndShowsRandomOnesLight) {
    BudgetResult result;
    result.points = {madePoint("none", "none", 1, 3, 0.8, -1, true),
                     madePoint("chi", "gap", 2, 6, 0.5, -1, true),
                     madePoint("q", "gap", 2, 6, 0.6),
                     madePoint("random", "size-matched", 2, 6, 0.7, 0),
                     madePoint("random", "size-matched", 2, 6, 0.75, 1),
                     madePoint("random", "size-matched", 2, 6, NAN, 2),
                     madePoint("chi", "grouping", 2.5, 8.25, 0.55),
                     madePoint("none", "none", 64, 2145, 0.4, -1, true)};
    const Figure figure = budgetFigure(result);
    ASSERT_TRUE(isDrawable(figure));
    const auto lines = marksOf<Line>(figure.panels[0]);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].points, (std::vector<std::pair<double, double>>{{3, 0.8}, {6, 0.5}, {2145, 0.4}}));
    const auto points = marksOf<Points>(figure.panels[0]);
    EXPECT_EQ(points[0].points.size(), 2U) << "random, without the undefined one";
    EXPECT_EQ(points[0].points[0].ink.role, Role::BulkKey);
    EXPECT_EQ(points.size(), 1U + 4U);
    EXPECT_TRUE(saysWhyEmpty(budgetFigure({}), "no partition"));
}

}  // namespace
}  // namespace dimscope::analysis::test
