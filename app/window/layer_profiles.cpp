// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/layer_profiles.h"

#include <algorithm>

#include "app/window/qt_text.h"

namespace dimscope::app {

LayerProfiles::LayerProfiles(WorkspaceModel& model, QObject* parent) : QObject(parent), model_(model) {
    connect(&model_, &WorkspaceModel::opened, this, &LayerProfiles::restart);
    connect(&model_, &WorkspaceModel::parametersChanged, this, &LayerProfiles::restart);
    connect(&model_, &WorkspaceModel::backendChanged, this, &LayerProfiles::restart);
    connect(&model_, &WorkspaceModel::choiceChanged, this, &LayerProfiles::choiceChanged);
}

void LayerProfiles::restart() {
    if (!model_.isOpen()) return;
    const auto& layers = model_.workspace().info().layers;
    if (layers.empty()) return;
    const ProfileKey sample = model_.workspace().profileKey(layers.front().layer);
    if (sample_ == sample) return regroup();  // only the grouping can have changed
    sample_ = sample;
    profiling_.reset();
    profiles_.clear();
    failures_.clear();
    waiting_.clear();
    for (const analysis::LayerInfo& layer : layers) waiting_.push_back(layer.layer);
    total_ = waiting_.size();
    started_ = std::chrono::steady_clock::now();
    groupingKey_.reset();
    grouping_.reset();
    emit restarted();
    next();
    choiceChanged();
}

void LayerProfiles::next() {
    if (waiting_.empty()) {
        emit finished();
        return;
    }
    auto chosen = waiting_.begin();
    if (model_.choice()) {
        const auto wanted = std::find(waiting_.begin(), waiting_.end(), model_.choice()->layer);
        if (wanted != waiting_.end()) chosen = wanted;
    }
    const LayerIndex layer = *chosen;
    waiting_.erase(chosen);
    profiling_ = model_.pump().io([context = model_.ioContext(), key = model_.workspace().profileKey(layer)](
                                      const RunControl& control) { return profileLayer(context, key, control); },
                                  [this, layer](JobOutcome<Profile> outcome) { take(layer, std::move(outcome)); });
}

void LayerProfiles::take(LayerIndex layer, JobOutcome<Profile> outcome) {
    profiling_.reset();
    if (auto* profile = std::get_if<Profile>(&outcome)) profiles_[layer] = std::move(*profile);
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) failures_[layer] = qt(failure->text);
    emit layerReady(layer.value);
    if (model_.choice() && model_.choice()->layer == layer) choiceChanged();
    next();
}

void LayerProfiles::choiceChanged() {
    regroup();
    emit chosenChanged();
}

void LayerProfiles::regroup() {
    if (!model_.choice() || !chosenLayer()) {
        groupingJob_.reset();
        groupingKey_.reset();
        grouping_.reset();
        groupingFailure_.clear();
        return;
    }
    const GroupingKey key = model_.workspace().groupingKey(model_.choice()->layer);
    if (groupingKey_ == key) return;
    groupingKey_ = key;
    groupingFailure_.clear();
    grouping_ = model_.workspace().store().groupings.find(key);
    if (grouping_) {
        groupingJob_.reset();
        emit chosenChanged();
        return;
    }
    groupingJob_ =
        model_.pump().compute([context = model_.computeContext(),
                               key](const RunControl& control) { return groupLayer(context, key, control); },
                              [this](JobOutcome<Grouping> outcome) { takeGrouping(std::move(outcome)); }, "Grouping");
}

void LayerProfiles::takeGrouping(JobOutcome<Grouping> outcome) {
    groupingJob_.reset();
    if (auto* grouping = std::get_if<Grouping>(&outcome)) grouping_ = std::move(*grouping);
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) groupingFailure_ = qt(failure->text);
    if (std::holds_alternative<Cancelled>(outcome)) groupingFailure_ = tr("The grouping was cancelled.");
    emit chosenChanged();
}

void LayerProfiles::cancel() {
    for (const LayerIndex layer : waiting_)
        failures_[layer] = tr("The profile was cancelled; press F5 to start again.");
    waiting_.clear();
    profiling_.cancel();
}

LayerProfiles::Profile LayerProfiles::layer(LayerIndex layer) const {
    const auto found = profiles_.find(layer);
    return found == profiles_.end() ? nullptr : found->second;
}

LayerProfiles::Profile LayerProfiles::chosenLayer() const {
    return model_.choice() ? layer(model_.choice()->layer) : nullptr;
}

const analysis::HeadProfile* LayerProfiles::chosenHead() const {
    const Profile profile = chosenLayer();  // lives on in profiles_
    return profile ? profile->find(model_.choice()->layer, model_.choice()->head) : nullptr;
}

const analysis::HeadGrouping* LayerProfiles::chosenGrouping() const {
    return grouping_ && model_.choice() ? grouping_->find(model_.choice()->layer, model_.choice()->head) : nullptr;
}

QString LayerProfiles::failure() const {
    if (!model_.choice()) return {};
    const auto found = failures_.find(model_.choice()->layer);
    return found == failures_.end() ? QString() : found->second;
}

float LayerProfiles::progress() const {
    if (total_ == 0) return 0.0F;
    const float done =
        static_cast<float>(total_ - waiting_.size()) - (profiling_ ? 1.0F - profiling_.progress() : 0.0F);
    return done / static_cast<float>(total_);
}

QString LayerProfiles::progressText() const {
    const std::size_t done = total_ - waiting_.size() - (profiling_ ? 1 : 0);
    return tr("Profiles %1 / %2").arg(done).arg(total_);
}

}  // namespace dimscope::app
