// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/page_header.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace dimscope::app {
namespace {

constexpr std::size_t kMostNamed = 8;

}  // namespace

PageHeader::PageHeader(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      details_(new QLabel(this)),
      chip_(new QPushButton(this)),
      export_(new QPushButton(tr("Export page…"), this)) {
    setObjectName("pageHeader");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(45);
    title_->setObjectName("pageTitle");
    title_->setMinimumWidth(1);  // a narrow window stays narrow
    details_->setObjectName("secondary");
    details_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    chip_->setObjectName("brushChip");
    chip_->setToolTip(tr("Release the brush (Esc)"));
    chip_->setFocusPolicy(Qt::NoFocus);
    chip_->hide();
    export_->setToolTip(tr("Write every figure and table of the page (Ctrl+Shift+E)"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(12);
    row->addWidget(title_);
    row->addWidget(details_, 1);
    row->addWidget(chip_);
    row->addWidget(export_);
    connect(chip_, &QPushButton::clicked, this, &PageHeader::brushDropped);
    connect(export_, &QPushButton::clicked, this, &PageHeader::exportAsked);
}

void PageHeader::setText(const QString& title, const QString& details) {
    title_->setText(title);
    details_->setText(details);
}

void PageHeader::addButton(QPushButton* button) {
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->insertWidget(row->indexOf(export_), button);
}

void PageHeader::setBrushed(const std::vector<int>& dimensions) {
    chip_->setVisible(!dimensions.empty());
    if (dimensions.size() > kMostNamed) {
        chip_->setText(tr("%1 dims brushed  ×").arg(dimensions.size()));
        return;
    }
    QStringList names;
    for (const int dimension : dimensions) names.append(QString::number(dimension));
    chip_->setText(tr("dims %1 brushed  ×").arg(names.join(' ')));
}

}  // namespace dimscope::app
