// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <memory>
#include <optional>
#include <vector>

#include "app/core/dump_reading.h"
#include "app/core/reading_trial.h"
#include "app/window/job_pump.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace dimscope::app {

class Appearance;
class ReadingCard;

/// Asks how a file is to be read where it leaves a choice: the readings side by side, each with its evidence and with a
/// head as it looks then. Nothing is chosen beforehand, unless o follows from q, k and v under one of them alone.
/// Several questions come one after the other.
class MappingDialog : public QDialog {
    Q_OBJECT

public:
    MappingDialog(const Appearance& appearance, JobPump& pump, QWidget* parent = nullptr);
    ~MappingDialog() override;

    void ask(const OpenQuestion& question);
    const std::vector<ReadingCard*>& cards() const { return cards_; }
    QString question() const;
    QString decided() const;  ///< so far, in words
    QString command() const;  ///< that says the same; empty until one is chosen
    QPushButton* readButton() const { return read_; }
    QPushButton* backButton() const { return back_; }
    bool isPreviewing() const { return waiting_ > 0; }

signals:
    /// The file is to be read so; the dialog waits for the next question or its end.
    void answered(const dimscope::app::ReadingRequest& request);
    void stepTaken();  ///< back to a former question, whatever was being opened

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the cards' buttons

private:
    void build();
    void showQuestion(const OpenQuestion& question);
    void orderTabs();
    void choose(int card);
    void reveal(std::size_t card);
    void startPreview(std::size_t card);
    void finishPreview(std::size_t card, JobOutcome<ReadingTrial> outcome);
    void preselect();
    void refresh();
    void answer();
    void goBack();
    void copyCommand();
    ReadingCard* chosen() const;

    const Appearance& appearance_;
    JobPump& pump_;
    std::shared_ptr<BackendSlot> slot_ = std::make_shared<BackendSlot>();
    std::vector<OpenQuestion> asked_;  // the last one is shown
    std::vector<ReadingCard*> cards_;
    std::vector<std::optional<analysis::ReadingPreview>> previews_;
    std::vector<JobHandle> jobs_;
    std::size_t waiting_ = 0;
    QLabel* question_;
    QLabel* decided_;
    QLabel* note_;
    QScrollArea* area_;
    QButtonGroup* group_ = nullptr;
    QLineEdit* command_;
    QPushButton* copy_;
    QPushButton* read_;
    QPushButton* back_;
    QPushButton* cancel_;
};

}  // namespace dimscope::app
