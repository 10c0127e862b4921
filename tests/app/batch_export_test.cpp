// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/batch_export.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <map>

namespace dimscope::app {
namespace {

TEST(BatchExport, writesEveryFigureAndTableInEveryFormat) {
    const QTemporaryDir folder;
    ASSERT_EQ(exportDump(QString(SAMPLE_DIR) + "/smollm2-sample.h5", folder.path() + "/report"), 0);
    const QDir report(folder.path() + "/report");
    std::map<QString, QStringList> byExtension;
    for (const QFileInfo& file : report.entryInfoList(QDir::Files)) {
        EXPECT_GT(file.size(), 100) << file.fileName().toStdString();
        byExtension[file.suffix()].append(file.completeBaseName());
    }
    EXPECT_EQ(byExtension["svg"], byExtension["pdf"]);
    EXPECT_EQ(byExtension["svg"], byExtension["png"]);
    EXPECT_EQ(byExtension["csv"], byExtension["md"]);
    EXPECT_EQ(byExtension["csv"], byExtension["tex"]);
    // Overview, and for each of three layers: outliers per head, three of the profile, tokens, support, three of
    // kernels.
    EXPECT_EQ(byExtension["svg"].size(), 1 + 3 * 9);
    // Profile and two of kernels; per layer: groups, dimensions, cuts, kernels.
    EXPECT_EQ(byExtension["csv"].size(), 3 + 3 * 4);
    for (const char* name : {"profile", "kernel-errors-pooled", "groups-L15"})
        EXPECT_TRUE(byExtension["csv"].contains(name)) << name;
}

TEST(BatchExport, refusesABadFileWithExitCodeOne) {
    const QTemporaryDir folder;
    EXPECT_EQ(exportDump(folder.path() + "/missing.h5", folder.path() + "/report"), 1);
}

}  // namespace
}  // namespace dimscope::app
