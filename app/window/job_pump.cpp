// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/job_pump.h"

#include <algorithm>

namespace dimscope::app {

JobPump::JobPump(QObject* parent) : QObject(parent) {
    timer_.setInterval(30);
    connect(&timer_, &QTimer::timeout, this, &JobPump::tick);
}

void JobPump::tick() {
    compute_.deliver();
    io_.deliver();
    if (idle()) timer_.stop();
    emit ticked();
}

std::vector<LiveJob> JobPump::live() const {
    std::vector<LiveJob> jobs = compute_.live();
    for (LiveJob& job : io_.live()) jobs.push_back(std::move(job));
    std::erase_if(jobs, [](const LiveJob& job) { return job.title.empty(); });
    std::sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.submitted < b.submitted; });
    return jobs;
}

}  // namespace dimscope::app
