// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/profile/profile_jobs.h"

#include <tuple>

#include "kernels/cuda/profile/contributions.cuh"
#include "kernels/profile_groups.h"

namespace dimscope::kernels::cuda {
namespace {

template <class Real>
using RealOf = std::conditional_t<std::is_same_v<Real, MatrixView<float>>, float, double>;

/// Tasks of one pair of precisions.
template <class Query, class Key>
struct ContributionTasks {
    using Task = ContributionTask<Query, Key>;
    TaskList<Task> byChunk, byTask, byWalk, byHead;

    void add(const Task& task) {
        byChunk.add(task, chunkBlocks(task.positions));
        byTask.add(task, 1);
        byWalk.add(task, walkBlocks(task.positions, task.dim));
        byHead.add(task, task.heads);
    }
    void clear() { *this = {}; }
};

class ProfileRun {
public:
    ProfileRun(ProfileMemory memory, ResidentTensors& tensors, cudaStream_t stream)
        : memory_(memory), tensors_(tensors), stream_(stream) {
        release();
    }

    /// Throws BatchFull where it does not fit beside the others.
    void add(std::span<const ProfileJob> group) {
        std::visit(
            [&](const auto& query, const auto& key) {
                addTyped<RealOf<std::decay_t<decltype(query)>>, RealOf<std::decay_t<decltype(key)>>>(group);
            },
            group.front().head.query, group.front().head.key);
    }
    bool empty() const { return planned_.empty(); }

    void run(std::vector<ProfileOutput>& outputs) {
        std::apply([this](auto&... tasks) { (stageTasks(tasks), ...); }, tasks_);
        memory_.inputs.upload(stream_);
        std::apply([this](const auto&... staged) { (launchContributions(staged, stream_), ...); }, staged_);
        memory_.results.download(stream_);
        check(cudaStreamSynchronize(stream_), "profiling heads");
        for (const Planned& planned : planned_) take(planned, outputs);
        planned_.clear();
        release();
    }

private:
    struct Planned {
        std::span<const ProfileJob> group;
        const double* out;
        double pairs;
    };

    template <class Query, class Key>
    void addTyped(std::span<const ProfileJob> group) {
        const HeadInputs& head = group.front().head;
        ContributionTask<Query, Key> task;
        task.heads = static_cast<int>(group.size());
        task.dim = static_cast<int>(head.headDim());
        task.positions = head.rows();
        task.causal = head.mask.causal;
        task.window = head.mask.window;
        task.key = tensors_.get<Key>(head.key, head.keyOwner, stream_);
        std::vector<const Query*> queries;
        std::vector<double> scales;
        for (const ProfileJob& job : group) {
            queries.push_back(tensors_.get<Query>(job.head.query, job.head.queryOwner, stream_));
            scales.push_back(job.head.scale);
        }
        task.queries = memory_.inputs.stage(std::span<const Query* const>(queries));
        task.scales = memory_.inputs.stage(std::span<const double>(scales));
        if (!head.mask.valid.empty()) task.valid = memory_.inputs.stage(head.mask.valid);
        countPositions(head, task);
        task.counts = memory_.scratch.take<double>(countsOf(task.positions));
        task.sums = memory_.scratch.take<double>(sumsOf(task.positions, task.dim));
        task.headSums = memory_.scratch.take<double>(headSumsOf(task.positions, task.heads, task.dim));
        task.out = memory_.results.take<double>(static_cast<Index>(task.heads) * kProfileColumns * task.dim);
        std::get<ContributionTasks<Query, Key>>(tasks_).add(task);
        planned_.push_back({group, task.out, task.pairs});
    }

    template <class Task>
    static void countPositions(const HeadInputs& head, Task& task) {
        const AttentionMask& mask = head.mask;
        task.firstQuery = std::max<Index>(mask.queries.first, 0);
        task.endQuery = std::min(mask.queries.end, head.rows());
        double total = 0.0, seen = 0.0;
        for (Index j = head.rows() - 1; j >= 0; --j) {
            if (!mask.isValid(j)) continue;
            total += 1.0;
            task.firstKey = j;
        }
        for (Index i = 0; i < head.rows(); ++i) {
            if (mask.isValid(i)) seen += 1.0;
            if (mask.window > 0 && i >= mask.window && mask.isValid(i - mask.window)) seen -= 1.0;
            if (!mask.isQuery(i)) continue;
            task.queryCount += 1.0;
            task.pairs += mask.causal ? seen : total;
        }
        task.keys = total;
    }

    template <class Query, class Key>
    void stageTasks(ContributionTasks<Query, Key>& tasks) {
        std::get<DealtContributions<Query, Key>>(staged_) = {onDevice(tasks.byChunk), onDevice(tasks.byTask),
                                                             onDevice(tasks.byWalk), onDevice(tasks.byHead)};
    }
    template <class Task>
    DeviceTasks<Task> onDevice(const TaskList<Task>& list) {
        return {memory_.inputs.stage(std::span<const Task>(list.tasks())), static_cast<int>(list.tasks().size()),
                list.blocks()};
    }
    static void take(const double* from, Index dim, ProfileColumn column, std::vector<double>& to) {
        const double* first = from + static_cast<int>(column) * dim;
        to.assign(first, first + dim);
    }
    void take(const Planned& planned, std::vector<ProfileOutput>& outputs) const {
        const Index dim = planned.group.front().head.headDim();
        const double* from = memory_.results.hostOf(planned.out);
        for (std::size_t n = 0; n < planned.group.size(); ++n, from += kProfileColumns * dim) {
            ProfileOutput& out = outputs.emplace_back();
            take(from, dim, ProfileColumn::QueryMean, out.qMeanAbs);
            take(from, dim, ProfileColumn::QueryMax, out.qMaxAbs);
            take(from, dim, ProfileColumn::KeyMean, out.kMeanAbs);
            take(from, dim, ProfileColumn::KeyMax, out.kMaxAbs);
            take(from, dim, ProfileColumn::Chi, out.chi);
            take(from, dim, ProfileColumn::ChiEffective, out.chiEffective);
            out.pairs = planned.pairs;
        }
    }
    void release() {
        memory_.scratch.release();
        memory_.inputs.release();
        memory_.results.release();
        std::apply([](auto&... tasks) { (tasks.clear(), ...); }, tasks_);
        tensors_.endBatch();
    }

    ProfileMemory memory_;
    ResidentTensors& tensors_;
    cudaStream_t stream_;
    std::tuple<ContributionTasks<float, float>, ContributionTasks<float, double>, ContributionTasks<double, float>,
               ContributionTasks<double, double>>
        tasks_;
    std::tuple<DealtContributions<float, float>, DealtContributions<float, double>, DealtContributions<double, float>,
               DealtContributions<double, double>>
        staged_;
    std::vector<Planned> planned_;
};

}  // namespace

std::vector<ProfileOutput> runProfiles(std::span<const ProfileJob> jobs, ProfileMemory memory, ResidentTensors& tensors,
                                       cudaStream_t stream, const RunControl& control) {
    const std::vector<std::span<const ProfileJob>> groups = profileGroups(jobs);
    std::vector<ProfileOutput> outputs;
    ProfileRun run(memory, tensors, stream);
    for (std::size_t n = 0; n < groups.size(); ++n) {
        control.throwIfCancelled();
        try {
            run.add(groups[n]);
        } catch (const BatchFull&) {
            if (run.empty())
                throw OutOfMemory(
                    "cuda: the profile of one key head needs more device memory than there is; choose a "
                    "shorter length or the backend cpu");
            run.run(outputs);
            control.report(static_cast<float>(n) / static_cast<float>(groups.size()));
            --n;
        }
    }
    control.throwIfCancelled();
    if (!run.empty()) run.run(outputs);
    control.report(1.0F);
    return outputs;
}

}  // namespace dimscope::kernels::cuda
