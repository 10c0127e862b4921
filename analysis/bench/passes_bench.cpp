// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench_inputs.h"
#include "analysis/bench/timing.h"
#include "analysis/calibration/calibration.h"
#include "analysis/head_profile.h"

// Passes over a layer that have no exact attention beside them.

namespace dimscope::analysis {
namespace {

void addTiming(const Timing& timing, BenchRow row, const BenchInputs& inputs) {
    row.ms = timing.medianMs;
    row.msLeast = timing.leastMs;
    inputs.result.rows.push_back(std::move(row));
}

/// Every fourth row of the one prompt validates, the others train.
CalibrationParams oneCalibration(const BenchInputs& inputs, const std::string& kernel, Index positions) {
    CalibrationParams fit;
    fit.selection = {{inputs.layer.layer}, {HeadIndex{0}}, {}, positions};
    fit.kernels = {kernel};
    fit.train = fit.validation = {inputs.params.prompt};
    fit.seed = inputs.params.seed;
    fit.threads = inputs.params.threads;
    return fit;
}

}  // namespace

void benchProfile(const BenchInputs& inputs, const RunControl& control) {
    const std::vector<Index>& lengths = inputs.params.positions;
    for (std::size_t n = 0; n < lengths.size(); ++n) {
        const Selection selection{{inputs.layer.layer}, {}, {inputs.params.prompt}, lengths[n]};
        const Timing timing = timed(inputs.params.repeat, control.part(n, lengths.size()), [&](const RunControl& pass) {
            profileHeads(selection, inputs.source, inputs.backend, pass);
        });
        addTiming(timing, {.backend = inputs.backend.info().name, .positions = lengths[n]}, inputs);
    }
}

void benchCalibration(const BenchInputs& inputs, const RunControl& control) {
    const std::vector<Index>& lengths = inputs.params.positions;
    const std::vector<std::string>& names = inputs.params.kernels;
    for (std::size_t n = 0; n < lengths.size() * names.size(); ++n) {
        const Index positions = lengths[n / names.size()];
        const std::string& kernel = names[n % names.size()];
        const CalibrationParams fit = oneCalibration(inputs, kernel, positions);
        const Timing timing =
            timed(inputs.params.repeat, control.part(n, lengths.size() * names.size()), [&](const RunControl& pass) {
                calibrateKernels(fit, inputs.factory, inputs.source, pass);
                pass.throwIfCancelled();
            });
        addTiming(timing, {.kernel = kernel, .backend = "cpu", .positions = positions}, inputs);
    }
}

}  // namespace dimscope::analysis
