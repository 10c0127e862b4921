// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QList>
#include <QPointer>
#include <map>
#include <optional>

#include "app/core/selection_history.h"

class QCompleter;
class QStringListModel;

namespace dimscope::app {

class Appearance;
class WorkspaceModel;

/// Finds any head ("15.4", "layer 15 head 4", "L15 H4") or action by a part of its name.
class CommandField : public QLineEdit {
    Q_OBJECT

public:
    CommandField(const Appearance& appearance, WorkspaceModel& model, QWidget* parent = nullptr);

    void setActions(const QList<QAction*>& actions);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refill();
    void run(const QString& text);
    /// False: nothing is called that.
    bool follow(const QString& wanted);

    const Appearance& appearance_;
    WorkspaceModel& model_;
    QList<QPointer<QAction>> actions_;
    std::map<QString, HeadChoice> heads_;
    QStringListModel* words_;
    QCompleter* completer_;
};

/// Two numbers in the text, layer and head, in whatever words; nothing else.
std::optional<HeadChoice> headFromText(const QString& text);

}  // namespace dimscope::app
