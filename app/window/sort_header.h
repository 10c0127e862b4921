// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace dimscope::app {

class Appearance;

/// A table's heading: the sorted column in bold with a small triangle, a line under all of it.
class SortHeader : public QHeaderView {
    Q_OBJECT

public:
    SortHeader(const Appearance& appearance, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    const Appearance& appearance() const { return appearance_; }

private:
    void paintTriangle(QPainter& painter, QPointF middle, bool ascending) const;

    const Appearance& appearance_;
};

}  // namespace dimscope::app
