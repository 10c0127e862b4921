// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/dot_column.h"

namespace dimscope::app {

class MethodTableModel;

/// R_S of methods: filled pretrained, open under the Gaussian control, whiskers of a standard error, and the middle
/// 95 % of random subsets as a grey bar with its median.
class MethodDots : public DotDelegate {
    Q_OBJECT

public:
    MethodDots(const Appearance& appearance, DataTable& table, const MethodTableModel& rows, SharedScale scale);

protected:
    std::string kernelOf(int row) const override;
    void paintDots(QPainter& painter, const QRectF& cell, int row) const override;

private:
    void paintSpan(QPainter& painter, const QRectF& cell, double from, double to, const QPen& pen, bool ends) const;
    void paintSubsets(QPainter& painter, const QRectF& cell, int row) const;

    const MethodTableModel& rows_;
};

}  // namespace dimscope::app
