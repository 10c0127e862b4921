// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "app/core/selection_history.h"

class QComboBox;
class QLabel;

namespace dimscope::app {

class Appearance;
class ColourBar;
class HeadMatrix;
class LayerProfiles;
class WorkspaceModel;

/// All heads of the dump at a glance, coloured by a quantity. Cells fill in as layers are profiled; the strongest head
/// is chosen until the person chooses one.
class OverviewPanel : public QWidget {
    Q_OBJECT

public:
    OverviewPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles,
                  QWidget* parent = nullptr);

    HeadMatrix& matrix() { return *matrix_; }
    std::string quantity() const;
    void setQuantity(const std::string& name);
    bool zoomed() const { return zoomed_; }
    void setZoomed(bool zoomed);

signals:
    void activated();

private:
    void build();
    void reset();
    void addLayer(int layer);
    void refill();
    void updateRange();
    void updateReadout();
    void chooseStrongest();
    QString readoutOf(const std::optional<HeadChoice>& head) const;
    std::optional<double> valueOf(HeadChoice head) const;

    const Appearance& appearance_;
    WorkspaceModel& model_;
    LayerProfiles& profiles_;
    QComboBox* quantity_;
    HeadMatrix* matrix_;
    QLabel* selected_;
    QLabel* hover_;
    ColourBar* bar_;
    QLabel* zoom_;
    bool zoomed_ = false;
    bool followsStrongest_ = true;
    bool choosingItself_ = false;
};

}  // namespace dimscope::app
