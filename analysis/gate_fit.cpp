// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/gate_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"

namespace dimscope::analysis {
namespace {

using kernels::RowsOutput;

constexpr double kLargestLog = 20.0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double squaredError(const std::vector<GateRow>& rows, double gate) {
    double sum = 0.0;
    for (const GateRow& row : rows) {
        const double share = std::isinf(row.mass) ? 0.0 : gate / (row.mass + gate);
        for (std::size_t c = 0; c < row.exact.size(); ++c) {
            const double mixed = (1.0 - share) * row.exactKeys[c] + (share > 0.0 ? share * row.rest[c] : 0.0);
            sum += (mixed - row.exact[c]) * (mixed - row.exact[c]);
        }
    }
    return sum;
}

/// Golden-section search of a minimum between two logarithms.
double narrowed(const std::vector<GateRow>& rows, double low, double high) {
    const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
    const auto at = [&](double t) { return squaredError(rows, std::exp(t)); };
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double leftError = at(left), rightError = at(right);
    while (high - low > 1e-9) {
        if (leftError <= rightError) {
            high = right;
            right = left;
            rightError = leftError;
            left = high - golden * (high - low);
            leftError = at(left);
        } else {
            low = left;
            left = right;
            leftError = rightError;
            right = low + golden * (high - low);
            rightError = at(right);
        }
    }
    return 0.5 * (low + high);
}

std::span<const double> rowOf(const kernels::Matrix<double>& values, Index row) {
    return {values.row(row), static_cast<std::size_t>(values.cols())};
}

/// Exact attention, then the exact keys alone of every part that is asked for, then every kernel's rest.
struct GateJob {
    std::vector<kernels::KernelSpec> specs{kernels::Softmax{}};
    std::vector<kernels::Evaluation> how{{}};
    std::vector<std::size_t> exactKeys;  // output of each kernel's exact keys
    std::vector<std::size_t> rest;       // output of each kernel's rest

    explicit GateJob(const std::vector<GatedKernel>& kernels) {
        for (const GatedKernel& kernel : kernels) exactKeys.push_back(keysOf(kernel.how.exact));
        for (const GatedKernel& kernel : kernels) {
            rest.push_back(add(kernel.spec, kernel.how));
            how.back().exact.gate = kInfinity;
        }
    }

private:
    std::size_t add(const kernels::KernelSpec& spec, const kernels::Evaluation& evaluation) {
        specs.push_back(spec);
        how.push_back(evaluation);
        return specs.size() - 1;
    }
    std::size_t keysOf(const kernels::ExactPart& part) {
        for (std::size_t n = 1; n < how.size(); ++n)
            if (how[n].exact.first == part.first && how[n].exact.window == part.window) return n;
        return add(kernels::Zero{}, {part, {}, {}});
    }
};

void addRows(const GateJob& job, const std::vector<GatedKernel>& kernels, const std::vector<RowsOutput>& outputs,
             std::vector<std::vector<GateRow>>& rows) {
    for (std::size_t n = 0; n < kernels.size(); ++n) {
        const RowsOutput &keys = outputs[job.exactKeys[n]], &rest = outputs[job.rest[n]];
        for (Index r = 0; r < rest.values.rows(); ++r) {
            const auto i = static_cast<std::size_t>(r);
            const bool needsRest = !std::isinf(keys.exactMass[i]);
            if (outputs.front().bad[i] != 0 || keys.bad[i] != 0 || (needsRest && rest.bad[i] != 0)) continue;
            rows[kernels[n].kernel].push_back(
                {rowOf(outputs.front().values, r), rowOf(keys.values, r), rowOf(rest.values, r), keys.exactMass[i]});
        }
    }
}

}  // namespace

double fitGate(const std::vector<GateRow>& rows) {
    if (rows.empty()) return 1.0;
    double best = 0.0, least = kInfinity;
    for (double t = -kLargestLog; t <= kLargestLog; t += 0.5)
        if (const double error = squaredError(rows, std::exp(t)); error < least) {
            least = error;
            best = t;
        }
    return std::exp(narrowed(rows, std::max(-kLargestLog, best - 0.5), std::min(kLargestLog, best + 0.5)));
}

std::vector<double> fitGates(const std::vector<GatedKernel>& kernels, std::size_t count, const LayerInfo& layer,
                             HeadIndex head, const std::vector<PromptIndex>& prompts,
                             const std::vector<std::vector<Index>>& rows, Index length, HeadSource& source,
                             kernels::Backend& backend, const RunControl& control) {
    const GateJob job(kernels);
    std::vector<std::vector<RowsOutput>> outputs;  // of each prompt; the rows below point into them
    outputs.reserve(prompts.size());
    std::vector<std::vector<GateRow>> gateRowsOfKernel(count);
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        HeadLoader loader(source, layer, prompts[p], length, true);
        const kernels::HeadInputs inputs = loader.inputs(head, control);
        if (loader.nonFinite(head) > 0) continue;
        const std::vector<kernels::RowsJob> jobs{{inputs, rows[p], job.specs, false, job.how}};
        outputs.push_back(std::move(backend.attendRows(jobs, control.part(p, prompts.size())).front()));
        addRows(job, kernels, outputs.back(), gateRowsOfKernel);
    }
    std::vector<double> gates(count, kNaN);
    for (const GatedKernel& kernel : kernels)
        if (std::isnan(gates[kernel.kernel])) gates[kernel.kernel] = fitGate(gateRowsOfKernel[kernel.kernel]);
    return gates;
}

double evaluatedMse(const GatedKernel& kernel, const LayerInfo& layer, HeadIndex head,
                    const std::vector<PromptIndex>& prompts, const std::vector<std::vector<Index>>& rows, Index length,
                    HeadSource& source, kernels::Backend& backend, const RunControl& control) {
    const std::vector<kernels::KernelSpec> specs{kernels::Softmax{}, kernel.spec};
    const std::vector<kernels::Evaluation> how{{}, kernel.how};
    ErrorSums sums;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        HeadLoader loader(source, layer, prompts[p], length, true);
        const std::vector<kernels::RowsJob> jobs{{loader.inputs(head, control), rows[p], specs, false, how}};
        const std::vector<RowsOutput> outputs =
            std::move(backend.attendRows(jobs, control.part(p, prompts.size())).front());
        const RowSums errors = rowSums(outputs.front(), outputs.back());
        sums += summed(errors.error, errors.energy, layer.valueDim);
    }
    return sums.values > 0.0 ? sums.mse() : kNaN;
}

std::vector<std::vector<Index>> gateRows(const std::vector<PromptIndex>& train,
                                         const std::vector<PromptIndex>& evaluated,
                                         const std::vector<std::vector<Index>>& positions, HeadSource& source,
                                         Index length, int count, std::uint64_t seed, std::vector<Warning>& warnings) {
    std::vector<std::vector<Index>> all;
    std::size_t left = 0;
    std::vector<Warning> fewer;  // shorter prompts give what they have
    for (const PromptIndex prompt : train) {
        std::vector<Index> rows = sampleRows({prompt}, source, length, count, seed, fewer).front();
        const auto found = std::find(evaluated.begin(), evaluated.end(), prompt);
        if (found != evaluated.end()) {
            const std::vector<Index>& judged = positions[static_cast<std::size_t>(found - evaluated.begin())];
            std::erase_if(rows,
                          [&](Index row) { return std::find(judged.begin(), judged.end(), row) != judged.end(); });
        }
        left += rows.size();
        all.push_back(std::move(rows));
    }
    if (left > 0) return all;
    warnings.push_back(
        {"overlap", "gates", "every training row is evaluated too; gates are fitted on the evaluated rows"});
    for (std::size_t p = 0; p < train.size(); ++p) {
        const auto found = std::find(evaluated.begin(), evaluated.end(), train[p]);
        all[p] = positions[static_cast<std::size_t>(found - evaluated.begin())];
    }
    return all;
}

}  // namespace dimscope::analysis
