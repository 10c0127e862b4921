// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/report/kernel_rows.h"
#include "app/window/dot_table.h"

namespace dimscope::app {

class KernelTableModel;

/// Errors of the kernels on the chosen head, as dots and numbers.
class KernelTable : public DotTable {
    Q_OBJECT

public:
    KernelTable(const Appearance& appearance, QWidget* parent = nullptr);

    void setRows(std::vector<KernelRow> rows, const DotScale& scale, HeadChoice choice, const QString& caption,
                 bool layerComing);
    void clear(const QString& notice);
    void setChosen(const std::string& kernel);  ///< the row on the ground of a selection
    KernelTableModel& rows() { return *rows_; }

signals:
    void kernelChosen(const QString& name);

private:
    void build();
    void showGates(bool shown);

    KernelTableModel* rows_;
    std::string chosen_;
};

}  // namespace dimscope::app
