// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/command_field.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>
#include <QStringListModel>
#include <QToolTip>
#include <algorithm>

#include "app/window/appearance.h"
#include "app/window/workspace_model.h"

namespace dimscope::app {
namespace {

QString plainName(const QAction& action) { return action.text().remove('&'); }

QString describe(const QAction& action) {
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? plainName(action) : plainName(action) + "   " + keys;
}

}  // namespace

std::optional<HeadChoice> headFromText(const QString& text) {
    static const QRegularExpression kPattern(R"(^\s*(?:l|layer)?\s*(\d+)\s*[\s.,·/:-]+\s*(?:h|head)?\s*(\d+)\s*$)",
                                             QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kPattern.match(text);
    if (!match.hasMatch()) return std::nullopt;
    return HeadChoice{kernels::LayerIndex{match.captured(1).toInt()}, kernels::HeadIndex{match.captured(2).toInt()}};
}

CommandField::CommandField(const Appearance& appearance, WorkspaceModel& model, QWidget* parent)
    : QLineEdit(parent),
      appearance_(appearance),
      model_(model),
      words_(new QStringListModel(this)),
      completer_(new QCompleter(words_, this)) {
    setPlaceholderText(tr("Find head or action      Ctrl+K"));
    setAccessibleName(tr("Find head or action"));
    setFixedSize(220, 26);
    QAction* search = addAction(appearance_.icon("search"), QLineEdit::LeadingPosition);
    connect(&appearance_, &Appearance::changed, search,
            [this, search] { search->setIcon(appearance_.icon("search")); });
    completer_->setFilterMode(Qt::MatchContains);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setMaxVisibleItems(12);
    setCompleter(completer_);
    connect(completer_, QOverload<const QString&>::of(&QCompleter::activated), this, &CommandField::run,
            Qt::QueuedConnection);  // after the completer has put the text into the field
    connect(this, &QLineEdit::returnPressed, this, [this] { run(text()); });
    connect(&model_, &WorkspaceModel::opened, this, &CommandField::refill);
}

void CommandField::setActions(const QList<QAction*>& actions) {
    actions_.clear();
    for (QAction* action : actions) actions_.append(action);
    refill();
}

void CommandField::refill() {
    QStringList words;
    for (const QPointer<QAction>& action : actions_)
        if (action && !action->isSeparator() && !action->menu() && !action->text().isEmpty())
            words.append(describe(*action));
    heads_.clear();
    if (model_.isOpen())
        for (const analysis::LayerInfo& layer : model_.workspace().info().layers)
            for (int h = 0; h < layer.nHeads; ++h) {
                const QString name = tr("layer %1 · head %2").arg(layer.layer.value).arg(h);
                heads_[name] = {layer.layer, kernels::HeadIndex{h}};
                words.append(name);
            }
    words_->setStringList(words);
}

void CommandField::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    // Focus also comes back from the list of suggestions, in the middle of a word.
    if (event->reason() != Qt::PopupFocusReason && !completer_->popup()->isVisible()) selectAll();
}

void CommandField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        clear();
        window()->setFocus();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void CommandField::run(const QString& text) {
    const QString wanted = text.trimmed();
    if (wanted.isEmpty()) return;
    if (!follow(wanted)) {
        QToolTip::showText(mapToGlobal(QPoint(0, height())), tr("No head and no action is called “%1”.").arg(wanted),
                           this);
        return;
    }
    clear();
    window()->setFocus();
}

bool CommandField::follow(const QString& wanted) {
    const auto named = heads_.find(wanted);
    const auto head = named != heads_.end() ? std::optional(named->second) : headFromText(wanted);
    if (head) {
        const bool known =
            std::any_of(heads_.begin(), heads_.end(), [&](const auto& one) { return one.second == *head; });
        if (known) model_.choose(*head);
        return known;
    }
    for (const QPointer<QAction>& action : actions_)
        if (action && action->isEnabled() && describe(*action).contains(wanted, Qt::CaseInsensitive)) {
            action->trigger();
            return true;
        }
    return false;
}

}  // namespace dimscope::app
