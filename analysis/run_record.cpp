// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/run_record.h"

namespace dimscope::analysis {

RunRecord::RunRecord(std::string verb, const kernels::Backend* backend, std::uint64_t seed) {
    provenance_.version = programVersion();
    provenance_.verb = std::move(verb);
    provenance_.seed = seed;
    provenance_.started = timestampNow();
    if (backend) {
        const kernels::BackendInfo info = backend->info();
        provenance_.backend = info.name;
        provenance_.device = info.device;
    }
}

Provenance RunRecord::finished() {
    provenance_.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return provenance_;
}

}  // namespace dimscope::analysis
