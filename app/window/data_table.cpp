// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>

#include "app/window/sort_header.h"
#include "app/window/table_model.h"

namespace dimscope::app {

DataTable::DataTable(const Appearance& appearance, int rowHeight, QWidget* parent)
    : QTableView(parent), rowHeight_(rowHeight) {
    setHorizontalHeader(new SortHeader(appearance, this));
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(rowHeight);
    verticalHeader()->setDefaultSectionSize(rowHeight);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
}

void DataTable::copySelection() const {
    if (!model()) return;
    QStringList lines, heads;
    for (int c = 0; c < model()->columnCount(); ++c) {
        const QString head = model()->headerData(c, Qt::Horizontal).toString();
        if (!head.isEmpty() && !isColumnHidden(c)) heads.append(head);
    }
    lines.append(heads.join('\t'));
    const bool all = !selectionModel() || !selectionModel()->hasSelection();
    for (int r = 0; r < model()->rowCount(); ++r) {
        if (!all && !selectionModel()->isRowSelected(r)) continue;
        QStringList cells;
        for (int c = 0; c < model()->columnCount(); ++c)
            if (!model()->headerData(c, Qt::Horizontal).toString().isEmpty() && !isColumnHidden(c))
                cells.append(model()->index(r, c).data(TableModel::ExactRole).toString());
        lines.append(cells.join('\t'));
    }
    QApplication::clipboard()->setText(lines.join('\n') + '\n');
}

void DataTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        return;
    }
    // These belong to the window: layers, pages, release.
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown || event->key() == Qt::Key_Escape ||
        event->key() == Qt::Key_BracketLeft || event->key() == Qt::Key_BracketRight) {
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

void DataTable::mouseMoveEvent(QMouseEvent* event) {
    QTableView::mouseMoveEvent(event);
    setHoveredRow(indexAt(event->pos()).row());
}

void DataTable::leaveEvent(QEvent* event) {
    QTableView::leaveEvent(event);
    setHoveredRow(-1);
}

void DataTable::setHoveredRow(int row) {
    if (row == hoveredRow_) return;
    hoveredRow_ = row;
    viewport()->update();
    emit rowHovered(row);
}

}  // namespace dimscope::app
