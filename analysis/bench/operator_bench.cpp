// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/bench/bench_inputs.h"
#include "analysis/bench/operator_error.h"
#include "analysis/bench/timing.h"
#include "kernels/kernel_cost.h"

namespace dimscope::analysis {
namespace {

/// Operations of all heads for all tokens, as kernel_cost.h counts them; exact attention by its visible pairs.
double operations(std::span<const kernels::KernelSpec> specs, const kernels::HeadShape& shape) {
    double sum = 0.0;
    for (const kernels::KernelSpec& spec : specs)
        sum += static_cast<double>(shape.rows) * kernels::kernelCost(spec, shape).flopsPerToken;
    return sum;
}

Index badCount(const kernels::SequenceUse& use) {
    Index count = 0;
    for (const std::vector<Index>& positions : use.bad) count += static_cast<Index>(positions.size());
    return count;
}

class OperatorBench {
public:
    OperatorBench(const BenchInputs& inputs, kernels::SequenceOperators& operators, BenchTensors& tensors)
        : inputs_(inputs), operators_(operators), tensors_(tensors) {}

    void run(Index positions, const std::vector<std::string>& names, const RunControl& control) {
        std::optional<double> exactMs;
        for (std::size_t n = 0; n < names.size(); ++n) {
            BenchRow row{.kernel = names[n], .backend = inputs_.backend.info().name, .positions = positions};
            measure(row, control.part(n, names.size()));
            if (names[n] == "softmax") exactMs = row.ms;
            if (row.ms && exactMs) row.ratioToExact = *row.ms / *exactMs;
            inputs_.result.rows.push_back(row);
        }
    }

private:
    void measure(BenchRow& row, const RunControl& control) {
        const std::vector<kernels::KernelSpec> specs = inputs_.specsOf(row.kernel);
        const kernels::SequenceOperator attend = operators_.make(specs);
        if (!attend) {
            if (!specs.empty()) inputs_.warn("no-operator", row.kernel, "the kernel has no linear-time form");
            return control.report(1.0F);
        }
        const kernels::SequenceTensors tensors = tensors_.sequence(row.positions);
        kernels::SequenceUse use;
        const Timing timing = timed(inputs_.params.repeat, control.slice(0.0F, 0.9F),
                                    [&](const RunControl& pass) { use = attend(tensors, pass); });
        row.ms = timing.medianMs;
        row.msLeast = timing.leastMs;
        row.gflops = operations(specs, inputs_.shape(row.positions)) / (timing.medianMs * 1e6);
        row.peakBytes = static_cast<std::int64_t>(use.workspaceBytes);
        row.error = operatorError(inputs_, tensors_, row.positions, specs, control.slice(0.9F, 1.0F));
        if (const Index bad = badCount(use); bad > 0)
            inputs_.warn("bad-rows", row.kernel,
                         fmt::format("{} of {} rows have no output at {} positions", bad,
                                     row.positions * inputs_.layer.nHeads, row.positions));
    }

    const BenchInputs& inputs_;
    kernels::SequenceOperators& operators_;
    BenchTensors& tensors_;
};

}  // namespace

void benchOperators(const BenchInputs& inputs, kernels::SequenceOperators& operators, const RunControl& control) {
    const std::vector<Index>& lengths = inputs.params.positions;
    BenchTensors tensors(inputs, *std::max_element(lengths.begin(), lengths.end()), control.slice(0.0F, 0.02F));
    if (inputs.layer.softcap > 0.0 || inputs.layer.hasSink)
        inputs.warn("exact-only", "softmax", "operators leave out the soft cap and the sink of exact attention");
    std::vector<std::string> names{"softmax"};
    for (const std::string& kernel : inputs.params.kernels)
        if (kernel != "softmax") names.push_back(kernel);
    const RunControl all = control.slice(0.02F, 1.0F);
    for (std::size_t n = 0; n < lengths.size(); ++n)
        OperatorBench(inputs, operators, tensors).run(lengths[n], names, all.part(n, lengths.size()));
}

}  // namespace dimscope::analysis
