// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "app/window/workspace_model.h"

namespace dimscope::app {

/// The live kernel comparison: of the chosen head, then of its layer. Follows every change of head, kernel, seed, rows,
/// length and backend while somebody looks; a new job drops the one before.
class HeadComparison : public QObject {
    Q_OBJECT

public:
    explicit HeadComparison(WorkspaceModel& model, QObject* parent = nullptr);

    using Result = std::shared_ptr<const analysis::ComparisonResult>;

    void setWanted(bool wanted);  ///< false: nothing is computed
    /// What was computed last for the chosen head; while stale() it belongs to parameters that have changed since.
    const Result& head() const { return head_; }
    const Result& layer() const { return layer_; }  ///< null while it is not there
    bool stale() const { return stale_; }
    const QString& failure() const { return failure_; }

signals:
    void changed();

private:
    void refresh();
    void startHead(const ComparisonKey& key);
    void startLayer(const ComparisonKey& key);
    void takeHead(const ComparisonKey& key, JobOutcome<Result> outcome);

    WorkspaceModel& model_;
    bool wanted_ = false, stale_ = false;
    std::optional<ComparisonKey> headKey_;
    Result head_, layer_;
    QString failure_;
    JobHandle headJob_, layerJob_;
};

}  // namespace dimscope::app
