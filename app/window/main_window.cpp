// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QVBoxLayout>

#include "analysis/experiments/experiment_catalog.h"
#include "app/window/appearance.h"
#include "app/window/banner.h"
#include "app/window/command_field.h"
#include "app/window/dock_panel.h"
#include "app/window/dump_panel.h"
#include "app/window/experiment_form.h"
#include "app/window/experiment_page.h"
#include "app/window/grouping_page.h"
#include "app/window/head_matrix.h"
#include "app/window/intervention_page.h"
#include "app/window/kernels_form.h"
#include "app/window/kernels_page.h"
#include "app/window/mapping_dialog.h"
#include "app/window/overview_panel.h"
#include "app/window/profile_form.h"
#include "app/window/profile_page.h"
#include "app/window/qt_text.h"
#include "app/window/start_page.h"
#include "app/window/status_row.h"
#include "app/window/subset_panel.h"
#include "app/window/top_bar.h"

namespace dimscope::app {
namespace {

constexpr int kLeftDock = 248, kRightDock = 256;
constexpr QSize kDesignSize(1440, 900), kLeastSize(960, 640);

/// A page of its own where an experiment has one.
Page* experimentPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent) {
    if (experiment.name == "intervene") return new InterventionPage(context, experiment, parent);
    return new ExperimentPage(context, experiment, parent);
}

}  // namespace

MainWindow::MainWindow(Appearance& appearance)
    : appearance_(appearance), model_(pump_), profiles_(model_), comparison_(model_) {
    setAcceptDrops(true);
    setMinimumSize(kLeastSize);
    resize(kDesignSize);
    buildActions();
    buildCentre();
    buildDocks();
    buildStatus();
    wire();
    layOutDocks();
    restore();
    updateTitle();
    updateActions();
    pageChanged();
}

MainWindow::~MainWindow() {
    hide();  // pages are told while everything they stand on is still there
    delete takeCentralWidget();
}

void MainWindow::buildCentre() {
    auto* menuBar = new QMenuBar;
    for (QMenu* menu : menus_) menuBar->addMenu(menu);
    topBar_ = new TopBar(appearance_, model_, menuBar, {openAction_, reloadAction_, backAction_, forwardAction_}, this);
    setMenuWidget(topBar_);
    topBar_->commandField().setActions(actions());

    const PageContext context{appearance_, model_, profiles_, comparison_, highlight_};
    auto* centre = new QWidget(this);
    centre->setObjectName("pageArea");
    centre->setAttribute(Qt::WA_StyledBackground);
    tabs_ = new QTabBar(centre);
    tabs_->setObjectName("pageTabs");
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setFixedHeight(37);
    stack_ = new QStackedWidget(centre);
    banner_ = new Banner(appearance_, centre);
    start_ = new StartPage(appearance_, stack_);
    stack_->addWidget(start_);
    pages_ = {new ProfilePage(context, stack_), new GroupingPage(context, stack_), new KernelsPage(context, stack_)};
    for (const analysis::Experiment& experiment : analysis::experimentCatalog())
        pages_.push_back(experimentPage(context, experiment, stack_));
    for (Page* page : pages_) {
        tabs_->addTab(page->title());
        stack_->addWidget(page);
    }
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tabs_);
    column->addWidget(banner_);
    column->addWidget(stack_, 1);
    setCentralWidget(centre);
}

void MainWindow::buildDocks() {
    overview_ = new OverviewPanel(appearance_, model_, profiles_, this);
    subset_ = new SubsetPanel(appearance_, model_, profiles_, this);
    auto* dump = new DumpPanel(appearance_, model_, profiles_, comparison_, this);
    buildForms();
    overviewDock_ = new DockPanel(appearance_, "overview", tr("Overview"), overview_, this);
    dumpDock_ = new DockPanel(appearance_, "dump", tr("Dump"), dump, this);
    parametersDock_ = new DockPanel(appearance_, "parameters", tr("Parameters"), forms_, this);
    subsetDock_ = new DockPanel(appearance_, "subset", tr("Subset S"), subset_, this);
}

/// One form per page, in the order of the pages; profile and grouping share theirs.
void MainWindow::buildForms() {
    forms_ = new QStackedWidget(this);
    auto* profileForm = new ProfileForm(model_);
    pageForms_ = {profileForm, profileForm, new KernelsForm(model_)};
    for (const analysis::Experiment& experiment : analysis::experimentCatalog())
        pageForms_.push_back(new ExperimentForm(model_, experiment));
    for (QWidget* form : pageForms_)
        if (forms_->indexOf(form) < 0) forms_->addWidget(form);
}

void MainWindow::layOutDocks() {
    setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    addDockWidget(Qt::LeftDockWidgetArea, overviewDock_);
    addDockWidget(Qt::LeftDockWidgetArea, dumpDock_);
    addDockWidget(Qt::RightDockWidgetArea, parametersDock_);
    addDockWidget(Qt::RightDockWidgetArea, subsetDock_);
    for (DockPanel* dock : {overviewDock_, dumpDock_, parametersDock_, subsetDock_}) {
        dock->setFloating(false);
        dock->show();
    }
    resizeDocks({overviewDock_, parametersDock_}, {kLeftDock, kRightDock}, Qt::Horizontal);
    resizeDocks({overviewDock_, dumpDock_}, {610, 218}, Qt::Vertical);
    resizeDocks({parametersDock_, subsetDock_}, {480, 348}, Qt::Vertical);
}

void MainWindow::buildStatus() {
    status_ = new StatusRow(model_, profiles_, this);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addWidget(status_, 1);
}

void MainWindow::wire() {
    connect(tabs_, &QTabBar::currentChanged, this, &MainWindow::pageChanged);
    connect(&model_, &WorkspaceModel::opened, this, &MainWindow::dumpOpened);
    connect(&model_, &WorkspaceModel::openFailed, this,
            [this](const QString&, const QString& sentence) { banner_->showSentence(sentence); });
    wireReading();
    connect(&model_, &WorkspaceModel::choiceChanged, this, [this] {
        highlight_.clear();  // dimensions of one head mean nothing in another
        updateActions();
    });
    connect(overview_, &OverviewPanel::activated, this, [this] {
        showPage(std::max(0, tabs_->currentIndex()));
        currentPage()->setFocus();
    });
    connect(subset_, &SubsetPanel::titleChanged, subsetDock_, &DockPanel::setTitle);
    connect(start_, &StartPage::openAsked, this, &MainWindow::askForFile);
    connect(start_, &StartPage::pathChosen, this, &MainWindow::open);
}

void MainWindow::open(const QString& path) { model_.open(path); }

void MainWindow::dumpOpened() {
    banner_->hide();
    highlight_.clear();
    rememberRecent(qt(model_.workspace().path()));
    updateTitle();
    updateActions();
    pageChanged();
    overview_->matrix().setFocus();
}

void MainWindow::updateTitle() {
    const QString file = model_.isOpen() ? QFileInfo(qt(model_.workspace().path())).fileName() : QString();
    setWindowTitle(file.isEmpty() ? QString("Dimscope") : file + " – Dimscope");
}

Page* MainWindow::currentPage() const { return pages_[static_cast<std::size_t>(std::max(0, tabs_->currentIndex()))]; }

void MainWindow::showPage(int index) { tabs_->setCurrentIndex(index); }

void MainWindow::pageChanged() {
    stack_->setCurrentWidget(model_.isOpen() ? static_cast<QWidget*>(currentPage()) : start_);
    forms_->setCurrentWidget(pageForms_[static_cast<std::size_t>(std::max(0, tabs_->currentIndex()))]);
    parametersDock_->setTitle(tr("Parameters"));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    remember();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    open(urls.front().toLocalFile());
}

}  // namespace dimscope::app
