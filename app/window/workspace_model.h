// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "app/core/dump_reading.h"
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

    // As jobs; a later one drops an earlier one.
    void open(const QString& path);     ///< as is remembered about the file, else as it says itself
    void read(ReadingRequest request);  ///< in a way that was decided
    void reload();
    void cancelOpening() { opening_.reset(); }

    const io::ReadingDecisions& decisions() const { return decisions_; }  ///< about the open dump
    DecidedBy decidedBy() const { return decidedBy_; }
    bool isRemembered() const { return remembered_; }
    /// The next opening does not know of the decisions; the open dump stays as it is.
    void forgetReading();
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
    /// The file leaves a choice; the open dump stays.
    void questionAsked(const dimscope::app::OpenQuestion& question);
    void readingForgotten();
    void complained(const QString& sentence);  ///< about something that does not keep a file from being open
    void choiceChanged();
    void parametersChanged();
    void backendChanged();
    void backendsListed();

private:
    void listBackends();
    void finishOpen(const QString& path, JobOutcome<ReadingOutcome> outcome);
    void adopt(const QString& path, OpenedDump opened);

    JobPump& pump_;
    Workspace workspace_;
    std::shared_ptr<BackendSlot> computeSlot_ = std::make_shared<BackendSlot>();
    std::shared_ptr<BackendSlot> ioSlot_ = std::make_shared<BackendSlot>();
    std::vector<kernels::BackendInfo> backends_;
    ReadingMemory memory_;
    io::ReadingDecisions decisions_;
    DecidedBy decidedBy_ = DecidedBy::Nobody;
    bool remembered_ = false;
    JobHandle opening_, listing_, forgetting_;
};

}  // namespace dimscope::app
