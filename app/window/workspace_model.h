// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "app/core/workspace.h"
#include "app/window/job_pump.h"
#include "kernels/backend.h"

namespace dimscope::app {

/// The workspace with signals: what every page and panel looks at and changes.
class WorkspaceModel : public QObject {
    Q_OBJECT

public:
    explicit WorkspaceModel(JobPump& pump, QObject* parent = nullptr);

    const Workspace& workspace() const { return workspace_; }
    bool isOpen() const { return workspace_.isOpen(); }
    const std::optional<HeadChoice>& choice() const { return workspace_.choice(); }
    const Parameters& parameters() const { return workspace_.parameters(); }
    const std::vector<kernels::BackendInfo>& backends() const { return backends_; }
    JobPump& pump() { return pump_; }
    JobContext computeContext() const { return workspace_.context(computeSlot_); }
    JobContext ioContext() const { return workspace_.context(ioSlot_); }

    void open(const QString& path);  ///< as a job; a later open drops an earlier one
    void reload();
    void choose(HeadChoice choice);
    void goBack();
    void goForward();
    bool canGoBack() { return workspace_.history().canGoBack(); }
    bool canGoForward() { return workspace_.history().canGoForward(); }
    void setParameters(const Parameters& parameters);
    void setBackend(const std::string& name);

signals:
    void opened();  ///< another dump, or the same one read again
    void openFailed(const QString& path, const QString& sentence);
    void choiceChanged();
    void parametersChanged();
    void backendChanged();
    void backendsListed();

private:
    void listBackends();
    void finishOpen(const QString& path, JobOutcome<std::shared_ptr<analysis::HeadSource>> outcome);

    JobPump& pump_;
    Workspace workspace_;
    std::shared_ptr<BackendSlot> computeSlot_ = std::make_shared<BackendSlot>();
    std::shared_ptr<BackendSlot> ioSlot_ = std::make_shared<BackendSlot>();
    std::vector<kernels::BackendInfo> backends_;
    JobHandle opening_, listing_;
};

}  // namespace dimscope::app
