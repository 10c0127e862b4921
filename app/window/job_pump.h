// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "app/core/job_queue.h"

namespace dimscope::app {

/// Carries finished jobs to the UI thread: a timer that runs only while jobs live. Owns the two queues, so that nothing
/// is delivered after it is gone.
class JobPump : public QObject {
    Q_OBJECT

public:
    explicit JobPump(QObject* parent = nullptr);

    /// Computation for what is looked at; short, and first in line.
    template <class Work, class Done>
    [[nodiscard]] JobHandle compute(Work work, Done done, std::string title = {}) {
        wake();
        return compute_.submit(std::move(work), std::move(done), std::move(title));
    }
    /// Files, and what takes its time beside the person's work.
    template <class Work, class Done>
    [[nodiscard]] JobHandle io(Work work, Done done, std::string title = {}) {
        wake();
        return io_.submit(std::move(work), std::move(done), std::move(title));
    }
    /// Jobs with a title that are neither delivered nor dropped, oldest first.
    std::vector<LiveJob> live() const;
    bool idle() const { return compute_.idle() && io_.idle(); }

signals:
    void ticked();  ///< about every 30 ms while jobs live, and once after the last

private:
    void wake() {
        if (!timer_.isActive()) timer_.start();  // restarting it at every change would put off the delivery
    }
    void tick();

    JobQueue compute_, io_;
    QTimer timer_;
};

}  // namespace dimscope::app
