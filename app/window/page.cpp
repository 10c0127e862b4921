// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/page.h"

#include <QApplication>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include "app/window/appearance.h"
#include "app/window/data_table.h"
#include "app/window/figure_panel.h"
#include "app/window/figure_view.h"
#include "app/window/findings_row.h"
#include "app/window/highlight.h"
#include "app/window/layer_profiles.h"
#include "app/window/page_header.h"
#include "app/window/qt_text.h"
#include "app/window/table_panel.h"

namespace dimscope::app {
namespace {

constexpr int kLeastTwoColumns = 640, kColumnSpacing = 28, kRowSpacing = 8;
constexpr int kFoldMargin = 8;  // under the fold, so that a page that fits does not scroll

}  // namespace

Page::Page(const PageContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      header_(new PageHeader(this)),
      findings_(new FindingsRow(context.appearance, this)),
      scroll_(new QScrollArea(this)),
      body_(new QWidget) {
    setObjectName("pageContent");
    setAttribute(Qt::WA_StyledBackground);
    body_->setObjectName("pageBody");
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setWidget(body_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(findings_);
    column->addWidget(scroll_, 1);
    connect(header_, &PageHeader::brushDropped, this, [this] { context_.highlight.brush({}); });
    connect(header_, &PageHeader::exportAsked, this, &Page::exportPage);
    connect(findings_, &FindingsRow::followed, this, [this](const analysis::Finding& finding) {
        if (!finding.dimensions.empty()) context_.highlight.brush(finding.dimensions);
    });
    connect(&context_.highlight, &Highlight::changed, this, &Page::showHighlight);
    connect(&context_.model, &WorkspaceModel::choiceChanged, this, &Page::invalidate);
    connect(&context_.model, &WorkspaceModel::parametersChanged, this, &Page::invalidate);
    connect(&context_.model, &WorkspaceModel::opened, this, &Page::invalidate);
}

void Page::invalidate() {
    stale_ = true;
    if (!isVisible() || asked_) return;
    asked_ = true;  // several changes in one go are drawn once
    QTimer::singleShot(0, this, &Page::refreshIfSeen);
}

void Page::refreshIfSeen() {
    asked_ = false;
    if (!isVisible() || !stale_) return;
    stale_ = false;
    refresh();
    showHighlight();
}

void Page::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    seenChanged(true);
    refreshIfSeen();
    fitFold();
}

void Page::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    seenChanged(false);
}

void Page::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitFold();
}

void Page::setFold(QWidget* fold, int least, QBoxLayout* columns) {
    fold_ = fold;
    leastFold_ = least;
    columns_ = columns;
}

void Page::setLeastFold(int least) {
    leastFold_ = least;
    fitFold();
}

void Page::fitFold() {
    if (fold_ == nullptr) return;
    const bool narrow = width() < kLeastTwoColumns;
    columns_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    columns_->setSpacing(narrow ? kRowSpacing : kColumnSpacing);
    const int least = narrow ? leastFold_ + leastFold_ / 2 : leastFold_;
    fold_->setFixedHeight(std::max(least, height() - header_->height() - findings_->height() - kFoldMargin));
}

FigurePanel* Page::addFigure() {
    auto* panel = new FigurePanel(context_.appearance, body_);
    figures_.push_back(panel);
    return panel;
}

TablePanel* Page::addTable(int rowHeight) {
    auto* panel = new TablePanel(context_.appearance, rowHeight, body_);
    tables_.push_back(panel);
    return panel;
}

void Page::linkDimensions(FigurePanel& panel, std::function<std::vector<int>(double, double)> dimensionsIn) {
    dimensionFigures_.push_back(&panel);
    FigureView& view = panel.view();
    Highlight& highlight = context_.highlight;
    view.setBrushable(true);
    connect(&view, &FigureView::hovered, &highlight, &Highlight::hover);
    connect(&view, &FigureView::clicked, &highlight, &Highlight::lock);
    connect(&view, &FigureView::brushCleared, &highlight, [&highlight] { highlight.release(); });
    connect(&view, &FigureView::brushed, &highlight,
            [&highlight, dimensionsIn = std::move(dimensionsIn)](double from, double to) {
                highlight.brush(dimensionsIn(from, to));
            });
}

void Page::linkDimensions(TablePanel& panel, std::function<int(int)> dimensionAt) {
    Highlight& highlight = context_.highlight;
    DataTable& view = panel.view();
    const auto dimensionOf = [&panel, &view, dimensionAt = std::move(dimensionAt)](int row) {
        return row < 0 ? -1 : dimensionAt(panel.sourceRow(view.model()->index(row, 0)));
    };
    connect(&view, &DataTable::rowHovered, &highlight,
            [&highlight, dimensionOf](int row) { highlight.hover(dimensionOf(row)); });
    connect(&view, &QTableView::clicked, &highlight,
            [&highlight, dimensionOf](const QModelIndex& index) { highlight.lock(dimensionOf(index.row())); });
    connect(&highlight, &Highlight::changed, &view, [&view] { view.viewport()->update(); });
}

void Page::showHighlight() {
    header_->setBrushed(context_.highlight.brushed());
    const analysis::LayerInfo* layer = context_.model.workspace().layer();
    const int hovered = context_.highlight.hovered();
    const int partner = layer != nullptr && hovered >= 0 ? analysis::ropePartner(hovered, *layer) : -1;
    for (FigurePanel* panel : dimensionFigures_)
        panel->view().setHighlight(context_.highlight.brushed(), hovered, partner);
}

void Page::setDimensionHeader(const QString& extent) {
    const auto& choice = context_.model.choice();
    const analysis::LayerInfo* layer = context_.model.workspace().layer();
    if (!choice || layer == nullptr) return header_->setText(tr("No head chosen"), {});
    QString details;
    if (layer->nKvHeads != layer->nHeads)
        details = tr("KV head %1 · ").arg(kernels::kvHeadOf(choice->head, layer->nHeads, layer->nKvHeads).value);
    details += tr("N %1").arg(context_.model.workspace().lengthIn(*layer));
    if (!extent.isEmpty()) details += " · " + extent;
    header_->setText(tr("Layer %1 · head %2").arg(choice->layer.value).arg(choice->head.value), details);
}

QString Page::profileNotice() const {
    if (!context_.model.choice()) return tr("Choose a head in the overview.");
    const QString failure = context_.profiles.failure();
    if (!failure.isEmpty()) return tr("This layer has no profile. %1").arg(failure);
    return context_.profiles.chosenHead() == nullptr ? tr("Computing the profile…") : QString();
}

PageContent Page::content() const {
    PageContent content;
    for (const FigurePanel* panel : figures_)
        if (panel->figure()) content.figures.push_back(panel->figure());
    for (const TablePanel* panel : tables_)
        if (panel->table() && panel->table()->rows() > 0) content.tables.push_back(panel->table());
    return content;
}

void Page::exportPage() { askAndWritePage(content(), window()); }

FigurePanel* Page::focusedFigure() const {
    for (FigurePanel* panel : figures_)
        if (panel->isAncestorOf(QApplication::focusWidget())) return panel;
    for (FigurePanel* panel : figures_)
        if (panel->underMouse()) return panel;
    return figures_.empty() ? nullptr : figures_.front();
}

TablePanel* Page::focusedTable() const {
    for (TablePanel* panel : tables_)
        if (panel->isAncestorOf(QApplication::focusWidget())) return panel;
    return nullptr;
}

void Page::exportFocused() {
    if (TablePanel* table = focusedTable()) return table->exportTable();
    if (FigurePanel* figure = focusedFigure()) figure->exportFigure();
}

void Page::copyFocused() {
    if (TablePanel* table = focusedTable()) return table->copy();
    if (FigurePanel* figure = focusedFigure()) figure->copy();
}

}  // namespace dimscope::app
