// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_page.h"

#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>

#include "app/window/appearance.h"
#include "app/window/samples.h"

namespace dimscope::app {

StartPage::StartPage(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), appearance_(appearance), text_(new QLabel(this)) {
    setObjectName("pageContent");
    setAttribute(Qt::WA_StyledBackground);
    text_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    auto* column = new QVBoxLayout(this);
    column->addStretch(2);
    column->addWidget(text_, 0, Qt::AlignHCenter);
    column->addStretch(3);
    refresh();
    connect(&appearance_, &Appearance::changed, this, &StartPage::refresh);
    connect(text_, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link == "open")
            emit openAsked();
        else
            emit pathChosen(link);
    });
}

void StartPage::setRecent(const QStringList& paths) {
    recent_ = paths;
    refresh();
}

void StartPage::refresh() {
    const Colours& colours = appearance_.colours();
    const auto link = [&colours](const QString& target, const QString& text) {
        return QString("<a href='%1' style='color:%2;text-decoration:none'>%3</a><br>")
            .arg(target.toHtmlEscaped(), colours.accent.name(), text.toHtmlEscaped());
    };
    const auto heading = [&colours](const QString& text) {
        return QString("<br><span style='color:%1'>%2</span><br>").arg(colours.secondary.name(), text);
    };
    QString text = "<p style='line-height:150%'><span style='font-size:16px;font-weight:600'>" + tr("No dump is open") +
                   "</span><br>" + tr("Drop an HDF5 file with q, k and v here, or ") + link("open", tr("open one…"));
    text += heading(tr("Samples"));
    for (const auto& [title, path] : bundledSamples()) text += link(path, title);
    if (!recent_.isEmpty()) text += heading(tr("Recent"));
    for (const QString& path : recent_) text += link(path, QFileInfo(path).fileName());
    text_->setText(text + "</p>");
}

}  // namespace dimscope::app
