// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

#include "analysis/provenance.h"
#include "app/window/appearance.h"
#include "app/window/export_files.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr double kPointsPerMm = 72.0 / 25.4, kMmPerInch = 25.4;
constexpr int kPreviewWidth = 560, kPreviewHeight = 360;

QDoubleSpinBox* lengthField(double value, QWidget* parent) {
    auto* field = new QDoubleSpinBox(parent);
    field->setRange(10.0, 1000.0);
    field->setDecimals(0);
    field->setSuffix(" mm");
    field->setValue(value);
    return field;
}

}  // namespace

ExportDialog::ExportDialog(const Appearance& appearance, std::shared_ptr<const analysis::Figure> figure,
                           QWidget* parent)
    : QDialog(parent),
      appearance_(appearance),
      figure_(std::move(figure)),
      format_(new QComboBox(this)),
      width_(lengthField(figure_->widthMm, this)),
      height_(lengthField(figure_->heightMm, this)),
      dpi_(new QSpinBox(this)),
      preview_(new QLabel(this)),
      note_(new QLabel(this)) {
    setWindowTitle(tr("Export %1").arg(qt(figure_->name)));
    build();
    const int known = format_->findText(QSettings().value("export/format", "SVG").toString());
    format_->setCurrentIndex(std::max(0, known));
    dpi_->setValue(QSettings().value("export/dpi", 300).toInt());
    changed();
    connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::changed);
    connect(width_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::changed);
    connect(height_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::changed);
    connect(dpi_, &QSpinBox::valueChanged, this, &ExportDialog::changed);
}

void ExportDialog::build() {
    format_->addItems({"SVG", "PDF", "PNG"});
    dpi_->setRange(72, 1200);
    dpi_->setSuffix(" dpi");
    preview_->setFixedSize(kPreviewWidth, kPreviewHeight);
    preview_->setAlignment(Qt::AlignCenter);
    note_->setObjectName("secondary");
    note_->setWordWrap(true);
    auto* form = new QFormLayout;
    form->addRow(tr("Format"), format_);
    form->addRow(tr("Width"), width_);
    form->addRow(tr("Height"), height_);
    form->addRow(tr("Resolution"), dpi_);
    for (QWidget* field : {static_cast<QWidget*>(format_), static_cast<QWidget*>(width_),
                           static_cast<QWidget*>(height_), static_cast<QWidget*>(dpi_)})
        field->setFixedHeight(26);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Save)->setText(tr("Save as…"));
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::write);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* side = new QVBoxLayout;
    side->addLayout(form);
    side->addStretch(1);
    auto* top = new QHBoxLayout;
    top->addWidget(preview_);
    top->addLayout(side);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    column->addWidget(note_);
    column->addWidget(buttons);
}

io::FigureSize ExportDialog::size() const { return {width_->value(), height_->value(), dpi_->value()}; }

QString ExportDialog::extension() const { return "." + format_->currentText().toLower(); }

void ExportDialog::changed() {
    const bool png = format_->currentText() == "PNG";
    dpi_->setEnabled(png);
    const QSizeF paper(width_->value() * kPointsPerMm, height_->value() * kPointsPerMm);
    const QSizeF shown = paper.scaled(kPreviewWidth, kPreviewHeight, Qt::KeepAspectRatio);
    const double scale = shown.width() / paper.width() * devicePixelRatioF();
    QImage image = io::renderFigure(*figure_, io::printTheme(), paper.toSize(), scale);
    image.setDevicePixelRatio(devicePixelRatioF());
    preview_->setPixmap(QPixmap::fromImage(image));
    QString note = tr("8 pt text, 0.75 pt lines, white ground. ") + qt(analysis::provenanceLine(figure_->provenance));
    if (png)
        note = tr("%1 × %2 pixels. ")
                   .arg(qRound(width_->value() / kMmPerInch * dpi_->value()))
                   .arg(qRound(height_->value() / kMmPerInch * dpi_->value())) +
               note;
    note_->setText(note);
}

void ExportDialog::write() {
    QString path =
        QFileDialog::getSaveFileName(this, windowTitle(), exportFolder() + "/" + qt(figure_->name) + extension(),
                                     format_->currentText() + " (*" + extension() + ")");
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += extension();
    rememberExportFolder(path);
    QSettings().setValue("export/format", format_->currentText());
    QSettings().setValue("export/dpi", dpi_->value());
    const QString failure = tryToWrite([&] { io::writeFigure(*figure_, pathOf(path), size()); });
    if (failure.isEmpty())
        accept();
    else
        QMessageBox::warning(this, windowTitle(), failure);
}

}  // namespace dimscope::app
