// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/findings_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "app/window/appearance.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kLeastFindingWidth = 170;  // a sentence on two lines

QString asRichText(const analysis::Finding& finding, const QColor& link) {
    QString text = qt(finding.text);  // <i> and <sub> are meant as such
    const bool leads = !finding.dimensions.empty() || !finding.kernels.empty();
    text.replace(
        "[", leads ? QString("<a href='follow' style='color:%1;text-decoration:none;font-weight:600'>").arg(link.name())
                   : QString("<b>"));
    text.replace("]", leads ? "</a>" : "</b>");
    return text;
}

}  // namespace

FindingsRow::FindingsRow(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), appearance_(appearance), row_(new QHBoxLayout(this)) {
    setObjectName("findings");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(50);
    row_->setContentsMargins(12, 8, 12, 8);
    row_->setSpacing(12);
    connect(&appearance_, &Appearance::changed, this, &FindingsRow::rebuild);
}

void FindingsRow::setFindings(std::vector<analysis::Finding> findings) {
    findings_ = std::move(findings);
    rebuild();
}

std::size_t FindingsRow::shown() const {
    const auto room = static_cast<std::size_t>(std::max(width() / kLeastFindingWidth, 1));
    return std::min(findings_.size(), room);
}

void FindingsRow::resizeEvent(QResizeEvent*) {
    if (shown() != built_) rebuild();
}

void FindingsRow::rebuild() {
    while (QLayoutItem* item = row_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    built_ = shown();
    for (std::size_t i = 0; i < built_; ++i) {
        if (i > 0) {
            auto* line = new QWidget(this);
            line->setObjectName("findingDivider");
            line->setAttribute(Qt::WA_StyledBackground);
            line->setFixedWidth(1);
            row_->addWidget(line);
        }
        auto* sentence = new QLabel(asRichText(findings_[i], appearance_.colours().accent), this);
        sentence->setWordWrap(true);
        sentence->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        sentence->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        sentence->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        sentence->setToolTip(sentence->text());
        connect(sentence, &QLabel::linkActivated, this, [this, i] { emit followed(findings_[i]); });
        row_->addWidget(sentence, 1);
    }
}

}  // namespace dimscope::app
