// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mapping_dialog.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/cli/reading_options.h"
#include "app/window/appearance.h"
#include "app/window/plain_label.h"
#include "app/window/qt_text.h"
#include "app/window/reading_card.h"

namespace dimscope::app {
namespace {

constexpr int kMostCardsAtOnce = 3, kCardSpace = 336 + 12, kHeight = 600;
constexpr QSize kFrame(16, 48);  ///< room for what the desktop draws around a window

}  // namespace

MappingDialog::MappingDialog(const Appearance& appearance, JobPump& pump, QWidget* parent)
    : QDialog(parent),
      appearance_(appearance),
      pump_(pump),
      question_(plainLabel(this, "pageTitle")),
      decided_(plainLabel(this, "secondary")),
      note_(plainLabel(this, "secondary")),
      area_(new QScrollArea(this)),
      command_(new QLineEdit(this)),
      copy_(new QPushButton(tr("&Copy"), this)),
      read_(new QPushButton(tr("&Read it so"), this)),
      back_(new QPushButton(tr("&Back"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)) {
    setObjectName("mappingDialog");
    build();
    connect(read_, &QPushButton::clicked, this, &MappingDialog::answer);
    connect(back_, &QPushButton::clicked, this, &MappingDialog::goBack);
    connect(copy_, &QPushButton::clicked, this, &MappingDialog::copyCommand);
    connect(cancel_, &QPushButton::clicked, this, &QDialog::reject);
}

MappingDialog::~MappingDialog() = default;

void MappingDialog::build() {
    command_->setReadOnly(true);
    command_->setFixedHeight(26);
    command_->setAccessibleName(tr("Command line that reads it so"));
    copy_->setToolTip(tr("Copy the options for dimscope-cli"));
    area_->setWidgetResizable(true);
    area_->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    area_->setFocusPolicy(Qt::NoFocus);
    read_->setDefault(true);
    for (QPushButton* button : {copy_, back_, cancel_}) button->setAutoDefault(false);
    auto* commandRow = new QHBoxLayout;
    auto* label = plainLabel(this, "secondary");
    label->setText(tr("In a script"));
    label->setWordWrap(false);
    commandRow->addWidget(label);
    commandRow->addWidget(command_, 1);
    commandRow->addWidget(copy_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(note_, 1);
    for (QPushButton* button : {back_, cancel_, read_}) buttons->addWidget(button);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addWidget(question_);
    column->addWidget(decided_);
    column->addWidget(area_, 1);
    column->addLayout(commandRow);
    column->addLayout(buttons);
}

void MappingDialog::ask(const OpenQuestion& question) {
    asked_.push_back(question);
    showQuestion(question);
}

void MappingDialog::showQuestion(const OpenQuestion& question) {
    jobs_.clear();
    setWindowTitle(tr("How is %1 to be read?").arg(QFileInfo(qt(question.request.path)).fileName()));
    question_->setText(qt(question.question.text));
    const std::string decided = readingArguments(optionsFor(question.request.decisions));
    decided_->setText(tr("Decided so far: %1").arg(qt(decided)));
    decided_->setVisible(!decided.empty());
    delete group_;
    group_ = new QButtonGroup(this);
    cards_.clear();
    auto* row = new QWidget;
    row->setObjectName("readingCards");
    auto* cards = new QHBoxLayout(row);
    cards->setContentsMargins(0, 0, 0, 0);
    cards->setSpacing(12);
    for (const io::ReadingCandidate& candidate : question.question.candidates) {
        const std::size_t n = cards_.size();
        auto* card = new ReadingCard(appearance_, candidate, static_cast<int>(n) + 1, row);
        cards->addWidget(card);
        group_->addButton(card->button(), static_cast<int>(n));
        cards_.push_back(card);
        card->button()->installEventFilter(this);
        connect(card, &ReadingCard::numberChanged, this, [this, n] { startPreview(n); });
    }
    cards->addStretch(1);
    area_->setWidget(row);
    connect(group_, &QButtonGroup::idToggled, this, &MappingDialog::refresh);
    previews_.assign(cards_.size(), std::nullopt);
    jobs_.resize(cards_.size());
    waiting_ = 0;
    for (std::size_t n = 0; n < cards_.size(); ++n) startPreview(n);
    orderTabs();
    const QSize wanted(std::clamp(static_cast<int>(cards_.size()), 2, kMostCardsAtOnce) * kCardSpace + 32, kHeight);
    resize(wanted.boundedTo(screen()->availableSize() - kFrame));
    if (isVisible() && parentWidget() != nullptr) move(parentWidget()->geometry().center() - rect().center());
    setFocus();  // on none of them: Tab goes to the first, a digit chooses
    refresh();
}

/// First the readings, then what is done with them.
void MappingDialog::orderTabs() {
    QWidget* last = nullptr;
    const auto follow = [&last](QWidget* next) {
        if (last != nullptr) setTabOrder(last, next);
        last = next;
    };
    for (const ReadingCard* card : cards_) {
        follow(card->button());
        if (card->numberField() != nullptr) follow(card->numberField());
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{command_, copy_, back_, cancel_, read_}) follow(widget);
}

void MappingDialog::startPreview(std::size_t card) {
    if (!jobs_[card]) ++waiting_;
    cards_[card]->showBusy();
    previews_[card].reset();
    const ReadingRequest& request = asked_.back().request;
    jobs_[card] =
        pump_.compute([path = request.path, decisions = io::joined(request.decisions, cards_[card]->trialDecision()),
                       slot = slot_](const RunControl& control) { return tryReading(path, decisions, *slot, control); },
                      [this, card](JobOutcome<ReadingTrial> outcome) { finishPreview(card, std::move(outcome)); });
    refresh();
}

void MappingDialog::finishPreview(std::size_t card, JobOutcome<ReadingTrial> outcome) {
    jobs_[card].reset();
    --waiting_;
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) {
        cards_[card]->showWords(
            tr("It cannot be read so: %1").arg(qt(failure->parts ? failure->parts->cause : failure->text)));
    } else if (auto* trial = std::get_if<ReadingTrial>(&outcome)) {
        if (trial->preview)
            cards_[card]->showPreview(*trial->preview);
        else
            cards_[card]->showWords(tr("Another question follows: %1").arg(qt(trial->nextQuestion)));
        previews_[card] = std::move(trial->preview);
    } else {
        cards_[card]->showWords(tr("Stopped."));
    }
    if (waiting_ == 0) preselect();
    refresh();
}

/// The stored output tells where it follows from one reading alone; a person's choice stays.
void MappingDialog::preselect() {
    const auto likeliest = analysis::likeliestReading(previews_);
    if (!likeliest) return;
    note_->setText(tr("The stored o follows from q, k and v under reading %1 alone.").arg(*likeliest + 1));
    if (chosen() != nullptr || previews_.size() < 2) return;
    cards_[*likeliest]->button()->setChecked(true);
    if (focusWidget() == nullptr || focusWidget() == this) cards_[*likeliest]->button()->setFocus();
}

ReadingCard* MappingDialog::chosen() const {
    const int id = group_ == nullptr ? -1 : group_->checkedId();
    return id < 0 ? nullptr : cards_[static_cast<std::size_t>(id)];
}

void MappingDialog::refresh() {
    ReadingCard* card = chosen();
    const auto decision = card == nullptr ? std::nullopt : card->decision();
    read_->setEnabled(decision.has_value());
    copy_->setEnabled(decision.has_value());
    back_->setVisible(asked_.size() > 1);
    command_->clear();
    if (decision) {
        const OpenQuestion& question = asked_.back();
        command_->setText(qt("dimscope-cli info " + readingWord(question.request.path.string()) + " " +
                             readingArguments(optionsFor(io::joined(question.request.decisions, *decision)))));
        command_->setCursorPosition(0);
    } else {
        command_->setPlaceholderText(card == nullptr ? tr("Choose a reading: click it or press its number")
                                                     : tr("Give the number that this reading needs"));
    }
    if (card != nullptr) reveal(static_cast<std::size_t>(group_->checkedId()));
    if (waiting_ > 0)
        note_->setText(tr("Reading a head in each way…"));
    else if (!analysis::likeliestReading(previews_))
        note_->clear();
}

void MappingDialog::answer() {
    ReadingCard* card = chosen();
    const auto decision = card == nullptr ? std::nullopt : card->decision();
    if (!decision) return;
    jobs_.clear();
    jobs_.resize(cards_.size());
    waiting_ = 0;
    ReadingRequest request = asked_.back().request;
    request.decisions = io::joined(request.decisions, *decision);
    request.by = DecidedBy::Person;
    read_->setEnabled(false);
    note_->setText(tr("Reading the file…"));
    emit answered(request);
}

void MappingDialog::goBack() {
    if (asked_.size() < 2) return;
    emit stepTaken();
    asked_.pop_back();
    showQuestion(asked_.back());
}

void MappingDialog::copyCommand() { QApplication::clipboard()->setText(command_->text()); }

void MappingDialog::choose(int card) {
    if (card < 0 || card >= static_cast<int>(cards_.size())) return;
    QRadioButton* button = cards_[static_cast<std::size_t>(card)]->button();
    button->setChecked(true);
    button->setFocus(Qt::ShortcutFocusReason);
}

/// Where not all of a card can be seen, its beginning.
void MappingDialog::reveal(std::size_t card) {
    area_->ensureWidgetVisible(cards_[card], 0, 0);
    area_->ensureWidgetVisible(cards_[card]->button());
}

/// A digit chooses the reading of that number.
void MappingDialog::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() == Qt::NoModifier && event->key() >= Qt::Key_1 && event->key() <= Qt::Key_9)
        choose(event->key() - Qt::Key_1);
    else
        QDialog::keyPressEvent(event);
}

/// Arrow keys choose the neighbour; Tab only goes to it.
bool MappingDialog::eventFilter(QObject* watched, QEvent* event) {
    const auto card = std::find_if(cards_.begin(), cards_.end(),
                                   [watched](const ReadingCard* known) { return known->button() == watched; });
    if (card == cards_.end()) return QDialog::eventFilter(watched, event);
    const auto number = card - cards_.begin();
    if (event->type() == QEvent::FocusIn) reveal(static_cast<std::size_t>(number));
    if (event->type() == QEvent::KeyPress)
        for (const auto& [key, step] : {std::pair{Qt::Key_Left, -1}, std::pair{Qt::Key_Right, 1}})
            if (static_cast<QKeyEvent*>(event)->key() == key) {
                choose(static_cast<int>(number) + step);
                return true;
            }
    return QDialog::eventFilter(watched, event);
}

QString MappingDialog::question() const { return question_->text(); }
QString MappingDialog::decided() const { return decided_->isHidden() ? QString() : decided_->text(); }
QString MappingDialog::command() const { return command_->text(); }

}  // namespace dimscope::app
