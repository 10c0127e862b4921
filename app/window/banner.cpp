// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/window/appearance.h"

namespace dimscope::app {

Banner::Banner(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), appearance_(appearance), text_(new QLabel(this)), close_(new QToolButton(this)) {
    setObjectName("banner");
    setAttribute(Qt::WA_StyledBackground);
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    close_->setToolTip(tr("Close"));
    close_->setIconSize({12, 12});
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(text_, 1);
    row->addWidget(close_, 0, Qt::AlignTop);
    hide();
    const auto restyle = [this] { close_->setIcon(appearance_.icon("close")); };
    restyle();
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    connect(&appearance_, &Appearance::changed, this, restyle);
}

void Banner::showSentence(const QString& sentence) {
    text_->setText(sentence);
    show();
}

QString Banner::sentence() const { return isHidden() ? QString() : text_->text(); }

}  // namespace dimscope::app
