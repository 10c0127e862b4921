// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/figure.h"

namespace dimscope::analysis::test {

/// All marks of one kind, in drawing order.
template <class Kind>
std::vector<Kind> marksOf(const Panel& panel) {
    std::vector<Kind> found;
    for (const Mark& mark : panel.marks)
        if (const Kind* kind = std::get_if<Kind>(&mark)) found.push_back(*kind);
    return found;
}

/// Texts of rules and free texts: what a reader sees written in the panel.
std::vector<std::string> writtenIn(const Panel& panel);

/// Figure has a name, a caption and panels; every coordinate of every mark is finite and lies on its axes.
::testing::AssertionResult isDrawable(const Figure& figure);

/// A figure without data: one panel with one text.
::testing::AssertionResult saysWhyEmpty(const Figure& figure, const std::string& word);

}  // namespace dimscope::analysis::test
