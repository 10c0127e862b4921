// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

class QLabel;
class QToolButton;

namespace dimscope::app {

class Appearance;

/// A dock with a title of the program's own: small capitals, float and close buttons. The panel scrolls when the dock
/// is lower than it needs.
class DockPanel : public QDockWidget {
    Q_OBJECT

public:
    DockPanel(const Appearance& appearance, const QString& name, const QString& title, QWidget* panel, QWidget* parent);

    void setTitle(const QString& title);

private:
    QWidget* makeTitle();
    void restyle();

    const Appearance& appearance_;
    QLabel* label_;
    QToolButton* float_;
    QToolButton* close_;
};

}  // namespace dimscope::app
