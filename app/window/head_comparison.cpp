// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/head_comparison.h"

#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

bool sameHead(const ComparisonKey& a, const ComparisonKey& b) {
    return a.dump == b.dump && a.layer == b.layer && a.head == b.head;
}

}  // namespace

HeadComparison::HeadComparison(WorkspaceModel& model, QObject* parent) : QObject(parent), model_(model) {
    connect(&model_, &WorkspaceModel::opened, this, &HeadComparison::refresh);
    connect(&model_, &WorkspaceModel::choiceChanged, this, &HeadComparison::refresh);
    connect(&model_, &WorkspaceModel::parametersChanged, this, &HeadComparison::refresh);
    connect(&model_, &WorkspaceModel::backendChanged, this, &HeadComparison::refresh);
}

void HeadComparison::setWanted(bool wanted) {
    if (wanted == wanted_) return;
    wanted_ = wanted;
    if (wanted_) {
        refresh();
    } else if (stale_ || layerJob_) {
        headJob_.reset();
        layerJob_.reset();
        headKey_.reset();  // to be asked for again
    }
}

void HeadComparison::refresh() {
    if (!wanted_) return;
    if (!model_.choice()) {
        headJob_.reset();
        layerJob_.reset();
        headKey_.reset();
        head_ = layer_ = nullptr;
        stale_ = false;
        failure_.clear();
        emit changed();
        return;
    }
    const ComparisonKey key = model_.workspace().headComparisonKey(*model_.choice());
    if (headKey_ == key) return;
    if (!headKey_ || !sameHead(*headKey_, key)) head_ = nullptr;  // numbers of another head are never shown
    headKey_ = key;
    failure_.clear();
    stale_ = true;
    layer_ = model_.workspace().store().comparisons.find(model_.workspace().layerComparisonKey(key.layer));
    layerJob_.reset();
    startHead(key);
    emit changed();
}

void HeadComparison::startHead(const ComparisonKey& key) {
    if (Result known = model_.workspace().store().comparisons.find(key)) {
        headJob_.reset();
        return takeHead(key, std::move(known));
    }
    headJob_ = model_.pump().compute([context = model_.computeContext(), key](
                                         const RunControl& control) { return compareKernelsOf(context, key, control); },
                                     [this, key](JobOutcome<Result> outcome) {
                                         takeHead(key, std::move(outcome));
                                         emit changed();
                                     },
                                     "Kernels of one head");
}

void HeadComparison::takeHead(const ComparisonKey& key, JobOutcome<Result> outcome) {
    stale_ = false;
    if (auto* result = std::get_if<Result>(&outcome)) head_ = std::move(*result);
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) {
        head_ = nullptr;
        failure_ = qt(failure->text);
    }
    if (std::holds_alternative<Cancelled>(outcome)) {
        headKey_.reset();
        failure_ = tr("The comparison was cancelled. Change a parameter or press F5 to start it again.");
    }
    if (head_ && failure_.isEmpty() && !layer_) startLayer(key);
}

void HeadComparison::startLayer(const ComparisonKey& headKey) {
    layerJob_ = model_.pump().compute(
        [context = model_.computeContext(), key = model_.workspace().layerComparisonKey(headKey.layer)](
            const RunControl& control) { return compareKernelsOf(context, key, control); },
        [this](JobOutcome<Result> outcome) {
            if (auto* result = std::get_if<Result>(&outcome)) layer_ = std::move(*result);
            layerJob_.reset();
            emit changed();
        },
        "Kernels of the layer");
}

}  // namespace dimscope::app
