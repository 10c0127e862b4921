// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QComboBox;
class QMenuBar;
class QToolButton;

namespace dimscope::app {

class Appearance;
class CommandField;
class WorkspaceModel;

/// The row at the top: menus, open, reload, history, search, backend, theme.
class TopBar : public QWidget {
    Q_OBJECT

public:
    struct Actions {
        QAction* open;
        QAction* reload;
        QAction* back;
        QAction* forward;
    };
    TopBar(Appearance& appearance, WorkspaceModel& model, QMenuBar* menus, const Actions& actions,
           QWidget* parent = nullptr);

    CommandField& commandField() { return *field_; }

private:
    void build(QMenuBar* menus, const Actions& actions);
    QToolButton* button(QAction* action, bool withText);
    void restyle();
    void fillBackends();
    void chooseBackend(int index);

    Appearance& appearance_;
    WorkspaceModel& model_;
    Actions actions_;
    CommandField* field_;
    QComboBox* backend_;
    QToolButton* theme_;
};

}  // namespace dimscope::app
