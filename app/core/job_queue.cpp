// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/job_queue.h"

namespace dimscope::app {

JobQueue::JobQueue() : worker_([this] { runJobs(); }) {}

JobQueue::~JobQueue() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        waiting_.clear();
        if (running_) running_->job->control().cancel();
    }
    wake_.notify_all();
    worker_.join();
}

void JobQueue::enqueue(std::shared_ptr<Job> job) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({std::move(job), std::chrono::steady_clock::now()});
    }
    wake_.notify_one();
}

void JobQueue::runJobs() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
        if (closing_) return;
        running_ = std::move(waiting_.front());
        waiting_.pop_front();
        const std::shared_ptr<Job> job = running_->job;
        lock.unlock();
        job->run();
        lock.lock();
        finished_.push_back(std::move(*running_));
        running_.reset();
    }
}

void JobQueue::deliver() {
    std::deque<Entry> finished;
    {
        const std::lock_guard lock(mutex_);
        finished.swap(finished_);
    }
    for (const Entry& entry : finished) entry.job->deliver();
}

std::vector<LiveJob> JobQueue::live() const {
    std::vector<LiveJob> jobs;
    const std::lock_guard lock(mutex_);
    const auto add = [&jobs](const Entry& entry, bool running) {
        // A cancelled job is as good as gone for whoever looks at the list.
        if (!entry.job->control().cancelled())
            jobs.push_back({entry.job->title(), entry.job->control(), entry.submitted, running});
    };
    if (running_) add(*running_, true);
    for (const Entry& entry : waiting_) add(entry, false);
    return jobs;
}

bool JobQueue::idle() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && !running_ && finished_.empty();
}

}  // namespace dimscope::app
