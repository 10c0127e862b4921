// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "app/window/export_files.h"
#include "app/window/page_context.h"

class QBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace dimscope::app {

class FigurePanel;
class FindingsRow;
class PageHeader;
class TablePanel;

/// A page of the window: header, findings, and below them figures and tables. It is drawn anew only while it is seen.
class Page : public QWidget {
    Q_OBJECT

public:
    Page(const PageContext& context, QWidget* parent);

    virtual QString title() const = 0;
    virtual QString help() const = 0;     ///< what the page shows, for F1
    virtual PageContent content() const;  ///< everything that can be exported
    void exportPage();
    void exportFocused();
    void copyFocused();

protected:
    /// Something that the page shows has changed.
    void invalidate();
    virtual void refresh() = 0;
    virtual void seenChanged(bool /*seen*/) {}
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

    const PageContext& context() const { return context_; }
    PageHeader& header() { return *header_; }
    FindingsRow& findings() { return *findings_; }
    QWidget* body() { return body_; }
    /// What fills the page as far as it is seen without scrolling, never lower than `least`. Its `columns` stand below
    /// one another on a page that is too narrow for them.
    void setFold(QWidget* fold, int least, QBoxLayout* columns);
    void setLeastFold(int least);  ///< where the least height follows what is shown

    FigurePanel* addFigure();
    TablePanel* addTable(int rowHeight);
    /// A figure whose marks are dimensions: hovering and clicking mark them everywhere. `dimensionsIn`: dimensions
    /// between two positions of the x axis, for brushing.
    void linkDimensions(FigurePanel& panel, std::function<std::vector<int>(double, double)> dimensionsIn);
    /// A table with a row per dimension; `dimensionAt`: dimension of a row of the table.
    void linkDimensions(TablePanel& panel, std::function<int(int)> dimensionAt);
    void setDimensionHeader(const QString& extent);
    /// Layer, head and failure of the profile, in words; empty: there is a profile to show.
    QString profileNotice() const;

private:
    void refreshIfSeen();
    void showHighlight();
    void fitFold();
    FigurePanel* focusedFigure() const;
    TablePanel* focusedTable() const;

    PageContext context_;
    PageHeader* header_;
    FindingsRow* findings_;
    QScrollArea* scroll_;
    QWidget* body_;
    QWidget* fold_ = nullptr;
    int leastFold_ = 0;
    QBoxLayout* columns_ = nullptr;
    bool stale_ = true, asked_ = false;
    std::vector<FigurePanel*> figures_, dimensionFigures_;
    std::vector<TablePanel*> tables_;
};

}  // namespace dimscope::app
