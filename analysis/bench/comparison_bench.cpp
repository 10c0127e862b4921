// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/bench/bench_inputs.h"
#include "analysis/bench/operator_error.h"
#include "analysis/bench/timing.h"
#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"
#include "kernels/backend_registry.h"
#include "kernels/checks.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::RowsOutput;

constexpr std::size_t kSubsetSize = 4;  // dimensions outside the bulk of a typical head

/// `count` random subsets of dimensions.
std::vector<kernels::Evaluation> randomRestrictions(int count, Index headDim, std::uint64_t seed) {
    kernels::RandomStream random(seed, kernels::RandomPurpose::RandomSubsets);
    std::vector<kernels::Evaluation> how;
    for (int n = 0; n < count; ++n) {
        auto mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(headDim), std::uint8_t{0});
        for (std::size_t left = std::min(kSubsetSize, mask->size()); left > 0;) {
            std::uint8_t& chosen = (*mask)[random.below(mask->size())];
            left -= chosen == 0 ? 1 : 0;
            chosen = 1;
        }
        how.push_back({{}, {}, std::move(mask)});
    }
    return how;
}

/// The query rows of a comparison on all heads, kernel by kernel; each restricted in turn to every subset of
/// BenchJob::Subsets.
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
        how_.resize(1);
        if (inputs.params.job == BenchJob::Subsets)
            how_ = randomRestrictions(inputs.params.replicates, inputs.layer.headDim, inputs.params.seed);
    }

    void measure(BenchRow& row, const RunControl& control) {
        const std::vector<KernelSpec> specs = inputs_.specsOf(row.kernel);
        if (specs.empty()) return;
        const kernels::Support support = inputs_.backend.supports(specs.front(), inputs_.shape(positions_));
        if (!support.supported) return inputs_.warn("unsupported", row.kernel, support.reason);
        const kernels::Support restriction = kernels::fits(specs.front(), how_.front(), inputs_.shape(positions_));
        if (!restriction.supported) return inputs_.warn("unsupported", row.kernel, restriction.reason);
        std::vector<std::vector<KernelSpec>> repeated;
        for (const KernelSpec& spec : specs) repeated.emplace_back(how_.size(), spec);
        const std::vector<kernels::RowsJob> jobs = jobsOf(repeated, how_.size());
        std::vector<std::vector<RowsOutput>> outputs;
        const Timing timing = timed(inputs_.params.repeat, control.slice(0.0F, 0.8F),
                                    [&](const RunControl& pass) { outputs = inputs_.backend.attendRows(jobs, pass); });
        row.ms = timing.medianMs;
        row.msLeast = timing.leastMs;
        if (row.backend == "reference") return;
        // Pair by pair in double is slow: of many restrictions the first alone.
        const std::vector<kernels::RowsJob> checked = jobsOf(repeated, 1);
        row.error =
            rowsError(firstOf(outputs),
                      firstOf(kernels::makeBackend("reference")->attendRows(checked, control.slice(0.8F, 1.0F))));
    }

private:
    /// `specs`: per head, one per evaluation; the first `count` of them.
    std::vector<kernels::RowsJob> jobsOf(const std::vector<std::vector<KernelSpec>>& specs, std::size_t count) const {
        std::vector<kernels::RowsJob> jobs;
        for (std::size_t h = 0; h < heads_.size(); ++h)
            jobs.push_back({heads_[h], rows_, std::span(specs[h]).first(count), false, std::span(how_).first(count)});
        return jobs;
    }
    static std::vector<RowsOutput> firstOf(const std::vector<std::vector<RowsOutput>>& outputs) {
        std::vector<RowsOutput> first;
        for (const std::vector<RowsOutput>& head : outputs) first.push_back(head.front());
        return first;
    }

    const BenchInputs& inputs_;
    Index positions_;
    HeadLoader loader_;
    std::vector<Index> rows_;
    std::vector<kernels::HeadInputs> heads_;
    std::vector<kernels::Evaluation> how_;  // of every kernel
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
