// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace dimscope::app {

class Appearance;

/// What stands in the middle while no dump is open.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(const Appearance& appearance, QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);

signals:
    void openAsked();
    void pathChosen(const QString& path);

private:
    void refresh();

    const Appearance& appearance_;
    QStringList recent_;
    QLabel* text_;
};

}  // namespace dimscope::app
