// SPDX-License-Identifier: GPL-3.0-or-later
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QTabBar>
#include <algorithm>

#include "analysis/provenance.h"
#include "app/window/appearance.h"
#include "app/window/command_field.h"
#include "app/window/data_table.h"
#include "app/window/dock_panel.h"
#include "app/window/main_window.h"
#include "app/window/page.h"
#include "app/window/qt_text.h"
#include "app/window/samples.h"
#include "app/window/start_page.h"
#include "app/window/status_row.h"
#include "app/window/top_bar.h"

namespace dimscope::app {

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                               std::function<void()> run) {
    auto* action = new QAction(text, this);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    QMainWindow::addAction(action);  // the keys work, and the search finds it, without the menu
    menu->addAction(action);
    return action;
}

void MainWindow::buildActions() {
    buildFileMenu();
    buildViewMenu();
    buildAnalyseMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu() {
    auto* menu = new QMenu(tr("&File"), this);
    menus_.append(menu);
    openAction_ = addAction(menu, tr("&Open…"), {QKeySequence("Ctrl+O")}, [this] { askForFile(); });
    openAction_->setIconText(tr("Open"));
    recentMenu_ = menu->addMenu(tr("Open &recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    QMenu* samples = menu->addMenu(tr("&Samples"));
    for (const auto& [title, path] : bundledSamples())
        addAction(samples, title, {}, [this, sample = path] { open(sample); });
    samples->setEnabled(!samples->isEmpty());
    reloadAction_ = addAction(menu, tr("Re&load"), {QKeySequence("F5")}, [this] { model_.reload(); });
    reloadAction_->setIconText(tr("Reload"));
    dumpActions_.append(addAction(menu, tr("Rea&ding…"), {QKeySequence("Ctrl+Shift+R")}, [this] { showReading(); }));
    menu->addSeparator();
    dumpActions_.append(addAction(menu, tr("&Copy figure or table"), {QKeySequence::Copy}, [this] { copy(); }));
    dumpActions_.append(
        addAction(menu, tr("&Export figure…"), {QKeySequence("Ctrl+E")}, [this] { currentPage()->exportFocused(); }));
    dumpActions_.append(
        addAction(menu, tr("Export &page…"), {QKeySequence("Ctrl+Shift+E")}, [this] { currentPage()->exportPage(); }));
    menu->addSeparator();
    addAction(menu, tr("&Quit"), {QKeySequence("Ctrl+Q")}, [this] { close(); });
}

void MainWindow::buildViewMenu() {
    auto* menu = new QMenu(tr("&View"), this);
    menus_.append(menu);
    QMenu* themes = menu->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    for (const auto& [text, choice] :
         {std::pair{tr("&System theme"), ThemeChoice::System}, std::pair{tr("&Light theme"), ThemeChoice::Light},
          std::pair{tr("&Dark theme"), ThemeChoice::Dark}}) {
        QAction* action = addAction(themes, text, {}, [this, wanted = choice] { appearance_.choose(wanted); });
        action->setCheckable(true);
        group->addAction(action);
        const auto show = [this, action, wanted = choice] { action->setChecked(appearance_.choice() == wanted); };
        show();
        connect(&appearance_, &Appearance::changed, action, show);
    }
    menu->addSeparator();
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        for (DockPanel* dock : {overviewDock_, dumpDock_, parametersDock_, subsetDock_})
            if (!menu->actions().contains(dock->toggleViewAction())) menu->addAction(dock->toggleViewAction());
    });
    addAction(menu, tr("&Next page"), {QKeySequence("]")}, [this] { changePage(1); });
    addAction(menu, tr("&Previous page"), {QKeySequence("[")}, [this] { changePage(-1); });
    addAction(menu, tr("&Reset layout"), {}, [this] { resetLayout(); });
    menu->addSeparator();
}

void MainWindow::buildAnalyseMenu() {
    auto* menu = new QMenu(tr("&Analyse"), this);
    menus_.append(menu);
    addAction(menu, tr("&Find head or action"), {QKeySequence("Ctrl+K")},
              [this] { topBar_->commandField().setFocus(); });
    menu->addSeparator();
    backAction_ = addAction(menu, tr("&Back"), {QKeySequence("Alt+Left")}, [this] { model_.goBack(); });
    forwardAction_ = addAction(menu, tr("F&orward"), {QKeySequence("Alt+Right")}, [this] { model_.goForward(); });
    dumpActions_.append(addAction(menu, tr("Layer &up"), {QKeySequence("PgUp")}, [this] { changeLayer(-1); }));
    dumpActions_.append(addAction(menu, tr("Layer &down"), {QKeySequence("PgDown")}, [this] { changeLayer(1); }));
    menu->addSeparator();
    addAction(menu, tr("&Release hover, brush, selection"), {QKeySequence("Esc")}, [this] { release(); });
    addAction(menu, tr("&Cancel the newest job"), {QKeySequence("Ctrl+.")}, [this] { status_->cancelNewest(); });
}

void MainWindow::buildHelpMenu() {
    auto* menu = new QMenu(tr("&Help"), this);
    menus_.append(menu);
    addAction(menu, tr("&About this page"), {QKeySequence("F1")}, [this] { explainPage(); });
    addAction(menu, tr("About &Dimscope"), {}, [this] {
        QMessageBox::about(
            this, tr("About Dimscope"),
            tr("<b>Dimscope %1</b><br>Which dimensions carry an attention head, and what linear-attention "
               "kernels lose there.<br><br>GPL-3.0-or-later.")
                .arg(qt(analysis::programVersion())));
    });
}

void MainWindow::updateActions() {
    reloadAction_->setEnabled(model_.isOpen());
    backAction_->setEnabled(model_.canGoBack());
    forwardAction_->setEnabled(model_.canGoForward());
    for (QAction* action : dumpActions_) action->setEnabled(model_.isOpen());
}

void MainWindow::askForFile() {
    const QString folder = model_.isOpen() ? QFileInfo(qt(model_.workspace().path())).absolutePath()
                                           : QSettings().value("openFolder").toString();
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a dump"), folder,
                                                      tr("Attention dumps (*.h5 *.hdf5 *.hdf);;All files (*)"));
    if (path.isEmpty()) return;
    QSettings().setValue("openFolder", QFileInfo(path).absolutePath());
    open(path);
}

void MainWindow::fillRecent() {
    recentMenu_->clear();
    const QStringList paths = recent();
    for (const QString& path : paths) {
        QAction* action = recentMenu_->addAction(QFileInfo(path).fileName(), this, [this, path] { open(path); });
        action->setToolTip(path);
    }
    recentMenu_->setToolTipsVisible(true);
    if (paths.isEmpty()) recentMenu_->addAction(tr("none yet"))->setEnabled(false);
}

void MainWindow::changeLayer(int step) {
    if (!model_.choice()) return;
    const auto& layers = model_.workspace().info().layers;
    const auto at = std::find_if(layers.begin(), layers.end(),
                                 [this](const auto& layer) { return layer.layer == model_.choice()->layer; });
    const auto next = std::clamp<std::ptrdiff_t>(at - layers.begin() + step, 0, std::ssize(layers) - 1);
    const analysis::LayerInfo& layer = layers[static_cast<std::size_t>(next)];
    model_.choose({layer.layer, HeadIndex{std::min(model_.choice()->head.value, layer.nHeads - 1)}});
}

void MainWindow::changePage(int step) {
    tabs_->setCurrentIndex((tabs_->currentIndex() + step + tabs_->count()) % tabs_->count());
}

void MainWindow::release() {
    if (highlight_.release()) return;
    for (DataTable* table : findChildren<DataTable*>()) table->clearSelection();
}

void MainWindow::copy() {
    if (const auto* table = qobject_cast<DataTable*>(QApplication::focusWidget())) return table->copySelection();
    currentPage()->copyFocused();
}

void MainWindow::explainPage() { QMessageBox::information(this, currentPage()->title(), currentPage()->help()); }

}  // namespace dimscope::app
