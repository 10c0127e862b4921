// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/dot_table.h"

namespace dimscope::analysis {
struct InterventionResult;
}

namespace dimscope::app {

class MethodTableModel;

/// The retained error of every method, as dots and numbers (in a narrow window what the dots do not say alone); the
/// chosen one is shown closer by figures beside it.
class MethodTable : public DotTable {
    Q_OBJECT

public:
    MethodTable(const Appearance& appearance, QWidget* parent = nullptr);

    /// `coming`: what is not there yet is still being computed.
    void setResult(const analysis::InterventionResult& result, bool coming);
    void clear(const QString& notice);
    void setChosen(const std::string& kernel);
    MethodTableModel& rows() { return *rows_; }

signals:
    void methodChosen(const QString& kernel);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void showRows();

    MethodTableModel* rows_;
    std::string chosen_;
};

}  // namespace dimscope::app
