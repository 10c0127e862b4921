// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "app/window/caption_row.h"
#include "app/window/export_dialog.h"
#include "app/window/figure_view.h"
#include "app/window/qt_text.h"

namespace dimscope::app {

FigurePanel::FigurePanel(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      caption_(new CaptionRow(appearance, tr("figure"), this)),
      view_(new FigureView(appearance, this)),
      notice_(new QLabel(this)),
      stack_(new QStackedLayout) {
    notice_->setObjectName("notice");
    notice_->setAlignment(Qt::AlignCenter);
    notice_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(caption_);
    column->addLayout(stack_, 1);
    stack_->addWidget(view_);
    stack_->addWidget(notice_);
    connect(caption_, &CaptionRow::copyAsked, this, &FigurePanel::copy);
    connect(caption_, &CaptionRow::exportAsked, this, &FigurePanel::exportFigure);
}

void FigurePanel::setFigure(analysis::Figure figure) {
    caption_->setText(qt(figure.title), qt(figure.caption));
    view_->setFigure(std::make_shared<const analysis::Figure>(std::move(figure)));
    stack_->setCurrentWidget(view_);
}

void FigurePanel::setNotice(const QString& title, const QString& words) {
    caption_->setText(title, {});
    view_->setFigure(nullptr);
    notice_->setText(words);
    stack_->setCurrentWidget(notice_);
}

void FigurePanel::addControl(QWidget* control) { caption_->addControl(control); }

const std::shared_ptr<const analysis::Figure>& FigurePanel::figure() const { return view_->figure(); }

void FigurePanel::copy() {
    // Twice the pixels of the screen, so that it can be enlarged a little where it is pasted.
    if (figure()) QApplication::clipboard()->setImage(view_->image(2.0 * devicePixelRatioF()));
}

void FigurePanel::exportFigure() {
    if (figure()) ExportDialog(appearance_, figure(), window()).exec();
}

}  // namespace dimscope::app
