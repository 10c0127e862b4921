// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/reading_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/plain_label.h"
#include "app/window/qt_text.h"
#include "app/window/workspace_model.h"
#include "io/message_text.h"

namespace dimscope::app {
namespace {

constexpr int kFieldWidth = 176, kFieldHeight = 26, kWidth = 548;
constexpr int kLeastNotes = 36, kMostNotes = 132, kFormHeight = 466;  ///< of what stands below the notes
constexpr int kColumns = 2;

/// Whose text can be copied.
QLabel* textLabel(QWidget* parent, const QString& text, const char* name = nullptr) {
    QLabel* label = plainLabel(parent, name, text);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// A name of the file, whatever it is made of.
QString shown(const std::string& text) { return qt(io::printable(text)); }

/// "--n-kv-heads" as a label: "n kv heads".
QString optionLabel(const char* option) { return QString(option).mid(2).replace('-', ' '); }

}  // namespace

ReadingDialog::ReadingDialog(WorkspaceModel& model, QWidget* parent)
    : QDialog(parent),
      model_(model),
      given_(optionsFor(model.decisions())),
      origin_(textLabel(this, {})),
      failure_(textLabel(this, {}, "failure")),
      command_(new QLineEdit(this)),
      forget_(new QPushButton(tr("&Forget"), this)),
      read_(new QPushButton(tr("&Read again"), this)) {
    setObjectName("readingDialog");
    setWindowTitle(tr("How %1 is read").arg(QFileInfo(qt(model_.workspace().path())).fileName()));
    build();
    command_->setFocusPolicy(Qt::ClickFocus);
    setTabOrder(fields_.back().widget, forget_);
    setTabOrder(forget_, read_);
    fields_.front().widget->setFocus();
    refreshOrigin();
    refreshCommand();
    connect(read_, &QPushButton::clicked, this, &ReadingDialog::readAgain);
    connect(forget_, &QPushButton::clicked, this, [this] { model_.forgetReading(); });
    connect(&model_, &WorkspaceModel::readingForgotten, this, &ReadingDialog::refreshOrigin);
    connect(&model_, &WorkspaceModel::opened, this, &QDialog::accept);
    connect(&model_, &WorkspaceModel::questionAsked, this, &QDialog::accept);  // which is asked elsewhere
    connect(&model_, &WorkspaceModel::openFailed, this,
            [this](const QString&, const QString& sentence) { fail(sentence); });
}

void ReadingDialog::build() {
    auto* originRow = new QHBoxLayout;
    originRow->addWidget(origin_, 1);
    originRow->addWidget(forget_);
    forget_->setAutoDefault(false);
    forget_->setToolTip(tr("The next opening of this file asks again, or reads it as it says itself"));
    command_->setReadOnly(true);
    command_->setFixedHeight(kFieldHeight);
    command_->setPlaceholderText(tr("nothing is decided"));
    command_->setAccessibleName(tr("Options that say the same"));
    auto* commandRow = new QHBoxLayout;
    commandRow->addWidget(textLabel(this, tr("In a script"), "secondary"));
    commandRow->addWidget(command_, 1);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    read_->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(failure_, 1);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(read_);
    failure_->hide();
    auto* column = new QVBoxLayout(this);
    setMinimumWidth(kWidth);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addWidget(noteList());
    column->addLayout(originRow);
    column->addWidget(textLabel(this, tr("Read it otherwise"), "formSection"));
    column->addWidget(form());
    column->addLayout(commandRow);
    column->addLayout(buttons);
}

/// What was found and why, as the file was opened, and what was decided.
QStringList ReadingDialog::notes() const {
    const analysis::DumpInfo& info = model_.workspace().info();
    QStringList notes;
    for (const ReadingField& field : readingFields())
        if (const std::string& text = given_.*field.value; !text.empty())
            notes.append(tr("%1: %2, because it was decided").arg(optionLabel(field.option), qt(text)));
    for (const std::string& entry : given_.map) notes.append(tr("map: %1, because it was decided").arg(shown(entry)));
    for (const analysis::ReadingNote& note : info.readings)
        notes.append(tr("%1: %2, because %3").arg(qt(note.place), qt(note.decision), qt(note.evidence)));
    if (notes.isEmpty())
        notes.append(tr("The names, axes and numbers of the file leave no choice (%1).").arg(qt(info.format)));
    return notes;
}

QWidget* ReadingDialog::noteList() {
    auto* content = new QWidget;
    content->setObjectName("readingNotes");
    auto* rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(4);
    const QStringList all = notes();
    for (const QString& note : all) rows->addWidget(textLabel(content, note));
    rows->addStretch(1);
    auto* area = new QScrollArea(this);
    area->setWidget(content);
    area->setWidgetResizable(true);
    const int room = std::clamp(screen()->availableSize().height() - kFormHeight, kLeastNotes, kMostNotes);
    area->setFixedHeight(std::min(room, rows->totalHeightForWidth(kWidth - 32) + 2));
    area->setAccessibleName(tr("What the reading rests on"));
    return area;
}

QWidget* ReadingDialog::form() {
    auto* widget = new QWidget(this);
    auto* grid = new QGridLayout(widget);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(6);
    int place = 0;
    for (const ReadingField& field : readingFields()) addField(field, *grid, place++);
    rotate_ = new QCheckBox(tr("Rotate: apply RoPE to q and k from before it"), widget);
    rotate_->setChecked(given_.rotate);
    connect(rotate_, &QCheckBox::toggled, this, &ReadingDialog::refreshCommand);
    fields_.push_back({"--rotate", rotate_, [this](ReadingOptions& all) { all.rotate = rotate_->isChecked(); }});
    const int row = (place + kColumns - 1) / kColumns;
    grid->addWidget(rotate_, row, 0, 1, 2 * kColumns);
    addMap(*grid, row + 1);
    return widget;
}

void ReadingDialog::addField(const ReadingField& field, QGridLayout& grid, int place) {
    const QString now = qt(given_.*field.value), read = asRead(field.option);
    const QString hint = read.isEmpty() ? tr("as the file says") : read;
    QWidget* widget = nullptr;
    if (field.choices.empty()) {
        auto* text = new QLineEdit(now, this);
        text->setPlaceholderText(hint);
        connect(text, &QLineEdit::textChanged, this, &ReadingDialog::refreshCommand);
        fields_.push_back({field.option, text, [text, value = field.value](ReadingOptions& all) {
                               all.*value = text->text().trimmed().toStdString();
                           }});
        widget = text;
    } else {
        auto* choice = new QComboBox(this);
        choice->setEditable(field.open);
        choice->addItem(field.open ? QString() : tr("as the file says"), QString());
        for (const char* word : field.choices) choice->addItem(word, word);
        if (field.open) {
            choice->lineEdit()->setPlaceholderText(hint);
            choice->setCurrentText(now);
        } else {
            choice->setCurrentIndex(std::max(0, choice->findData(now)));
        }
        connect(choice, &QComboBox::currentTextChanged, this, &ReadingDialog::refreshCommand);
        fields_.push_back(
            {field.option, choice, [choice, open = field.open, value = field.value](ReadingOptions& all) {
                 all.*value = (open ? choice->currentText() : choice->currentData().toString()).trimmed().toStdString();
             }});
        widget = choice;
    }
    widget->setFixedHeight(kFieldHeight);
    widget->setMinimumWidth(kFieldWidth);
    widget->setToolTip(field.help);
    widget->setAccessibleName(optionLabel(field.option));
    auto* label = new QLabel(optionLabel(field.option), this);
    label->setBuddy(widget);
    label->setToolTip(field.help);
    grid.addWidget(label, place / kColumns, place % kColumns * 2);
    grid.addWidget(widget, place / kColumns, place % kColumns * 2 + 1);
}

void ReadingDialog::addMap(QGridLayout& grid, int row) {
    map_ = new QPlainTextEdit(this);
    QStringList lines;
    for (const std::string& entry : given_.map) lines.append(shown(entry));
    const QString asGiven = lines.join('\n');
    map_->setPlainText(asGiven);
    map_->setPlaceholderText(tr("q=/path of the array, one a line; also k, v, o, w_o, sink, qkv"));
    map_->setFixedHeight(2 * kFieldHeight);
    map_->setTabChangesFocus(true);
    map_->setAccessibleName(tr("map"));
    auto* label = new QLabel(tr("map"), this);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setBuddy(map_);
    grid.addWidget(label, row, 0);
    grid.addWidget(map_, row, 1, 1, 2 * kColumns - 1);
    connect(map_, &QPlainTextEdit::textChanged, this, &ReadingDialog::refreshCommand);
    fields_.push_back({"--map", map_, [this, asGiven](ReadingOptions& all) {
                           all.map = given_.map;  // whose names a line of text cannot always hold
                           if (map_->toPlainText() == asGiven) return;
                           all.map.clear();
                           for (const QString& line : map_->toPlainText().split('\n', Qt::SkipEmptyParts))
                               all.map.push_back(line.toStdString());
                       }});
}

/// What counts now, of the first layer.
QString ReadingDialog::asRead(const std::string& option) const {
    const analysis::LayerInfo& layer = model_.workspace().info().layers.front();
    if (option == "--scale") return tr("now %1").arg(QString::number(layer.scale, 'g', 6));
    if (option == "--n-heads") return tr("now %1").arg(layer.nHeads);
    if (option == "--n-kv-heads") return tr("now %1").arg(layer.kvHeadsOfFile());
    if (option == "--head-dim") return tr("now %1").arg(layer.headDim);
    if (option == "--rotary-dim" && layer.rotaryDim > 0) return tr("now %1").arg(layer.rotaryDim);
    if (option == "--rope-theta" && layer.ropeTheta > 0.0) return tr("now %1").arg(layer.ropeTheta);
    return {};
}

ReadingOptions ReadingDialog::options() const {
    ReadingOptions all;
    for (const Field& field : fields_) field.store(all);
    all.allow = given_.allow;  // decided on the command line, file by file
    return all;
}

void ReadingDialog::refreshOrigin() {
    QString text;
    switch (model_.decidedBy()) {
        case DecidedBy::Nobody: text = tr("Nothing is decided: it is read as it says itself."); break;
        case DecidedBy::CommandLine: text = tr("Decided on the command line, for this time."); break;
        case DecidedBy::Memory:
        case DecidedBy::Person:
            text = model_.isRemembered() ? tr("Decided by you and remembered for this file, wherever it is moved.")
                                         : tr("Decided by you for this time; it is not remembered.");
            break;
    }
    origin_->setText(text);
    forget_->setEnabled(model_.isRemembered());
}

void ReadingDialog::refreshCommand() {
    if (map_ == nullptr) return;  // while the form is built
    command_->setText(qt(readingArguments(options())));
    command_->setCursorPosition(0);
    failure_->hide();
}

void ReadingDialog::readAgain() {
    try {
        const io::ReadingDecisions decisions = decisionsFrom(options());
        read_->setEnabled(false);
        model_.read(
            {model_.workspace().path(), decisions, DecidedBy::Person, model_.workspace().info().identity.sha256});
    } catch (const std::exception& error) {
        fail(QString::fromUtf8(error.what()));
    }
}

void ReadingDialog::fail(const QString& sentence) {
    failure_->setText(sentence);
    failure_->show();
    read_->setEnabled(true);
}

QWidget* ReadingDialog::field(const std::string& option) const {
    for (const Field& field : fields_)
        if (field.option == option) return field.widget;
    return nullptr;
}

QString ReadingDialog::failure() const { return failure_->isHidden() ? QString() : failure_->text(); }
QString ReadingDialog::command() const { return command_->text(); }

}  // namespace dimscope::app
