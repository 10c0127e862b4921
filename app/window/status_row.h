// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <chrono>
#include <functional>
#include <optional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace dimscope::app {

class LayerProfiles;
class WorkspaceModel;

/// What is going on (anything that takes longer than 0.2 s, with progress, remaining time and Cancel), and with which
/// backend, seed, rows and length the numbers were made.
class StatusRow : public QWidget {
    Q_OBJECT

public:
    StatusRow(WorkspaceModel& model, LayerProfiles& profiles, QWidget* parent = nullptr);

    void cancelNewest();

private:
    using Clock = std::chrono::steady_clock;
    struct Activity {
        QString title;
        float progress = 0.0F;
        Clock::time_point started;
        std::function<void()> cancel;
    };
    std::optional<Activity> newest() const;
    void refresh();
    void refreshFacts();

    WorkspaceModel& model_;
    LayerProfiles& profiles_;
    QLabel* title_;
    QProgressBar* bar_;
    QLabel* remaining_;
    QPushButton* cancel_;
    QLabel* facts_;
};

/// "1 min 20 s left"; empty while too little is known.
QString remainingText(float progress, std::chrono::milliseconds elapsed);

}  // namespace dimscope::app
