// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr std::chrono::milliseconds kBeforeShown{200};

}  // namespace

QString remainingText(float progress, std::chrono::milliseconds elapsed) {
    if (progress < 0.03F || elapsed < std::chrono::seconds(1)) return {};
    const double seconds = static_cast<double>(elapsed.count()) / 1000.0 * (1.0 - static_cast<double>(progress)) /
                           static_cast<double>(progress);
    const auto whole = static_cast<long>(seconds + 0.5);
    if (whole < 1) return QObject::tr("less than 1 s left");
    if (whole < 60) return QObject::tr("%1 s left").arg(whole);
    return QObject::tr("%1 min %2 s left").arg(whole / 60).arg(whole % 60);
}

StatusRow::StatusRow(WorkspaceModel& model, LayerProfiles& profiles, QWidget* parent)
    : QWidget(parent),
      model_(model),
      profiles_(profiles),
      title_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      remaining_(new QLabel(this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      facts_(new QLabel(this)) {
    bar_->setFixedWidth(200);
    bar_->setTextVisible(false);
    bar_->setRange(0, 1000);
    cancel_->setFixedHeight(22);
    cancel_->setToolTip(tr("Cancel (Ctrl+.)"));
    remaining_->setObjectName("secondary");
    facts_->setObjectName("secondary");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(12);
    for (QWidget* widget : {static_cast<QWidget*>(title_), static_cast<QWidget*>(bar_),
                            static_cast<QWidget*>(remaining_), static_cast<QWidget*>(cancel_)}) {
        row->addWidget(widget);
        widget->hide();
    }
    row->addStretch(1);
    row->addWidget(facts_);
    setFixedHeight(31);
    refreshFacts();
    connect(cancel_, &QPushButton::clicked, this, &StatusRow::cancelNewest);
    connect(&model_.pump(), &JobPump::ticked, this, &StatusRow::refresh);
    for (const auto signal :
         {&WorkspaceModel::opened, &WorkspaceModel::choiceChanged, &WorkspaceModel::parametersChanged,
          &WorkspaceModel::backendChanged, &WorkspaceModel::readingForgotten})
        connect(&model_, signal, this, &StatusRow::refreshFacts);
}

std::optional<StatusRow::Activity> StatusRow::newest() const {
    std::optional<Activity> newest;
    if (profiles_.running())
        newest = Activity{profiles_.progressText(), profiles_.progress(), profiles_.started(),
                          [this] { profiles_.cancel(); }};
    const auto now = Clock::now();
    for (const LiveJob& job : model_.pump().live())
        if (now - job.submitted >= kBeforeShown || !newest)
            newest = Activity{qt(job.title), job.control.progress(), job.submitted,
                              [control = job.control] { control.cancel(); }};
    return newest;
}

void StatusRow::cancelNewest() {
    if (const auto activity = newest()) activity->cancel();
}

void StatusRow::refresh() {
    const auto activity = newest();
    const auto elapsed = activity
                             ? std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - activity->started)
                             : std::chrono::milliseconds(0);
    const bool shown = activity && elapsed >= kBeforeShown;
    for (QWidget* widget : {static_cast<QWidget*>(title_), static_cast<QWidget*>(bar_),
                            static_cast<QWidget*>(remaining_), static_cast<QWidget*>(cancel_)})
        widget->setVisible(shown);
    if (!shown) return;
    title_->setText(activity->title);
    bar_->setValue(qRound(activity->progress * 1000.0F));
    remaining_->setText(remainingText(activity->progress, elapsed));
}

void StatusRow::refreshFacts() {
    const Parameters& p = model_.parameters();
    QStringList facts{qt(model_.workspace().backend()), tr("seed %1").arg(p.seed),
                      p.rows == 0 ? tr("all rows") : tr("%1 rows").arg(p.rows)};
    if (const analysis::LayerInfo* layer = model_.workspace().layer())
        facts.append(tr("N %1").arg(model_.workspace().lengthIn(*layer)));
    if (model_.isRemembered())
        facts.prepend(tr("read as remembered"));
    else if (model_.decidedBy() != DecidedBy::Nobody)
        facts.prepend(tr("read as decided"));
    facts_->setToolTip(model_.decidedBy() == DecidedBy::Nobody ? QString()
                                                               : tr("File > Reading… shows what was decided"));
    facts_->setText(facts.join("  ·  "));
}

}  // namespace dimscope::app
