// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <optional>

#include "analysis/doctor/reading_preview.h"
#include "io/dump/reading_question.h"

class QLabel;
class QLineEdit;
class QRadioButton;
class QStackedWidget;

namespace dimscope::app {

class Appearance;
class FigureView;

/// One way to read a file: what speaks for it, how a head looks when it is read so, and a button to choose it.
class ReadingCard : public QFrame {
    Q_OBJECT

public:
    /// `number`: counted from 1; its key chooses the card.
    ReadingCard(const Appearance& appearance, io::ReadingCandidate candidate, int number, QWidget* parent = nullptr);

    QRadioButton* button() const { return button_; }
    QLineEdit* numberField() const { return number_; }  ///< null: no number is asked for
    /// With the number that the person gave; nothing while one is missing.
    std::optional<io::ReadingDecisions> decision() const;
    /// What a preview is made with, whatever is missing.
    io::ReadingDecisions trialDecision() const;

    void showBusy();
    void showPreview(const analysis::ReadingPreview& preview);
    void showWords(const QString& words);  ///< in place of a preview
    QString words() const;
    bool hasPreview() const;

signals:
    void numberChanged();

protected:
    void mousePressEvent(QMouseEvent* event) override;

private:
    void build();
    void restyle();

    const Appearance& appearance_;
    io::ReadingCandidate candidate_;
    QRadioButton* button_;
    QLineEdit* number_ = nullptr;
    QStackedWidget* stack_;
    QLabel* words_;
    QLabel* shape_;
    QLabel* figureTitle_;
    FigureView* figure_;
    QLabel* values_;
    QLabel* concerns_;
};

}  // namespace dimscope::app
