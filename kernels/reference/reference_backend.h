// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/sequence.h"

namespace dimscope::kernels::reference {

/// The oracle behind the common interface: double precision, one thread, O(rows) per query row and pair by pair.
class ReferenceBackend : public Backend {
public:
    BackendInfo info() const override;
    Support supports(const KernelSpec& spec, const HeadShape& shape) const override;
    std::vector<std::vector<RowsOutput>> attendRows(std::span<const RowsJob> jobs, const RunControl& control) override;
    std::vector<SequenceOutput> attendSequences(std::span<const SequenceJob> jobs, const RunControl& control) override;
    std::vector<ProfileOutput> profile(std::span<const ProfileJob> jobs, const RunControl& control) override;
};

}  // namespace dimscope::kernels::reference
