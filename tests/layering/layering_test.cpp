// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/layering/include_rules.h"

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;

/// A made-up project: path -> content.
class Tree {
public:
    explicit Tree(const std::map<std::string, std::string>& files) {
        std::string pattern = (fs::temp_directory_path() / "layering-XXXXXX").string();
        root_ = mkdtemp(pattern.data());
        for (const auto& [path, content] : files) {
            fs::create_directories((root_ / path).parent_path());
            std::ofstream(root_ / path) << content;
        }
    }
    ~Tree() { fs::remove_all(root_); }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

/// "analysis/a.cpp:2" of every violation.
std::vector<std::string> placesIn(const std::map<std::string, std::string>& files) {
    const Tree tree(files);
    std::vector<std::string> places;
    for (const Violation& violation : wrongIncludes(tree.root()))
        places.push_back(violation.file + ":" + std::to_string(violation.line));
    return places;
}

using Places = std::vector<std::string>;

TEST(Layering, TheProjectFollowsTheArrow) {
    for (const Violation& violation : wrongIncludes(PROJECT_DIR))
        ADD_FAILURE() << violation.file << ":" << violation.line << ": " << violation.text;
}

TEST(Layering, TheProjectIsThere) {
    for (const char* part : {"kernels", "analysis", "io", "app/core", "app/cli", "app/window"})
        EXPECT_TRUE(fs::is_directory(fs::path(PROJECT_DIR) / part)) << part;
}

TEST(LayeringRules, DownwardIsAllowed) {
    EXPECT_EQ(placesIn({{"kernels/types.h", "#include <vector>\n"},
                        {"kernels/backend.h", "#include \"kernels/types.h\"\n"},
                        {"analysis/table.h", "#include <Eigen/Core>\n#include \"kernels/backend.h\"\n"},
                        {"io/writer.cpp", "#include <hdf5.h>\n#include \"analysis/table.h\"\n"},
                        {"io/figure/chart.cpp", "#include <QChart>\n#include \"io/figure/chart.h\"\n"},
                        {"io/figure/chart.h", ""},
                        {"app/core/queue.h", "#include \"kernels/backend.h\"\n"},
                        {"app/cli/main.cpp", "#include <CLI/CLI.hpp>\n#include \"app/core/queue.h\"\n"},
                        {"app/window/page.cpp", "#include <QWidget>\n#include \"io/figure/chart.h\"\n"}}),
              Places{});
}

TEST(LayeringRules, UpwardIsFoundWithFileAndLine) {
    EXPECT_EQ(placesIn({{"kernels/types.h", "#pragma once\n\n#include \"analysis/table.h\"\n"},
                        {"analysis/table.h", "#include <string>\n  #  include \"io/writer.h\"\n"},
                        {"io/writer.h", "#include \"app/core/queue.h\"\n"},
                        {"app/core/queue.h", "#include \"app/window/page.h\"\n"},
                        {"app/window/page.h", ""}}),
              (Places{"analysis/table.h:2", "app/core/queue.h:1", "io/writer.h:1", "kernels/types.h:3"}));
}

TEST(LayeringRules, IoSeesOnlyTheInterfacesOfAnalysis) {
    EXPECT_EQ(
        placesIn(
            {{"analysis/grouping.h", ""},
             {"analysis/table.h", ""},
             {"kernels/backend.h", ""},
             {"io/writer.cpp",
              "#include \"analysis/table.h\"\n#include \"analysis/grouping.h\"\n#include \"kernels/backend.h\"\n"}}),
        (Places{"io/writer.cpp:2", "io/writer.cpp:3"}));
}

TEST(LayeringRules, AnalysisSeesTheThreadsOfTheCpuFolderAndNoBackend) {
    EXPECT_EQ(placesIn({{"kernels/cpu/worker_pool.h", ""},
                        {"kernels/cpu/cpu_backend.h", ""},
                        {"io/writer.cpp", "#include \"kernels/cpu/worker_pool.h\"\n"},
                        {"analysis/fit.cpp",
                         "#include \"kernels/cpu/worker_pool.h\"\n#include \"kernels/cpu/cpu_backend.h\"\n"}}),
              (Places{"analysis/fit.cpp:2", "io/writer.cpp:1"}));
}

TEST(LayeringRules, LibrariesStayInTheirFolders) {
    EXPECT_EQ(placesIn({{"kernels/a.cpp", "#include <Eigen/Core>\n"},
                        {"kernels/cpu/a.cpp", "#include <Eigen/Core>\n#include <cuda_runtime.h>\n"},
                        {"kernels/cuda/a.cu", "#include <cuda_runtime.h>\n#include <hdf5.h>\n"},
                        {"analysis/a.cpp", "#include <QString>\n#include <nlohmann/json.hpp>\n"},
                        {"io/a.cpp", "#include <QChart>\n#include <Eigen/Core>\n"},
                        {"app/cli/a.cpp", "#include <QtCore/QString>\n"},
                        {"app/window/a.cpp", "#include <QWidget>\n#include <hdf5.h>\n"}}),
              (Places{"analysis/a.cpp:1", "analysis/a.cpp:2", "app/cli/a.cpp:1", "app/window/a.cpp:2", "io/a.cpp:1",
                      "io/a.cpp:2", "kernels/a.cpp:1", "kernels/cpu/a.cpp:2", "kernels/cuda/a.cu:2"}));
}

TEST(LayeringRules, QtReachesNothingThroughIoFigure) {
    EXPECT_EQ(placesIn({{"io/figure/chart.h", "#include <QChart>\n"},
                        {"io/writer.cpp", "#include \"io/figure/chart.h\"\n"},
                        {"app/cli/main.cpp", "#include \"io/figure/chart.h\"\n"}}),
              (Places{"app/cli/main.cpp:1", "io/writer.cpp:1"}));
}

TEST(LayeringRules, IncludesAreWrittenFromTheRoot) {
    EXPECT_EQ(placesIn({{"kernels/types.h", ""}, {"kernels/backend.h", "#include \"types.h\"\n"}}),
              Places{"kernels/backend.h:1"});
}

TEST(LayeringRules, UnknownLibrariesAndFoldersAreFound) {
    EXPECT_EQ(placesIn({{"analysis/a.cpp", "#include <boost/any.hpp>\n"}, {"app/extra/b.cpp", ""}}),
              (Places{"analysis/a.cpp:1", "app/extra/b.cpp:1"}));
}

}  // namespace
}  // namespace dimscope::tests
