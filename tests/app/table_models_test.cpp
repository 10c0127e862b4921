// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/window/kernel_table_model.h"
#include "app/window/table_model.h"

namespace dimscope::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const analysis::Table> smallTable() {
    analysis::Table table;
    table.columns = {
        {"dim", "dim", "", {}, {std::int64_t{26}, std::int64_t{58}, std::int64_t{3}}},
        {"share", "share", "", analysis::NumberStyle::Percent, {0.149123456789, 0.113, kNaN}},
        {"chi", "χ", "logit", {}, {2.03, std::monostate{}, 1.0}},
        {"group", "group", "", {}, {std::vector<std::int64_t>{26, 58}, std::string("bulk"), std::string("")}}};
    return std::make_shared<const analysis::Table>(std::move(table));
}

KernelRow kernelRow(const std::string& name, double error) {
    return {.name = name, .title = name, .relMse = error, .seeds = {error}, .setting = ""};
}

TEST(TableModel, isAModelThatViewsCanTrust) {
    TableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setTable(smallTable());
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.columnCount(), 4);
    model.setTable(nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(TableModel, showsThreeDigitsAndCopiesAll) {
    TableModel model;
    model.setTable(smallTable());
    EXPECT_EQ(model.index(0, 1).data().toString(), "14.9 %");
    EXPECT_EQ(model.index(0, 1).data(TableModel::ExactRole).toString(), "0.149123456789");
    EXPECT_EQ(model.index(2, 1).data().toString(), "undefined");
    EXPECT_EQ(model.index(2, 1).data(TableModel::ExactRole).toString(), "");
    EXPECT_EQ(model.index(0, 3).data().toString(), "26 58");
    EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), "χ (logit)");
}

TEST(TableModel, sortsNumbersAsNumbersAndPutsMissingOnesLast) {
    TableModel model;
    model.setTable(smallTable());
    EXPECT_GT(model.index(1, 0).data(TableModel::SortRole).toDouble(),
              model.index(0, 0).data(TableModel::SortRole).toDouble());
    EXPECT_TRUE(std::isinf(model.index(1, 2).data(TableModel::SortRole).toDouble()));
    EXPECT_TRUE(std::isinf(model.index(2, 1).data(TableModel::SortRole).toDouble()));
}

TEST(KernelTableModel, isAModelThatViewsCanTrust) {
    KernelTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRows({kernelRow("softmax", 0.0), kernelRow("oal", 0.8), kernelRow("performer", 0.6)}, "head 4", "layer 15",
                  true);
    model.sort(KernelTableModel::Kernel, Qt::DescendingOrder);
    EXPECT_EQ(model.rowCount(), 3);
    model.setRows({}, {}, {}, false);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(KernelTableModel, keepsExactAttentionOnTopInEveryOrder) {
    KernelTableModel model;
    model.setRows({kernelRow("softmax", 0.0), kernelRow("oal", 0.8), kernelRow("performer", 0.6)}, "head 4", "layer 15",
                  true);
    EXPECT_EQ(model.row(1).name, "performer");
    model.sort(KernelTableModel::Head, Qt::DescendingOrder);
    EXPECT_EQ(model.row(0).name, "softmax");
    EXPECT_EQ(model.row(1).name, "oal");
    model.sort(KernelTableModel::Kernel, Qt::DescendingOrder);
    EXPECT_EQ(model.row(0).name, "softmax");
    EXPECT_EQ(model.row(1).name, "performer");
}

TEST(KernelRowsTable, hasAGateColumnWhereThereAreGates) {
    const auto names = [](const std::vector<KernelRow>& rows) {
        std::vector<std::string> found;
        for (const analysis::Column& column : kernelRowsTable(rows, {}, {}).columns) found.push_back(column.name);
        return found;
    };
    std::vector<KernelRow> rows{kernelRow("softmax", 0.0), kernelRow("taylor", 0.5)};
    const auto without = names(rows);
    EXPECT_EQ(std::count(without.begin(), without.end(), "gate"), 0);
    rows[1].gate = 0.25;
    EXPECT_EQ(names(rows)[2], "gate");
    const analysis::Table table = kernelRowsTable(rows, {}, {});
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.columns[2].cells[0]));
    EXPECT_EQ(std::get<double>(table.columns[2].cells[1]), 0.25);
    for (const analysis::Column& column : table.columns) EXPECT_EQ(column.cells.size(), 2U) << column.name;
}

TEST(DotScale, placesErrorsLogarithmically) {
    const DotScale scale{.from = 0.1, .to = 10.0, .references = {}};
    EXPECT_DOUBLE_EQ(scale.place(0.1), 0.0);
    EXPECT_NEAR(scale.place(1.0), 0.5, 1e-12);
    EXPECT_GT(scale.place(20.0), 1.0);
}

}  // namespace
}  // namespace dimscope::app
