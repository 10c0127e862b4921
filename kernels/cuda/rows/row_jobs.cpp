// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows/row_jobs.h"

#include <algorithm>
#include <limits>

#include "kernels/checks.h"
#include "kernels/exact_part.h"

namespace dimscope::kernels::cuda {

RowJobs::RowJobs(std::span<const RowsJob> jobs, RowBatch& batch, ResidentTensors& tensors, cudaStream_t stream,
                 const RunControl& control)
    : jobs_(jobs), batch_(batch), tensors_(tensors), stream_(stream), control_(control) {
    for (const RowsJob& job : jobs) checkRowsJob(job);
    for (std::size_t n = 0; n < jobs.size(); ++n) addParts(n);
}

void RowJobs::addParts(std::size_t job) {
    const RowsJob& own = jobs_[job];
    const Index rows = std::ssize(own.rows), positions = own.head.rows();
    for (std::size_t k = 0; k < own.kernels.size(); ++k) {
        Part part{job, k, false, own.head.mask, {}};
        part.output = {Matrix<double>(rows, own.head.valueDim()),
                       std::vector<std::uint8_t>(static_cast<std::size_t>(rows), 0),
                       own.wantWeights ? Matrix<float>(rows, positions) : Matrix<float>(),
                       0,
                       {}};
        const ExactPart exact = own.evaluation(k).exact;
        if (exact.empty() || std::holds_alternative<Softmax>(own.kernels[k])) {
            parts_.push_back(std::move(part));
            continue;
        }
        const SplitMasks masks = splitMasks(own.head.mask, exact, positions);
        Part beside = part;
        part.mask = masks.rest;
        beside.mask = masks.exact;
        beside.exactKeys = true;
        beside.output.exactMass.resize(static_cast<std::size_t>(rows));
        parts_.push_back(std::move(part));
        parts_.push_back(std::move(beside));
    }
}

std::vector<std::vector<RowsOutput>> RowJobs::run() {
    batch_.clear();
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        control_.throwIfCancelled();
        addRows(n);
    }
    flush();
    std::vector<std::vector<RowsOutput>> outputs(jobs_.size());
    for (std::size_t n = 0; n < parts_.size(); ++n)
        if (!parts_[n].exactKeys) outputs[parts_[n].job].push_back(joined(n));
    return outputs;
}

/// As many rows at a time as there is memory for: all, once the batch is empty half of them, and so on.
void RowJobs::addRows(std::size_t part) {
    const Index rows = std::ssize(jobs_[parts_[part].job].rows);
    Index count = rows;
    for (Index from = 0; from < rows;) {
        count = std::min(count, rows - from);
        try {
            planRows(part, from, count);
            from += count;
        } catch (const BatchFull&) {
            if (!planned_.empty())
                flush();
            else if (count > 1)
                count = (count + 1) / 2;
            else
                throw OutOfMemory("cuda: one query row of " +
                                  std::string(kernelName(jobs_[parts_[part].job].kernels[parts_[part].kernel])) +
                                  " needs more device memory than there is; choose a shorter length, fewer features or "
                                  "the backend cpu");
        }
    }
    ++done_;
}

void RowJobs::planRows(std::size_t part, Index from, Index count) {
    const RowsJob& job = jobs_[parts_[part].job];
    const DeviceHead head = headOf(parts_[part]);
    const auto rows = job.rows.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
    const RowBatch::Mark mark = batch_.mark();
    try {
        RowPlanner planner(batch_, head, rows);
        const RowPlace place = parts_[part].exactKeys ? planner.plan(Softmax{}, {})
                                                      : planner.plan(job.kernels[parts_[part].kernel],
                                                                     job.evaluation(parts_[part].kernel));
        planned_.push_back({part, from, count, place});
    } catch (const BatchFull&) {
        batch_.goBack(mark);
        throw;
    }
}

DeviceHead RowJobs::headOf(const Part& part) {
    const RowsJob& job = jobs_[part.job];
    const HeadInputs inputs = part.exactKeys ? exactKeysOf(job.head, part.mask) : job.head;
    DeviceHead head;
    head.query = tensors_.get<float>(inputs.query, inputs.queryOwner, stream_);
    head.key = tensors_.get<float>(inputs.key, inputs.keyOwner, stream_);
    head.value = tensors_.get<float>(inputs.value, inputs.valueOwner, stream_);
    head.mask = {part.mask.causal, part.mask.window, stagedMask(part.mask.valid), part.mask.split};
    head.positions = inputs.rows();
    head.headDim = static_cast<int>(inputs.headDim());
    head.valueDim = static_cast<int>(inputs.valueDim());
    head.scale = inputs.scale;
    head.softcap = inputs.softcap;
    head.sink = inputs.sink;
    return head;
}

const std::uint8_t* RowJobs::stagedMask(std::span<const std::uint8_t> valid) {
    if (valid.empty()) return nullptr;
    const auto found = masks_.find(valid.data());
    if (found != masks_.end()) return found->second;
    return masks_[valid.data()] = batch_.inputs.stage(valid);
}

void RowJobs::flush() {
    control_.throwIfCancelled();
    if (!planned_.empty()) batch_.run(stream_);
    for (const Planned& planned : planned_) take(planned);
    planned_.clear();
    masks_.clear();
    batch_.clear();
    tensors_.endBatch();
    control_.report(static_cast<float>(done_) / static_cast<float>(std::max<std::size_t>(parts_.size(), 1)));
}

void RowJobs::take(const Planned& planned) {
    RowsOutput& out = parts_[planned.part].output;
    const Index dim = out.values.cols();
    const double* values = batch_.results.hostOf(planned.place.values);
    const std::uint8_t* state = batch_.results.hostOf(planned.place.state);
    const double* mass = batch_.results.hostOf(planned.place.mass);
    std::copy_n(values, planned.count * dim, out.values.data() + planned.from * dim);
    for (Index r = 0; r < planned.count; ++r) {
        const auto n = static_cast<std::size_t>(planned.from + r);
        const auto row = static_cast<RowState>(state[r]);
        out.bad[n] = row == RowState::Bad ? 1 : 0;
        if (row == RowState::NegativeDenominator) ++out.negativeDenominators;
        if (!out.exactMass.empty()) out.exactMass[n] = mass[r];
    }
    if (out.weights.empty()) return;
    check(cudaMemcpy2D(out.weights.row(planned.from), static_cast<std::size_t>(out.weights.cols()) * sizeof(float),
                       planned.place.weights, static_cast<std::size_t>(planned.place.stride) * sizeof(float),
                       static_cast<std::size_t>(planned.place.keys) * sizeof(float),
                       static_cast<std::size_t>(planned.count), cudaMemcpyDeviceToHost),
          "copying weights from the device");
}

RowsOutput RowJobs::joined(std::size_t first) {
    Part& part = parts_[first];
    if (first + 1 == parts_.size() || !parts_[first + 1].exactKeys) return std::move(part.output);
    const RowsJob& job = jobs_[part.job];
    return joinExactPart(std::move(part.output), parts_[first + 1].output, part.mask, job.rows, job.head.rows(),
                         gateOf(job.kernels[part.kernel], job.evaluation(part.kernel).exact));
}

}  // namespace dimscope::kernels::cuda
