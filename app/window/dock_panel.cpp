// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dock_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>

#include "app/window/appearance.h"

namespace dimscope::app {
namespace {

constexpr int kTitleHeight = 28;

/// QDockWidget asks a title for its size and makes it nothing where it has none.
class DockTitle : public QWidget {
public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return {100, kTitleHeight}; }
    QSize minimumSizeHint() const override { return sizeHint(); }
};

}  // namespace

DockPanel::DockPanel(const Appearance& appearance, const QString& name, const QString& title, QWidget* panel,
                     QWidget* parent)
    : QDockWidget(title, parent),
      appearance_(appearance),
      label_(new QLabel),
      float_(new QToolButton),
      close_(new QToolButton) {
    setObjectName(name);
    setTitleBarWidget(makeTitle());
    setTitle(title);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    panel->setObjectName("dockBody");
    scroll->setWidget(panel);
    setWidget(scroll);
    restyle();
    connect(&appearance_, &Appearance::changed, this, &DockPanel::restyle);
}

QWidget* DockPanel::makeTitle() {
    auto* title = new DockTitle(this);
    title->setObjectName("dockTitle");
    title->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(title);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(0);
    row->addWidget(label_, 1);
    for (QToolButton* button : {float_, close_}) {
        button->setFixedSize(20, 20);
        button->setIconSize({12, 12});
        button->setFocusPolicy(Qt::NoFocus);
        row->addWidget(button);
    }
    float_->setToolTip(tr("Float or dock"));
    close_->setToolTip(tr("Hide; View > Reset layout brings it back"));
    connect(float_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close_, &QToolButton::clicked, this, &QWidget::close);
    return title;
}

void DockPanel::setTitle(const QString& title) {
    setWindowTitle(title);
    label_->setText(title.toUpper());
}

void DockPanel::restyle() {
    float_->setIcon(appearance_.icon("float"));
    close_->setIcon(appearance_.icon("close"));
}

}  // namespace dimscope::app
