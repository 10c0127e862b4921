// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <memory>

#include "analysis/figure.h"
#include "io/figure/figure_writer.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace dimscope::app {

class Appearance;

/// Asks for format and physical size of a figure, shows how it will look on paper, and writes it.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(const Appearance& appearance, std::shared_ptr<const analysis::Figure> figure,
                 QWidget* parent = nullptr);

    io::FigureSize size() const;
    QString extension() const;  ///< ".svg", ...

private:
    void build();
    void changed();
    void write();

    const Appearance& appearance_;
    std::shared_ptr<const analysis::Figure> figure_;
    QComboBox* format_;
    QDoubleSpinBox* width_;
    QDoubleSpinBox* height_;
    QSpinBox* dpi_;
    QLabel* preview_;
    QLabel* note_;
};

}  // namespace dimscope::app
