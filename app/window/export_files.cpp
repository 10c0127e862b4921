// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_files.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QStandardPaths>

#include "app/core/error_text.h"
#include "app/window/qt_text.h"
#include "io/figure/figure_writer.h"
#include "io/table_writer.h"

namespace dimscope::app {
namespace {

QString exportText(const char* text) { return QCoreApplication::translate("ExportFiles", text); }

void tell(const QString& failure, QWidget* parent) {
    if (!failure.isEmpty()) QMessageBox::warning(parent, exportText("Export"), failure);
}

}  // namespace

QString tryToWrite(const std::function<void()>& write) {
    try {
        write();
    } catch (...) {
        return exportText("The export was not written. %1").arg(qt(failureOf(std::current_exception()).text));
    }
    return {};
}

void writeFigureFiles(const analysis::Figure& figure, const std::filesystem::path& folder) {
    for (const char* extension : kFigureExtensions) io::writeFigure(figure, folder / (figure.name + extension));
}

void askAndWriteTable(const analysis::Table& table, QWidget* parent) {
    QString filter;
    QString path =
        QFileDialog::getSaveFileName(parent, exportText("Export table"), exportFolder() + "/" + qt(table.name) + ".csv",
                                     exportText("CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex);;JSON (*.json)"), &filter);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += filter.section("(*", 1).chopped(1);
    rememberExportFolder(path);
    tell(tryToWrite([&] { io::writeTable(table, pathOf(path)); }), parent);
}

void askAndWritePage(const PageContent& content, QWidget* parent) {
    const QString folder = QFileDialog::getExistingDirectory(
        parent, exportText("Export every figure and table of the page into"), exportFolder());
    if (folder.isEmpty()) return;
    rememberExportFolder(folder + "/x");
    tell(tryToWrite([&] {
             for (const auto& figure : content.figures) writeFigureFiles(*figure, pathOf(folder));
             for (const auto& table : content.tables) writeTableFiles(*table, pathOf(folder));
         }),
         parent);
}

QString exportFolder() {
    return QSettings()
        .value("export/folder", QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
        .toString();
}

void rememberExportFolder(const QString& path) {
    QSettings().setValue("export/folder", QFileInfo(path).absolutePath());
}

}  // namespace dimscope::app
