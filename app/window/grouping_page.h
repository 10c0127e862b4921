// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/page.h"

namespace dimscope::app {

/// Where the gaps in the contributions are and how sure they are; groups of every head of the layer.
class GroupingPage : public Page {
    Q_OBJECT

public:
    explicit GroupingPage(const PageContext& context, QWidget* parent = nullptr);

    QString title() const override { return tr("Grouping"); }
    QString help() const override;

protected:
    void refresh() override;

private:
    void build();
    void wire();
    void showNotice(const QString& notice);
    void showGroups();
    void chooseRow(int row);

    FigurePanel* sorted_;
    FigurePanel* support_;
    FigurePanel* counts_;
    TablePanel* cuts_;
    TablePanel* groups_;
};

}  // namespace dimscope::app
