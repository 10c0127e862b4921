// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <functional>
#include <optional>

namespace dimscope::app {

class Appearance;
class DataTable;

/// What a cell shows beside its text.
struct CellLook {
    QColor colour;  ///< of the text; invalid: the usual one
    bool bold = false;
    std::optional<double> bar;  ///< 0..1: a bar in front of the text
    QColor barColour;
};

/// Draws cells: digits in columns of equal width (Inter's differ), an optional bar, a line under the row.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CellDelegate(const Appearance& appearance, DataTable& table);

    using Look = std::function<CellLook(const QModelIndex&)>;
    using Marked = std::function<bool(const QModelIndex&)>;
    void setLook(Look look) { look_ = std::move(look); }
    /// Rows on the ground of a selection, beside the view's own selection.
    void setMarked(Marked marked) { marked_ = std::move(marked); }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    const Appearance& appearance() const { return appearance_; }

private:
    const Appearance& appearance_;
    DataTable& table_;
    Look look_;
    Marked marked_;
};

/// Text with every digit in a cell as wide as 0; `right`: it ends at rect.right().
void paintTabular(QPainter& painter, const QRectF& rect, const QString& text, bool right);
double tabularWidth(const QFontMetricsF& metrics, const QString& text);

}  // namespace dimscope::app
