// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench_inputs.h"
#include "analysis/bench/operator_error.h"
#include "analysis/bench/timing.h"
#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"
#include "kernels/backend_registry.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::RowsOutput;

/// The query rows of a comparison on all heads, kernel by kernel.
class ComparisonBench {
public:
    ComparisonBench(const BenchInputs& inputs, Index positions, const RunControl& control)
        : inputs_(inputs),
          positions_(positions),
          loader_(inputs.source, inputs.layer, inputs.params.prompt, positions, true),
          rows_(sampleRows({inputs.params.prompt}, inputs.source, positions, inputs.params.rows, inputs.params.seed,
                           inputs.result.warnings)
                    .front()) {
        for (int h = 0; h < inputs.layer.nHeads; ++h) heads_.push_back(loader_.inputs(HeadIndex{h}, control));
    }

    void measure(BenchRow& row, const RunControl& control) {
        const std::vector<KernelSpec> specs = inputs_.specsOf(row.kernel);
        if (specs.empty()) return;
        const kernels::Support support = inputs_.backend.supports(specs.front(), inputs_.shape(positions_));
        if (!support.supported) return inputs_.warn("unsupported", row.kernel, support.reason);
        const std::vector<kernels::RowsJob> jobs = jobsOf(specs);
        std::vector<std::vector<RowsOutput>> outputs;
        const Timing timing = timed(inputs_.params.repeat, control.slice(0.0F, 0.8F),
                                    [&](const RunControl& pass) { outputs = inputs_.backend.attendRows(jobs, pass); });
        row.ms = timing.medianMs;
        row.msLeast = timing.leastMs;
        if (row.backend == "reference") return;
        row.error =
            rowsError(onlyKernel(outputs),
                      onlyKernel(kernels::makeBackend("reference")->attendRows(jobs, control.slice(0.8F, 1.0F))));
    }

private:
    std::vector<kernels::RowsJob> jobsOf(std::span<const KernelSpec> specs) const {
        std::vector<kernels::RowsJob> jobs;
        for (std::size_t h = 0; h < heads_.size(); ++h) jobs.push_back({heads_[h], rows_, specs.subspan(h, 1)});
        return jobs;
    }
    static std::vector<RowsOutput> onlyKernel(const std::vector<std::vector<RowsOutput>>& outputs) {
        std::vector<RowsOutput> first;
        for (const std::vector<RowsOutput>& head : outputs) first.push_back(head.front());
        return first;
    }

    const BenchInputs& inputs_;
    Index positions_;
    HeadLoader loader_;
    std::vector<Index> rows_;
    std::vector<kernels::HeadInputs> heads_;
};

}  // namespace

void benchComparison(const BenchInputs& inputs, const RunControl& control) {
    std::vector<std::string> names{"softmax"};
    for (const std::string& kernel : inputs.params.kernels)
        if (kernel != "softmax") names.push_back(kernel);
    const std::vector<Index>& lengths = inputs.params.positions;
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        const RunControl length = control.part(l, lengths.size());
        ComparisonBench bench(inputs, lengths[l], length.slice(0.0F, 0.02F));
        std::optional<double> exactMs;
        for (std::size_t n = 0; n < names.size(); ++n) {
            BenchRow row{.kernel = names[n], .backend = inputs.backend.info().name, .positions = lengths[l]};
            bench.measure(row, length.part(n, names.size()));
            if (names[n] == "softmax") exactMs = row.ms;
            if (row.ms && exactMs) row.ratioToExact = *row.ms / *exactMs;
            inputs.result.rows.push_back(row);
        }
    }
}

}  // namespace dimscope::analysis
