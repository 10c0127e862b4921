// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;

namespace dimscope::app {

/// "Layer 15 · head 4", what it was made from, the brushed dimensions, and the export of the whole page.
class PageHeader : public QWidget {
    Q_OBJECT

public:
    explicit PageHeader(QWidget* parent = nullptr);

    void setText(const QString& title, const QString& details);
    void addButton(QPushButton* button);                  ///< before the export
    void setBrushed(const std::vector<int>& dimensions);  ///< empty: no chip

signals:
    void brushDropped();
    void exportAsked();

private:
    QLabel* title_;
    QLabel* details_;
    QPushButton* chip_;
    QPushButton* export_;
};

}  // namespace dimscope::app
