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
    shown_.reset();
    outcome_ = nullptr;
    failure_.clear();
    pieces_ = nullptr;
    emit changed();
}

QString ExperimentRun::unsupported() const {
    return model_.isOpen() ? qt(experiment_.unsupported(model_.workspace().info())) : QString();
}

bool ExperimentRun::stale() const {
    return outcome_ && shown_ && *shown_ != model_.workspace().experimentKey(experiment_.name);
}

bool ExperimentRun::continues() const {
    return pieces_ && pieces_->size() > 0 && piecesOf_ == model_.workspace().experimentKey(experiment_.name);
}

std::shared_ptr<const analysis::ReplicateSnapshot> ExperimentRun::snapshot() const {
    return running() && stream_ ? stream_->latest() : nullptr;
}

void ExperimentRun::start() {
    if (!model_.isOpen() || running() || !unsupported().isEmpty()) return;
    failure_.clear();
    const ExperimentKey key = model_.workspace().experimentKey(experiment_.name);
    if (experiment_.resumable && !continues()) {
        piecesOf_ = key;
        pieces_ = std::make_shared<PieceFile>(PieceRun{}, std::filesystem::path{});
    }
    stream_ = std::make_shared<analysis::ReplicateStream>();
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
        shown_ = key;
        pieces_ = nullptr;
    }
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) failure_ = qt(failure->text);
    if (std::holds_alternative<Cancelled>(outcome)) failure_ = tr("Cancelled.");
    emit changed();
}

}  // namespace dimscope::app
