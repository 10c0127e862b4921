// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_run.h"

#include "app/window/qt_text.h"

namespace dimscope::app {

ExperimentRun::ExperimentRun(WorkspaceModel& model, const analysis::Experiment& experiment, QObject* parent)
    : QObject(parent), model_(model), experiment_(experiment) {
    connect(&model_, &WorkspaceModel::opened, this, &ExperimentRun::dumpOpened);
    for (const auto signal :
         {&WorkspaceModel::choiceChanged, &WorkspaceModel::parametersChanged, &WorkspaceModel::backendChanged})
        connect(&model_, signal, this, &ExperimentRun::changed);
}

void ExperimentRun::dumpOpened() {
    job_.reset();
    outcomeOf_.reset();
    outcome_ = before_ = nullptr;
    stream_ = nullptr;
    failure_.clear();
    pieces_ = nullptr;
    emit changed();
}

QString ExperimentRun::unsupported() const {
    return model_.isOpen() ? qt(experiment_.unsupported(model_.workspace().info())) : QString();
}

bool ExperimentRun::stale() const {
    return seenOf() && *seenOf() != model_.workspace().experimentKey(experiment_.name);
}

bool ExperimentRun::continues() const {
    return pieces_ && pieces_->size() > 0 && piecesOf_ == model_.workspace().experimentKey(experiment_.name);
}

ExperimentRun::Outcome ExperimentRun::seen() const {
    if (looksAtRun()) return stream_->latest();
    return stream_ ? before_ : outcome_;
}

const std::optional<ExperimentKey>& ExperimentRun::seenOf() const {
    if (looksAtRun()) return streamOf_;
    return stream_ ? beforeOf_ : outcomeOf_;
}

void ExperimentRun::start() {
    if (!model_.isOpen() || running() || !unsupported().isEmpty()) return;
    failure_.clear();
    const ExperimentKey key = model_.workspace().experimentKey(experiment_.name);
    if (experiment_.resumable && !continues()) {
        piecesOf_ = key;
        pieces_ = std::make_shared<PieceFile>(PieceRun{}, std::filesystem::path{});
    }
    beforeOf_ = std::optional(seenOf());
    before_ = seen();
    streamOf_ = key;
    stream_ = std::make_shared<analysis::OutcomeStream>();
    job_ = model_.pump().io(
        [context = model_.ioContext(), key, pieces = pieces_, stream = stream_](const RunControl& control) {
            return runExperiment(context, key, control, {pieces.get(), stream.get()});
        },
        [this, key](JobOutcome<Outcome> outcome) { take(key, std::move(outcome)); }, experiment_.title);
    emit changed();
}

void ExperimentRun::cancel() { job_.cancel(); }

void ExperimentRun::take(const ExperimentKey& key, JobOutcome<Outcome> outcome) {
    job_.reset();
    if (auto* result = std::get_if<Outcome>(&outcome)) {
        outcome_ = std::move(*result);
        outcomeOf_ = key;
        stream_ = nullptr;
        before_ = nullptr;
        pieces_ = nullptr;
    }
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) failure_ = qt(failure->text);
    if (std::holds_alternative<Cancelled>(outcome)) failure_ = tr("Cancelled.");
    emit changed();
}

}  // namespace dimscope::app
