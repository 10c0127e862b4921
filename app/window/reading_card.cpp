// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/reading_card.h"

#include <QFontDatabase>
#include <QLineEdit>
#include <QLocale>
#include <QRadioButton>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>
#include <cmath>

#include "analysis/figures/profile_figures.h"
#include "app/window/appearance.h"
#include "app/window/figure_view.h"
#include "app/window/plain_label.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kCardWidth = 336, kFigureHeight = 184, kCellWidth = 10;

QString headText(const analysis::LayerInfo& layer) {
    const QString heads = layer.nHeads == layer.nKvHeads
                              ? ReadingCard::tr("%1 heads").arg(layer.nHeads)
                              : ReadingCard::tr("%1 query and %2 KV heads").arg(layer.nHeads).arg(layer.nKvHeads);
    return ReadingCard::tr("%1 prompts · %2 · %3 positions · head_dim %4")
        .arg(layer.prompts)
        .arg(heads)
        .arg(layer.positions)
        .arg(layer.headDim);
}

/// The beginning of q as a grid of numbers.
QString valuesText(const analysis::ReadingPreview& preview) {
    QString text;
    for (kernels::Index n = 0; n < preview.firstQuery.rows(); ++n) {
        text += n > 0 ? "\n" : "";
        for (kernels::Index d = 0; d < preview.firstQuery.cols(); ++d)
            text += QString::number(preview.firstQuery(n, d), 'g', 3).rightJustified(kCellWidth);
        if (preview.firstQuery.cols() < preview.layer.headDim) text += " …";
    }
    return text;
}

}  // namespace

ReadingCard::ReadingCard(const Appearance& appearance, io::ReadingCandidate candidate, int number, QWidget* parent)
    : QFrame(parent),
      appearance_(appearance),
      candidate_(std::move(candidate)),
      button_(new QRadioButton(this)),
      stack_(new QStackedWidget(this)),
      words_(plainLabel(this, "secondary")),
      shape_(plainLabel(this)),
      figureTitle_(plainLabel(this, "secondary")),
      figure_(new FigureView(appearance, this)),
      values_(plainLabel(this)),
      concerns_(plainLabel(this)) {
    setObjectName("readingCard");
    setFixedWidth(kCardWidth);
    button_->setText(QString("%1  %2").arg(number).arg(qt(candidate_.title).replace('&', "&&")));
    button_->setAccessibleDescription(qt(candidate_.evidence));
    build();
    restyle();
    connect(&appearance_, &Appearance::changed, this, &ReadingCard::restyle);
    connect(button_, &QRadioButton::toggled, this, &ReadingCard::restyle);
}

void ReadingCard::build() {
    auto* evidence = plainLabel(this, "secondary", qt(candidate_.evidence));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(button_);
    column->addWidget(evidence);
    if (!candidate_.number.empty()) {
        number_ = new QLineEdit(this);
        number_->setPlaceholderText(tr("%1: a number").arg(qt(candidate_.number)));
        number_->setAccessibleName(qt(candidate_.number));
        number_->setFixedHeight(24);
        column->addWidget(number_);
        connect(number_, &QLineEdit::textEdited, this, [this] {
            button_->setChecked(true);
            emit numberChanged();
        });
    }
    auto* preview = new QWidget(this);
    auto* rows = new QVBoxLayout(preview);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    values_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    values_->setWordWrap(false);
    figure_->setFixedHeight(kFigureHeight);
    figure_->setFocusPolicy(Qt::NoFocus);  // the keys choose among the cards
    auto* valuesTitle = plainLabel(preview, "secondary", tr("q of the first positions, one a line"));
    const std::initializer_list<QWidget*> parts{shape_, figureTitle_, figure_, valuesTitle, values_, concerns_};
    for (QWidget* part : parts) rows->addWidget(part);
    rows->addStretch(1);
    words_->setAlignment(Qt::AlignCenter);
    stack_->addWidget(words_);
    stack_->addWidget(preview);
    column->addWidget(stack_, 1);
}

void ReadingCard::restyle() {
    setProperty("chosen", button_->isChecked());
    style()->unpolish(this);
    style()->polish(this);
    QPalette palette = concerns_->palette();
    palette.setColor(QPalette::WindowText, appearance_.colours().warning);
    concerns_->setPalette(palette);
}

std::optional<io::ReadingDecisions> ReadingCard::decision() const {
    io::ReadingDecisions decision = candidate_.decision;
    if (number_ == nullptr) return decision;
    bool isNumber = false;
    const double value = QLocale::c().toDouble(number_->text(), &isNumber);
    if (!isNumber || !std::isfinite(value) || value == 0.0) return std::nullopt;
    decision.attributes[candidate_.number] = value;
    return decision;
}

io::ReadingDecisions ReadingCard::trialDecision() const { return decision().value_or(candidate_.decision); }

void ReadingCard::showBusy() { showWords(tr("Reading a head…")); }

void ReadingCard::showWords(const QString& words) {
    words_->setText(words);
    stack_->setCurrentIndex(0);
}

QString ReadingCard::words() const { return hasPreview() ? QString() : words_->text(); }

bool ReadingCard::hasPreview() const { return stack_->currentIndex() == 1; }

void ReadingCard::showPreview(const analysis::ReadingPreview& preview) {
    shape_->setText(headText(preview.layer));
    figureTitle_->setText(tr("mean |q| up, mean |k| down · layer %1, head %2, prompt %3")
                              .arg(preview.layer.layer.value)
                              .arg(preview.head.value)
                              .arg(preview.prompt.value));
    figure_->setFigure(std::make_shared<const analysis::Figure>(analysis::magnitudeFigure(
        preview.profile, preview.profile.heads.front(), preview.layer, nullptr, analysis::FigureOptions{})));
    values_->setText(valuesText(preview));
    QStringList concerns;
    for (const std::string& concern : analysis::concernsAbout(preview)) concerns.append(qt(concern));
    concerns_->setText(concerns.join("\n"));
    concerns_->setVisible(!concerns.isEmpty());
    QString about = std::isnan(preview.median)
                        ? tr("q: no finite number")
                        : tr("q: median %1, largest %2")
                              .arg(QString::number(preview.median, 'g', 3), QString::number(preview.largest, 'g', 3));
    if (const std::string output = analysis::outputText(preview); !output.empty()) about += "\n" + qt(output);
    shape_->setText(shape_->text() + "\n" + about);
    stack_->setCurrentIndex(1);
}

void ReadingCard::mousePressEvent(QMouseEvent*) {
    button_->setChecked(true);
    button_->setFocus(Qt::MouseFocusReason);
}

}  // namespace dimscope::app
