// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "app/window/workspace_model.h"

namespace dimscope::app {

/// Profiles of all layers, one job after the other, the chosen layer first; and the grouping of the chosen layer.
/// Starts again when the dump, the parameters or the backend change; results that are still right come from the store.
class LayerProfiles : public QObject {
    Q_OBJECT

public:
    explicit LayerProfiles(WorkspaceModel& model, QObject* parent = nullptr);

    using Profile = std::shared_ptr<const analysis::ProfileResult>;
    using Grouping = std::shared_ptr<const analysis::GroupingResult>;

    Profile layer(LayerIndex layer) const;  ///< null while it is not there
    Profile chosenLayer() const;
    const analysis::HeadProfile* chosenHead() const;        ///< null while its layer is not there
    const Grouping& grouping() const { return grouping_; }  ///< of the chosen layer; null while it is not there
    const analysis::HeadGrouping* chosenGrouping() const;
    QString failure() const;  ///< why the chosen layer has no profile; empty: no failure
    const QString& groupingFailure() const { return groupingFailure_; }

    bool running() const { return !waiting_.empty() || static_cast<bool>(profiling_); }
    float progress() const;  ///< of all layers
    std::chrono::steady_clock::time_point started() const { return started_; }
    QString progressText() const;  ///< "Profiles 12 / 30"
    void cancel();

signals:
    void layerReady(int layer);
    void finished();       ///< every layer is there or has failed
    void chosenChanged();  ///< profile or grouping of the chosen layer
    void restarted();

private:
    void restart();
    void next();
    void take(LayerIndex layer, JobOutcome<Profile> outcome);
    void regroup();
    void takeGrouping(JobOutcome<Grouping> outcome);
    void choiceChanged();

    WorkspaceModel& model_;
    std::map<LayerIndex, Profile> profiles_;
    std::map<LayerIndex, QString> failures_;
    std::vector<LayerIndex> waiting_;
    std::size_t total_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::optional<ProfileKey> sample_;  // key of the first layer: tells whether the inputs changed
    std::optional<GroupingKey> groupingKey_;
    Grouping grouping_;
    QString groupingFailure_;
    JobHandle profiling_, groupingJob_;
};

}  // namespace dimscope::app
