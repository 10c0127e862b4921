// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/worker_pool.h"
#include "kernels/sequence.h"

namespace dimscope::kernels::cpu {

/// Float products with double sums on all cores: dispatch only.
class CpuBackend : public Backend {
public:
    explicit CpuBackend(int threads) : pool_(threads) {}
    BackendInfo info() const override;
    Support supports(const KernelSpec& spec, const HeadShape& shape) const override;
    std::vector<std::vector<RowsOutput>> attendRows(std::span<const RowsJob> jobs, const RunControl& control) override;
    std::vector<SequenceOutput> attendSequences(std::span<const SequenceJob> jobs, const RunControl& control) override;
    std::vector<ProfileOutput> profile(std::span<const ProfileJob> jobs, const RunControl& control) override;

private:
    WorkerPool pool_;
};

}  // namespace dimscope::kernels::cpu
