// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/top_bar.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>

#include "app/window/appearance.h"
#include "app/window/command_field.h"
#include "app/window/qt_text.h"
#include "app/window/workspace_model.h"

namespace dimscope::app {
namespace {

QWidget* divider(QWidget* parent) {
    auto* line = new QWidget(parent);
    line->setObjectName("divider");
    line->setAttribute(Qt::WA_StyledBackground);
    line->setFixedSize(1, 24);
    return line;
}

}  // namespace

TopBar::TopBar(Appearance& appearance, WorkspaceModel& model, QMenuBar* menus, const Actions& actions, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      model_(model),
      actions_(actions),
      field_(new CommandField(appearance, model, this)),
      backend_(new QComboBox(this)),
      theme_(new QToolButton(this)) {
    setObjectName("topBar");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(41);
    build(menus, actions);
    restyle();
    fillBackends();
    connect(theme_, &QToolButton::clicked, &appearance_, &Appearance::toggle);
    connect(backend_, &QComboBox::activated, this, &TopBar::chooseBackend);
    connect(&model_, &WorkspaceModel::backendsListed, this, &TopBar::fillBackends);
    connect(&model_, &WorkspaceModel::backendChanged, this, &TopBar::fillBackends);
    connect(&appearance_, &Appearance::changed, this, &TopBar::restyle);
}

QToolButton* TopBar::button(QAction* action, bool withText) {
    auto* made = new QToolButton(this);
    made->setDefaultAction(action);
    made->setToolButtonStyle(withText ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    made->setIconSize({16, 16});
    made->setFocusPolicy(Qt::NoFocus);
    return made;
}

void TopBar::build(QMenuBar* menus, const Actions& actions) {
    menus->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, 10, 0);
    row->setSpacing(4);
    row->addWidget(menus, 0, Qt::AlignVCenter);
    row->addSpacing(8);
    row->addWidget(divider(this));
    row->addSpacing(4);
    row->addWidget(button(actions.open, true));
    row->addWidget(button(actions.reload, true));
    row->addSpacing(4);
    row->addWidget(divider(this));
    row->addSpacing(4);
    row->addWidget(button(actions.back, false));
    row->addWidget(button(actions.forward, false));
    row->addSpacing(4);
    row->addWidget(divider(this));
    row->addSpacing(6);
    row->addWidget(field_);
    row->addStretch(1);
    auto* label = new QLabel(tr("Backend"), this);
    label->setObjectName("secondary");
    label->setBuddy(backend_);
    row->addWidget(label);
    backend_->setFixedHeight(26);
    backend_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    backend_->setMaximumWidth(260);
    row->addWidget(backend_);
    row->addSpacing(4);
    theme_->setToolTip(tr("Light or dark"));
    theme_->setAccessibleName(tr("Light or dark"));
    row->addWidget(theme_);
}

void TopBar::restyle() {
    actions_.open->setIcon(appearance_.icon("open"));
    actions_.reload->setIcon(appearance_.icon("reload"));
    actions_.back->setIcon(appearance_.icon("back"));
    actions_.forward->setIcon(appearance_.icon("forward"));
    theme_->setIcon(appearance_.icon(appearance_.colours().dark ? "sun" : "moon"));
}

void TopBar::fillBackends() {
    const QSignalBlocker quiet(backend_);
    backend_->clear();
    if (model_.backends().empty())
        backend_->addItem(qt(model_.workspace().backend()), qt(model_.workspace().backend()));
    auto* items = qobject_cast<QStandardItemModel*>(backend_->model());
    for (const kernels::BackendInfo& backend : model_.backends()) {
        const QString name = qt(backend.name), device = qt(backend.device);
        const bool named = device.startsWith(name, Qt::CaseInsensitive);
        backend_->addItem(named ? device : name.toUpper() + " · " + device, name);
        const int row = backend_->count() - 1;
        if (!backend.usable() && items != nullptr) {
            backend_->setItemText(row, name.toUpper() + " · " + tr("not usable"));
            items->item(row)->setEnabled(false);
            items->item(row)->setToolTip(qt(backend.reasonUnusable));
        }
    }
    backend_->setCurrentIndex(std::max(0, backend_->findData(qt(model_.workspace().backend()))));
    backend_->setToolTip(tr("Where kernels and profiles are computed"));
}

void TopBar::chooseBackend(int index) { model_.setBackend(backend_->itemData(index).toString().toStdString()); }

}  // namespace dimscope::app
