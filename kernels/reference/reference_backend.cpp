// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/reference/reference_backend.h"

#include "kernels/checks.h"
#include "kernels/reference/pairwise.h"
#include "kernels/state/sequence_attention.h"

namespace dimscope::kernels::reference {
BackendInfo ReferenceBackend::info() const { return {"reference", "CPU, 1 thread, double, pair by pair", ""}; }

Support ReferenceBackend::supports(const KernelSpec& spec, const HeadShape& shape) const { return fits(spec, shape); }

std::vector<std::vector<RowsOutput>> ReferenceBackend::attendRows(std::span<const RowsJob> jobs,
                                                                  const RunControl& control) {
    for (const RowsJob& job : jobs) checkRowsJob(job);
    std::vector<std::vector<RowsOutput>> outputs;
    for (std::size_t n = 0; n < jobs.size(); ++n) {
        const RunControl jobControl = control.part(n, jobs.size());
        std::vector<RowsOutput>& out = outputs.emplace_back();
        for (std::size_t k = 0; k < jobs[n].kernels.size(); ++k) {
            out.push_back(reference::attendRows(jobs[n].kernels[k], jobs[n].evaluation(k), jobs[n].head, jobs[n].rows,
                                                jobs[n].wantWeights, control));
            jobControl.part(k, jobs[n].kernels.size()).report(1.0F);
        }
    }
    return outputs;
}

std::vector<SequenceOutput> ReferenceBackend::attendSequences(std::span<const SequenceJob> jobs,
                                                              const RunControl& control) {
    std::vector<SequenceOutput> outputs;
    for (std::size_t n = 0; n < jobs.size(); ++n)
        outputs.push_back(state::attendSequence<double>(jobs[n], control.part(n, jobs.size())));
    return outputs;
}

std::vector<ProfileOutput> ReferenceBackend::profile(std::span<const ProfileJob> jobs, const RunControl& control) {
    for (const ProfileJob& job : jobs) checkProfileJob(job);
    std::vector<ProfileOutput> outputs;
    for (std::size_t n = 0; n < jobs.size(); ++n)
        outputs.push_back(reference::profile(DoubleHead(jobs[n].head), control.part(n, jobs.size())));
    return outputs;
}

}  // namespace dimscope::kernels::reference
