// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/exact_part_calibration.h"

#include "analysis/calibration/calibration_rows.h"
#include "analysis/gate_fit.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

/// One part of a calibration's rows, prompt by prompt.
struct PartOfRows {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> rows;
};

PartOfRows partOf(const std::vector<CalibrationRows>& all, std::vector<Index> CalibrationRows::*part) {
    PartOfRows taken;
    for (const CalibrationRows& rows : all)
        if (!(rows.*part).empty()) {
            taken.prompts.push_back(rows.prompt);
            taken.rows.push_back(rows.*part);
        }
    return taken;
}

}  // namespace

void fitExactPart(CalibrationResult& result, HeadSource& source, kernels::Backend& backend, const RunControl& control) {
    const std::vector<LayerInfo> layers = selectedLayers(result.params.selection, source.info());
    Index length = selectedLength(result.params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(result.params.selection, layer));
    std::vector<Warning> given;  // by the fits
    const std::vector<CalibrationRows> rows = calibrationRows(result.params, source, length, given);
    const PartOfRows train = partOf(rows, &CalibrationRows::train);
    const PartOfRows validation = partOf(rows, &CalibrationRows::validation);
    try {
        for (std::size_t n = 0; n < result.fits.size(); ++n) {
            const RunControl part = control.part(n, result.fits.size());
            KernelFit& fit = result.fits[n];
            const LayerInfo& layer = *source.info().find(fit.layer);
            GatedKernel kernel{0, fit.spec, {result.params.exactPart, {}, {}}};
            fit.gate = fitGates(std::vector<GatedKernel>{kernel}, 1, layer, fit.head, train.prompts, train.rows, length,
                                source, backend, part.slice(0.0F, 0.75F))
                           .front();
            kernel.how.exact.gate = *fit.gate;
            fit.gateValidationMse = evaluatedMse(kernel, layer, fit.head, validation.prompts, validation.rows, length,
                                                 source, backend, part.slice(0.75F, 1.0F));
        }
    } catch (const kernels::Cancelled&) {
        result.cancelled = true;  // fits without a gate stay
    }
    result.provenance.parameters.emplace_back("exact_first", result.params.exactPart.first);
    result.provenance.parameters.emplace_back("exact_window", result.params.exactPart.window);
}

}  // namespace dimscope::analysis
