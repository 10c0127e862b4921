// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QFormLayout;
class QLabel;
class QVBoxLayout;

namespace dimscope::app {

class Appearance;
class HeadComparison;
class LayerProfiles;
class WorkspaceModel;

/// What the open file is, and what is odd about it or about the results at hand.
class DumpPanel : public QWidget {
    Q_OBJECT

public:
    DumpPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles, HeadComparison& comparison,
              QWidget* parent = nullptr);

private:
    void refresh();
    void refreshWarnings();
    void addFact(const QString& name, const QString& value);

    const Appearance& appearance_;
    WorkspaceModel& model_;
    LayerProfiles& profiles_;
    HeadComparison& comparison_;
    QFormLayout* facts_;
    QVBoxLayout* warnings_;
};

}  // namespace dimscope::app
