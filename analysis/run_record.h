// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "analysis/provenance.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Starts the record of a run and, when it is done, closes it with the seconds it took.
class RunRecord {
public:
    RunRecord(std::string verb, const kernels::Backend* backend, std::uint64_t seed);
    Provenance& provenance() { return provenance_; }
    Provenance finished();

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    Provenance provenance_;
};

}  // namespace dimscope::analysis
