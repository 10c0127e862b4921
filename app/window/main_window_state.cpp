// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QSettings>

#include "app/window/appearance.h"
#include "app/window/main_window.h"
#include "app/window/overview_panel.h"
#include "app/window/start_page.h"

namespace dimscope::app {
namespace {

constexpr int kMostRecent = 8;
constexpr int kLayoutVersion = 1;  // another one when docks are added or renamed

}  // namespace

void MainWindow::restore() {
    const QSettings settings;
    restoreGeometry(settings.value("window/geometry").toByteArray());
    restoreState(settings.value("window/docks").toByteArray(), kLayoutVersion);
    overview_->setQuantity(settings.value("overview/quantity", "top5_chi").toString().toStdString());
    overview_->setZoomed(settings.value("overview/zoomed", false).toBool());
    start_->setRecent(recent());
}

void MainWindow::remember() {
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/docks", saveState(kLayoutVersion));
    settings.setValue("window/theme", static_cast<int>(appearance_.choice()));
    settings.setValue("overview/quantity", QString::fromStdString(overview_->quantity()));
    settings.setValue("overview/zoomed", overview_->zoomed());
}

QStringList MainWindow::recent() const {
    QStringList paths = QSettings().value("recent").toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return paths;
}

void MainWindow::rememberRecent(const QString& path) {
    QStringList paths = recent();
    paths.removeAll(path);
    paths.prepend(path);
    QSettings().setValue("recent", QStringList(paths.mid(0, kMostRecent)));
    start_->setRecent(paths);
}

void MainWindow::resetLayout() { layOutDocks(); }

}  // namespace dimscope::app
