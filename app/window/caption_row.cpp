// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/caption_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/window/appearance.h"

namespace dimscope::app {
namespace {

QToolButton* smallButton(const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFixedSize(22, 20);
    button->setIconSize({14, 14});
    return button;
}

}  // namespace

CaptionRow::CaptionRow(const Appearance& appearance, const QString& what, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      title_(new QLabel(this)),
      caption_(new QLabel(this)),
      copy_(smallButton(tr("Copy %1").arg(what), this)),
      export_(smallButton(tr("Export %1…").arg(what), this)) {
    title_->setObjectName("captionTitle");
    caption_->setObjectName("captionText");
    caption_->installEventFilter(this);
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(title_);
    row->addSpacing(8);
    row->addWidget(caption_, 1);
    row->addWidget(copy_);
    row->addWidget(export_);
    setFixedHeight(22);
    restyle();
    connect(copy_, &QToolButton::clicked, this, &CaptionRow::copyAsked);
    connect(export_, &QToolButton::clicked, this, &CaptionRow::exportAsked);
    connect(&appearance_, &Appearance::changed, this, &CaptionRow::restyle);
}

void CaptionRow::addControl(QWidget* control) {
    control->setFixedHeight(height() - 2);
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->insertWidget(row->indexOf(copy_), control);
}

void CaptionRow::restyle() {
    copy_->setIcon(appearance_.icon("copy"));
    export_->setIcon(appearance_.icon("export"));
}

void CaptionRow::setText(const QString& title, const QString& caption) {
    title_->setText(title);
    text_ = caption;
    elide();
}

bool CaptionRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == caption_ && event->type() == QEvent::Resize) elide();
    return QWidget::eventFilter(watched, event);
}

void CaptionRow::elide() {
    const QString shown = caption_->fontMetrics().elidedText(text_, Qt::ElideRight, caption_->width());
    caption_->setText(shown);
    caption_->setToolTip(shown == text_ ? QString() : text_);
}

}  // namespace dimscope::app
