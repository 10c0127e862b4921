// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "kernels/backend.h"
#include "kernels/cuda/rows/resident_tensors.h"
#include "kernels/cuda/rows/row_planner.h"

namespace dimscope::kernels::cuda {

/// Fills batches with the kernels of one attendRows and deals out what comes back.
class RowJobs {
public:
    /// All outlive this.
    RowJobs(std::span<const RowsJob> jobs, RowBatch& batch, ResidentTensors& tensors, cudaStream_t stream,
            const RunControl& control);

    /// Throws as Backend::attendRows.
    std::vector<std::vector<RowsOutput>> run();

private:
    /// One kernel of one job, or the exact keys beside it (section 13.6).
    struct Part {
        std::size_t job = 0, kernel = 0;
        bool exactKeys = false;
        AttentionMask mask;
        RowsOutput output;
    };
    /// Rows of a part that are in the batch.
    struct Planned {
        std::size_t part;
        Index from, count;
        RowPlace place;
    };
    void addParts(std::size_t job);
    void addRows(std::size_t part);
    void planRows(std::size_t part, Index from, Index count);
    DeviceHead headOf(const Part& part);
    const std::uint8_t* stagedMask(std::span<const std::uint8_t> valid);
    void flush();
    void take(const Planned& planned);
    RowsOutput joined(std::size_t first);

    std::span<const RowsJob> jobs_;
    RowBatch& batch_;
    ResidentTensors& tensors_;
    cudaStream_t stream_;
    const RunControl& control_;
    std::vector<Part> parts_;
    std::vector<Planned> planned_;
    std::map<const std::uint8_t*, const std::uint8_t*> masks_;  // of this batch
    std::size_t done_ = 0;
};

}  // namespace dimscope::kernels::cuda
