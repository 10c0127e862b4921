// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <vector>

#include "app/window/head_comparison.h"
#include "app/window/highlight.h"
#include "app/window/job_pump.h"
#include "app/window/layer_profiles.h"
#include "app/window/workspace_model.h"

class QMenu;
class QStackedWidget;
class QTabBar;

namespace dimscope::app {

class Appearance;
class Banner;
class DockPanel;
class OverviewPanel;
class MappingDialog;
class Page;
class StartPage;
class StatusRow;
class SubsetPanel;
class TopBar;

/// The window: wires the parts, and holds what they share.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Appearance& appearance);
    ~MainWindow() override;

    void open(const QString& path);
    void read(const ReadingRequest& request) { model_.read(request); }
    WorkspaceModel& model() { return model_; }
    LayerProfiles& profiles() { return profiles_; }
    HeadComparison& comparison() { return comparison_; }
    Highlight& highlight() { return highlight_; }
    OverviewPanel& overview() { return *overview_; }
    Banner& banner() { return *banner_; }
    JobPump& pump() { return pump_; }
    const std::vector<Page*>& pages() const { return pages_; }
    Page* currentPage() const;
    void showPage(int index);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp: parts and layout
    void buildCentre();
    void buildDocks();
    void buildForms();
    void buildStatus();
    void wire();
    void layOutDocks();
    void pageChanged();
    void dumpOpened();
    void updateTitle();

    // main_window_actions.cpp: menus and keys
    void buildActions();
    void buildFileMenu();
    void buildViewMenu();
    void buildAnalyseMenu();
    void buildHelpMenu();
    QAction* addAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, std::function<void()> run);
    void updateActions();
    void askForFile();
    void fillRecent();
    void changeLayer(int step);
    void changePage(int step);
    void release();
    void copy();
    void explainPage();

    // main_window_reading.cpp: how a file is read
    void wireReading();
    void askReading(const OpenQuestion& question);
    void showReading();

    // main_window_state.cpp: what is remembered
    void restore();
    void remember();
    void rememberRecent(const QString& path);
    QStringList recent() const;
    void resetLayout();

    Appearance& appearance_;
    // The pages drop their jobs before the queues end: members go after the children of ~MainWindow.
    JobPump pump_;
    WorkspaceModel model_;
    LayerProfiles profiles_;
    HeadComparison comparison_;
    Highlight highlight_;

    TopBar* topBar_ = nullptr;
    QTabBar* tabs_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    Banner* banner_ = nullptr;
    StartPage* start_ = nullptr;
    std::vector<Page*> pages_;
    OverviewPanel* overview_ = nullptr;
    SubsetPanel* subset_ = nullptr;
    QStackedWidget* forms_ = nullptr;
    std::vector<QWidget*> pageForms_;
    DockPanel* overviewDock_ = nullptr;
    DockPanel* dumpDock_ = nullptr;
    DockPanel* parametersDock_ = nullptr;
    DockPanel* subsetDock_ = nullptr;
    StatusRow* status_ = nullptr;
    QPointer<MappingDialog> mapping_;  // while a file is asked about
    QList<QMenu*> menus_;
    QMenu* recentMenu_ = nullptr;
    QAction* openAction_ = nullptr;
    QAction* reloadAction_ = nullptr;
    QAction* backAction_ = nullptr;
    QAction* forwardAction_ = nullptr;
    QList<QAction*> dumpActions_;  // only with an open dump
};

}  // namespace dimscope::app
