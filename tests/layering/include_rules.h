// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dimscope::tests {

/// An include that goes the wrong way.
struct Violation {
    std::string file;  ///< from the project's root: "analysis/grouping.cpp"
    int line = 0;
    std::string text;  ///< what is wrong with it
};

/// Every source and header below the root's kernels, analysis, io and app against the table of
/// resources/docs/architecture.md: which folders of ours and which libraries a folder may include.
/// A library that the table does not know is a violation too: who adds one decides where it may be used.
std::vector<Violation> wrongIncludes(const std::filesystem::path& root);

}  // namespace dimscope::tests
