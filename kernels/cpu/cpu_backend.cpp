// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/cpu_backend.h"

#include <algorithm>
#include <mutex>

#include "kernels/checks.h"
#include "kernels/cpu/evaluated_rows.h"
#include "kernels/cpu/profile.h"
#include "kernels/profile_groups.h"
#include "kernels/state/sequence_attention.h"

namespace dimscope::kernels::cpu {
namespace {

/// One kernel of one job.
struct Task {
    std::size_t job, kernel;
    Index features;  // cost of its feature map per key and dimension: long tasks start first
};

Index featureCount(const KernelSpec& spec) {
    if (const auto* performer = std::get_if<Performer>(&spec)) return performer->projection->rows();
    if (const auto* rfa = std::get_if<Rfa>(&spec)) return 4 * rfa->projection->rows();  // in double
    if (const auto* sketch = std::get_if<PolySketch>(&spec)) return 2 * sketch->s1->cols();
    const bool maps = std::holds_alternative<SpectraFormer>(spec) ||
                      std::holds_alternative<SpectraFormerUnbiased>(spec) || std::holds_alternative<DiJiang>(spec) ||
                      std::holds_alternative<Hedgehog>(spec) || std::holds_alternative<Lolcats>(spec);
    return maps ? 64 : 1;
}

std::vector<Task> tasksOf(std::span<const RowsJob> jobs) {
    std::vector<Task> tasks;
    for (std::size_t n = 0; n < jobs.size(); ++n)
        for (std::size_t k = 0; k < jobs[n].kernels.size(); ++k)
            tasks.push_back({n, k, featureCount(jobs[n].kernels[k])});
    std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.features > b.features; });
    return tasks;
}

/// Scratch memory, as many pieces as tasks run at a time.
class ScratchPool {
public:
    RowScratch take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return {};
        RowScratch scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
    }
    void giveBack(RowScratch scratch) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(scratch));
    }

private:
    std::mutex mutex_;
    std::vector<RowScratch> free_;
};

}  // namespace

BackendInfo CpuBackend::info() const {
    const int threads = pool_.threads();
    return {"cpu", "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") + ", float", ""};
}

Support CpuBackend::supports(const KernelSpec& spec, const HeadShape& shape) const { return fits(spec, shape); }

std::vector<std::vector<RowsOutput>> CpuBackend::attendRows(std::span<const RowsJob> jobs, const RunControl& control) {
    std::vector<std::unique_ptr<FloatHead>> heads;
    std::vector<std::vector<RowsOutput>> outputs;
    for (const RowsJob& job : jobs) {
        checkRowsJob(job);
        heads.push_back(std::make_unique<FloatHead>(job.head));
        outputs.emplace_back(job.kernels.size());
    }
    const std::vector<Task> tasks = tasksOf(jobs);
    ScratchPool pool;
    pool_.run(static_cast<Index>(tasks.size()), control, [&](Index n) {
        const Task& task = tasks[static_cast<std::size_t>(n)];
        RowScratch scratch = pool.take();
        outputs[task.job][task.kernel] =
            cpu::attendRows(jobs[task.job], task.kernel, *heads[task.job], control, scratch);
        pool.giveBack(std::move(scratch));
    });
    return outputs;
}

std::vector<SequenceOutput> CpuBackend::attendSequences(std::span<const SequenceJob> jobs, const RunControl& control) {
    std::vector<SequenceOutput> outputs(jobs.size());
    pool_.run(static_cast<Index>(jobs.size()), control, [&](Index n) {
        const SequenceJob& job = jobs[static_cast<std::size_t>(n)];
        const RunControl silent = control.part(0, jobs.size());
        outputs[static_cast<std::size_t>(n)] = state::fitsFloat(job.kernel)
                                                   ? state::attendSequence<float>(job, silent)
                                                   : state::attendSequence<double>(job, silent);
    });
    return outputs;
}

std::vector<ProfileOutput> CpuBackend::profile(std::span<const ProfileJob> jobs, const RunControl& control) {
    const std::vector<std::span<const ProfileJob>> groups = profileGroups(jobs);
    std::vector<std::vector<ProfileOutput>> parts(groups.size());
    pool_.run(static_cast<Index>(groups.size()), control, [&](Index n) {
        parts[static_cast<std::size_t>(n)] = profileGroup(groups[static_cast<std::size_t>(n)], control);
    });
    std::vector<ProfileOutput> outputs;
    for (std::vector<ProfileOutput>& part : parts) std::move(part.begin(), part.end(), std::back_inserter(outputs));
    return outputs;
}

}  // namespace dimscope::kernels::cpu
