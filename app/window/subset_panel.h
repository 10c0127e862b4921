// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "analysis/table.h"

class QLabel;

namespace dimscope::app {

class Appearance;
class CellDelegate;
class DataTable;
class LayerProfiles;
class TableModel;
class WorkspaceModel;

/// S: the outlier dimensions of every head of the chosen layer, as the grouping found them.
class SubsetPanel : public QWidget {
    Q_OBJECT

public:
    SubsetPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles,
                QWidget* parent = nullptr);

signals:
    void titleChanged(const QString& title);

private:
    void refresh();
    void updateSummary();

    const Appearance& appearance_;
    WorkspaceModel& model_;
    LayerProfiles& profiles_;
    DataTable* view_;
    TableModel* rows_;
    CellDelegate* delegate_;
    QLabel* summary_;
};

}  // namespace dimscope::app
