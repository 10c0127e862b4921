// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace dimscope::app {

class Appearance;

/// The line above a figure or table: bold title, caption, and its copy and export buttons.
class CaptionRow : public QWidget {
    Q_OBJECT

public:
    CaptionRow(const Appearance& appearance, const QString& what, QWidget* parent = nullptr);

    void setText(const QString& title, const QString& caption);
    /// A field that changes what stands below, before the buttons.
    void addControl(QWidget* control);
    QToolButton* exportButton() { return export_; }

signals:
    void copyAsked();
    void exportAsked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle();
    void elide();

    const Appearance& appearance_;
    QLabel* title_;
    QLabel* caption_;
    QToolButton* copy_;
    QToolButton* export_;
    QString text_;
};

}  // namespace dimscope::app
