// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/dot_column.h"

namespace dimscope::app {

class KernelTableModel;

/// Errors of kernels: single draws as small marks, their mean as a large one.
class KernelDots : public DotDelegate {
    Q_OBJECT

public:
    KernelDots(const Appearance& appearance, DataTable& table, const KernelTableModel& rows, SharedScale scale);

protected:
    std::string kernelOf(int row) const override;
    void paintDots(QPainter& painter, const QRectF& cell, int row) const override;

private:
    const KernelTableModel& rows_;
};

}  // namespace dimscope::app
