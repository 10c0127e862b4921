// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "app/core/piece_file.h"
#include "app/window/workspace_model.h"

namespace dimscope::app {

/// One experiment of the catalogue on the open dump: started by a person (quick ones by being looked at), cancelled at
/// any time. What was found stays until something else is; a change of parameters makes it stale, not gone. What a
/// cancelled run had finished is kept, and the same run started again goes on from it.
class ExperimentRun : public QObject {
    Q_OBJECT

public:
    ExperimentRun(WorkspaceModel& model, const analysis::Experiment& experiment, QObject* parent = nullptr);

    using Outcome = std::shared_ptr<const analysis::ExperimentOutcome>;

    const analysis::Experiment& experiment() const { return experiment_; }
    void start();
    void cancel();
    bool running() const { return static_cast<bool>(job_); }
    float progress() const { return job_.progress(); }
    const Outcome& outcome() const { return outcome_; }  ///< of the last run that was finished
    /// What there is to see: of a run that goes on or was stopped what it has so far, else the outcome. Null: nothing.
    Outcome seen() const;
    const std::optional<ExperimentKey>& seenOf() const;  ///< inputs of what is seen
    bool continues() const;                              ///< a start would go on from what a cancelled run had finished
    bool stale() const;                                  ///< what is seen is of other parameters
    const QString& failure() const { return failure_; }  ///< why there is none; empty: no failure
    QString unsupported() const;                         ///< why the dump cannot have it; empty: it can

signals:
    void changed();

private:
    void dumpOpened();
    void take(const ExperimentKey& key, JobOutcome<Outcome> outcome);

    WorkspaceModel& model_;
    const analysis::Experiment& experiment_;
    bool looksAtRun() const { return stream_ && stream_->latest(); }

    std::optional<ExperimentKey> outcomeOf_;  ///< its inputs
    Outcome outcome_;
    QString failure_;
    std::optional<ExperimentKey> piecesOf_;  ///< inputs of the pieces
    std::shared_ptr<PieceFile> pieces_;
    std::shared_ptr<analysis::OutcomeStream> stream_;  ///< of the run that goes on or was stopped
    std::optional<ExperimentKey> streamOf_, beforeOf_;
    Outcome before_;  ///< what was seen when that run began
    JobHandle job_;
};

}  // namespace dimscope::app
