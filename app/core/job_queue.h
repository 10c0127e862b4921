// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/core/error_text.h"
#include "kernels/run_control.h"

namespace dimscope::app {

using kernels::Cancelled;
using kernels::RunControl;

/// What becomes of a job: its value, a person's stop, or a failure in words.
template <class T>
using JobOutcome = std::variant<T, Cancelled, JobFailure>;

/// One piece of work and its callback. The worker touches `work` and `control`, the owner's thread `done`.
class Job {
public:
    Job(RunControl control, std::string title) : control_(std::move(control)), title_(std::move(title)) {}
    virtual ~Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    virtual void run() = 0;      ///< worker's thread; keeps the outcome, lets no exception out
    virtual void deliver() = 0;  ///< owner's thread; runs the callback once, unless dropped
    virtual void drop() = 0;     ///< owner's thread; the callback will never run

    const RunControl& control() const { return control_; }
    const std::string& title() const { return title_; }

private:
    RunControl control_;
    std::string title_;
};

template <class T, class Work, class Done>
class TypedJob final : public Job {
public:
    TypedJob(RunControl control, std::string title, Work work, Done done)
        : Job(std::move(control), std::move(title)), work_(std::move(work)), done_(std::move(done)) {}

    void run() override {
        outcome_.emplace(outcomeOfWork());
        work_.reset();  // what the work captured is not kept until delivery
    }
    void deliver() override {
        if (!done_) return;
        Done done = std::move(*done_);
        done_.reset();  // the callback may assign a new job to its own handle
        done(std::move(*outcome_));
    }
    void drop() override { done_.reset(); }

private:
    JobOutcome<T> outcomeOfWork() {
        try {
            control().throwIfCancelled();
            JobOutcome<T> value((*work_)(control()));
            if (control().cancelled()) return Cancelled{};
            return value;
        } catch (const Cancelled& cancelled) {
            return cancelled;
        } catch (...) {
            return failureOf(std::current_exception());
        }
    }

    std::optional<Work> work_;
    std::optional<Done> done_;
    std::optional<JobOutcome<T>>
        outcome_;  // written by the worker before the job is handed over under the queue's lock
};

/// Owner of one job: dropping or reassigning it cancels the job, and its callback never runs. Used on the owner's
/// thread.
class JobHandle {
public:
    JobHandle() = default;
    explicit JobHandle(std::shared_ptr<Job> job) : job_(std::move(job)) {}
    JobHandle(JobHandle&& other) noexcept = default;
    JobHandle& operator=(JobHandle&& other) noexcept {
        if (this != &other) {
            reset();
            job_ = std::move(other.job_);
        }
        return *this;
    }
    ~JobHandle() { reset(); }

    void reset() {
        if (const std::shared_ptr<Job> job = std::exchange(job_, nullptr)) {
            job->control().cancel();
            job->drop();
        }
    }
    /// Asks the job to stop; `Cancelled` is then delivered like any outcome.
    void cancel() const {
        if (job_) job_->control().cancel();
    }
    /// Fraction done, 0..1; polled, so a tight loop cannot flood anybody.
    float progress() const { return job_ ? job_->control().progress() : 0.0F; }
    explicit operator bool() const { return job_ != nullptr; }

private:
    std::shared_ptr<Job> job_;
};

/// A job that has been submitted and not yet delivered, for a list of what is going on.
struct LiveJob {
    std::string title;
    RunControl control;
    std::chrono::steady_clock::time_point submitted;
    bool running = false;
};

/// One worker thread, first in first out. Work closures capture values and shared_ptr<const ...> only. All members are
/// called on the owner's thread. Destroying the queue cancels, joins and runs nothing.
class JobQueue {
public:
    JobQueue();
    ~JobQueue();
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    /// Work: T(const RunControl&), on the worker; Done: void(JobOutcome<T>), on the thread that calls deliver().
    template <class Work, class Done>
    [[nodiscard]] JobHandle submit(Work work, Done done, std::string title = {}) {
        using T = std::invoke_result_t<Work, const RunControl&>;
        auto job =
            std::make_shared<TypedJob<T, Work, Done>>(RunControl{}, std::move(title), std::move(work), std::move(done));
        enqueue(job);
        return JobHandle(std::move(job));
    }
    /// Runs the callbacks of finished jobs.
    void deliver();
    /// Submitted and neither delivered nor dropped.
    std::vector<LiveJob> live() const;
    bool idle() const;

private:
    struct Entry {
        std::shared_ptr<Job> job;
        std::chrono::steady_clock::time_point submitted;
    };
    void enqueue(std::shared_ptr<Job> job);
    void runJobs();

    mutable std::mutex mutex_;  // guards everything down to closing_
    std::condition_variable wake_;
    std::deque<Entry> waiting_;
    std::optional<Entry> running_;
    std::deque<Entry> finished_;
    bool closing_ = false;
    std::thread worker_;
};

}  // namespace dimscope::app
