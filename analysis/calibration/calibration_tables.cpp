// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {

Table calibrationTable(const CalibrationResult& result) {
    Table table;
    table.name = "calibration";
    table.provenance = result.provenance;
    table.columns = {{"layer", "layer", "", NumberStyle::Plain, {}},
                     {"head", "head", "", NumberStyle::Plain, {}},
                     {"kernel", "kernel", "", NumberStyle::Plain, {}},
                     {"start_mse", "start MSE", "", NumberStyle::Plain, {}},
                     {"train_mse", "training MSE", "", NumberStyle::Plain, {}},
                     {"validation_mse", "validation MSE", "", NumberStyle::Plain, {}},
                     {"evaluation_mse", "evaluation MSE", "", NumberStyle::Plain, {}},
                     {"gate", "gate", "", NumberStyle::Plain, {}},
                     {"gate_validation_mse", "validation MSE with exact part", "", NumberStyle::Plain, {}},
                     {"updates", "updates", "", NumberStyle::Plain, {}},
                     {"seconds", "time", "s", NumberStyle::Plain, {}}};
    for (const KernelFit& fit : result.fits) {
        const std::vector<Cell> cells{std::int64_t{fit.layer.value},
                                      std::int64_t{fit.head.value},
                                      fit.kernel,
                                      fit.startMse,
                                      fit.trainMse,
                                      fit.validationMse,
                                      fit.evaluationMse,
                                      fit.gate ? Cell(*fit.gate) : Cell(std::monostate{}),
                                      fit.gateValidationMse,
                                      std::int64_t{fit.updates},
                                      fit.seconds};
        appendRow(table, cells);
    }
    return table;
}

}  // namespace dimscope::analysis
