// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace dimscope::app {

class Appearance;

/// One sentence about something that failed, above the pages, until it is closed or outdated.
class Banner : public QWidget {
    Q_OBJECT

public:
    explicit Banner(const Appearance& appearance, QWidget* parent = nullptr);
    void showSentence(const QString& sentence);
    QString sentence() const;

private:
    const Appearance& appearance_;
    QLabel* text_;
    QToolButton* close_;
};

}  // namespace dimscope::app
