// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/core/job_queue.h"
#include "app/window/page.h"

namespace dimscope::app {

/// Magnitudes, contributions in natural and sorted order, the strongest dimensions, and single tokens.
class ProfilePage : public Page {
    Q_OBJECT

public:
    explicit ProfilePage(const PageContext& context, QWidget* parent = nullptr);

    QString title() const override { return tr("Profile"); }
    QString help() const override;

protected:
    void refresh() override;

private:
    void build();
    void wire();
    void showNotice(const QString& notice);
    void showHead();
    void showTable();
    void loadTokens();
    std::vector<int> dimensionsIn(double from, double to) const;
    std::vector<int> ranksIn(double from, double to) const;
    int dimensionOfRow(int row) const;

    FigurePanel* magnitude_;
    FigurePanel* contribution_;
    FigurePanel* sorted_;
    TablePanel* top_;
    FigurePanel* tokens_;
    JobHandle tokensJob_;
    QString tokensShown_;  // which head and prompt the token map belongs to
};

}  // namespace dimscope::app
