// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/experiments/experiment.h"

#include <fmt/format.h>

#include "kernels/error.h"

namespace dimscope::analysis {

double Experiment::value(const ExperimentRequest& request, const std::string& field) const {
    for (const ExperimentField& known : fields) {
        if (known.name != field) continue;
        const auto found = request.values.find(field);
        const double value = found == request.values.end() ? known.start : found->second;
        if (!(value >= known.least && value <= known.most))
            throw kernels::ArgumentError(
                fmt::format("{} of {}: {} is not within {} to {}", field, name, value, known.least, known.most));
        return value;
    }
    throw kernels::ArgumentError(fmt::format("{} has no field '{}'", name, field));
}

}  // namespace dimscope::analysis
