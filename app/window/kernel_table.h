// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "app/window/dot_column.h"

namespace dimscope::app {

class CaptionRow;
class DataTable;

/// Dot plot and table of the kernels as one thing: same rows, sorted and highlighted together.
class KernelTable : public QWidget {
    Q_OBJECT

public:
    KernelTable(const Appearance& appearance, QWidget* parent = nullptr);

    void setRows(std::vector<KernelRow> rows, const DotScale& scale, HeadChoice choice, const QString& caption,
                 bool layerComing);
    void clear(const QString& notice);
    void setChosen(const std::string& kernel);  ///< the row on the ground of a selection
    DataTable& view() { return *view_; }
    KernelTableModel& rows() { return *rows_; }

signals:
    void kernelChosen(const QString& name);
    void exportTableAsked();
    void exportFigureAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void showGates(bool shown);
    void placeAxis();
    void fitHeight();

    const Appearance& appearance_;
    SharedScale scale_;
    CaptionRow* caption_;
    DataTable* view_;
    KernelTableModel* rows_;
    DotDelegate* delegate_;
    DotAxis* axis_;
    std::string chosen_;
};

}  // namespace dimscope::app
