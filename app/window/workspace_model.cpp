// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace_model.h"

#include <QFileInfo>
#include <QStandardPaths>

#include "app/window/qt_text.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {

namespace {

/// Beside the other settings of the program and the person.
std::filesystem::path readingsFile() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
    return folder.isEmpty() ? std::filesystem::path() : pathOf(folder + "/readings.json");
}

}  // namespace

WorkspaceModel::WorkspaceModel(JobPump& pump, QObject* parent) : QObject(parent), pump_(pump), memory_(readingsFile()) {
    listBackends();
}

void WorkspaceModel::listBackends() {
    using List = std::vector<kernels::BackendInfo>;
    listing_ = pump_.io([](const RunControl&) { return kernels::listBackends(); },
                        [this](JobOutcome<List> outcome) {
                            if (auto* list = std::get_if<List>(&outcome)) backends_ = std::move(*list);
                            emit backendsListed();
                        });
}

void WorkspaceModel::open(const QString& path) { read({pathOf(path), {}, DecidedBy::Nobody, {}}); }

void WorkspaceModel::read(ReadingRequest request) {
    const QFileInfo file(qt(request.path));
    const QString path = file.absoluteFilePath();
    request.path = pathOf(path);
    opening_ = pump_.io([request = std::move(request),
                         memory = memory_](const RunControl& control) { return readDump(request, memory, control); },
                        [this, path](JobOutcome<ReadingOutcome> outcome) { finishOpen(path, std::move(outcome)); },
                        "Opening " + file.fileName().toStdString());
}

void WorkspaceModel::finishOpen(const QString& path, JobOutcome<ReadingOutcome> outcome) {
    if (const auto* failure = std::get_if<JobFailure>(&outcome)) {
        emit openFailed(path, qt(openFailureSentence(QFileInfo(path).fileName().toStdString(), *failure)));
    } else if (auto* reading = std::get_if<ReadingOutcome>(&outcome)) {
        if (auto* opened = std::get_if<OpenedDump>(reading)) return adopt(path, std::move(*opened));
        const auto& question = std::get<OpenQuestion>(*reading);
        if (!question.complaint.empty()) emit complained(qt(question.complaint));
        emit questionAsked(question);
    }
}

void WorkspaceModel::adopt(const QString& path, OpenedDump opened) {
    workspace_.adopt(pathOf(path), std::move(opened.source));
    decisions_ = std::move(opened.decisions);
    decidedBy_ = opened.by;
    remembered_ = opened.by == DecidedBy::Memory || (opened.by == DecidedBy::Person && opened.complaint.empty());
    emit this->opened();
    if (!opened.complaint.empty()) emit complained(qt(opened.complaint));
}

void WorkspaceModel::reload() {
    if (!isOpen()) return;
    if (decidedBy_ == DecidedBy::CommandLine)
        read({workspace_.path(), decisions_, DecidedBy::CommandLine, {}});
    else
        open(qt(workspace_.path()));
}

void WorkspaceModel::forgetReading() {
    if (!isOpen()) return;
    forgetting_ = pump_.io(
        [memory = memory_, dump = workspace_.info().identity.sha256](const RunControl&) {
            memory.forget(dump);
            return true;
        },
        [this](JobOutcome<bool> outcome) {
            if (const auto* failure = std::get_if<JobFailure>(&outcome)) return emit complained(qt(failure->text));
            remembered_ = false;
            emit readingForgotten();
        });
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
