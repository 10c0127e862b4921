// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/page.h"

namespace dimscope::app {

class KernelTable;
struct KernelRow;

/// The live comparison of the chosen head: error per kernel, error by query position, attention weights.
class KernelsPage : public Page {
    Q_OBJECT

public:
    explicit KernelsPage(const PageContext& context, QWidget* parent = nullptr);

    QString title() const override { return tr("Kernels"); }
    QString help() const override;
    PageContent content() const override;
    KernelTable& table() { return *table_; }

protected:
    void refresh() override;
    void seenChanged(bool seen) override;

private:
    void build();
    void wire();
    void showNotice(const QString& notice);
    void showResult();
    void chooseKernel(const std::string& name);
    std::vector<KernelRow> rows() const;

    KernelTable* table_;
    FigurePanel* byPosition_;
    FigurePanel* weights_;
};

}  // namespace dimscope::app
