// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace_model.h"

#include <QFileInfo>

#include "app/core/dump_opening.h"
#include "app/window/qt_text.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {

WorkspaceModel::WorkspaceModel(JobPump& pump, QObject* parent) : QObject(parent), pump_(pump) { listBackends(); }

void WorkspaceModel::listBackends() {
    using List = std::vector<kernels::BackendInfo>;
    listing_ = pump_.io([](const RunControl&) { return kernels::listBackends(); },
                        [this](JobOutcome<List> outcome) {
                            if (auto* list = std::get_if<List>(&outcome)) backends_ = std::move(*list);
                            emit backendsListed();
                        });
}

void WorkspaceModel::open(const QString& path) {
    const QFileInfo file(path);
    opening_ =
        pump_.io([where = pathOf(file.absoluteFilePath())](
                     const RunControl& control) { return openDumpSafely(where, {}, control); },
                 [this, path = file.absoluteFilePath()](JobOutcome<std::shared_ptr<analysis::HeadSource>> outcome) {
                     finishOpen(path, std::move(outcome));
                 },
                 "Opening " + file.fileName().toStdString());
}

void WorkspaceModel::finishOpen(const QString& path, JobOutcome<std::shared_ptr<analysis::HeadSource>> outcome) {
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) {
        emit openFailed(path, qt(openFailureSentence(QFileInfo(path).fileName().toStdString(), *failure)));
    } else if (auto* source = std::get_if<std::shared_ptr<analysis::HeadSource>>(&outcome)) {
        workspace_.adopt(pathOf(path), std::move(*source));
        emit opened();
    }
}

void WorkspaceModel::reload() {
    if (isOpen()) open(qt(workspace_.path()));
}

void WorkspaceModel::choose(HeadChoice choice) {
    if (workspace_.choose(choice)) emit choiceChanged();
}

void WorkspaceModel::goBack() {
    if (workspace_.goBack()) emit choiceChanged();
}

void WorkspaceModel::goForward() {
    if (workspace_.goForward()) emit choiceChanged();
}

void WorkspaceModel::setParameters(const Parameters& parameters) {
    if (parameters == workspace_.parameters()) return;
    workspace_.setParameters(parameters);
    emit parametersChanged();
}

void WorkspaceModel::setBackend(const std::string& name) {
    if (name == workspace_.backend()) return;
    workspace_.setBackend(name);
    emit backendChanged();
}

}  // namespace dimscope::app
