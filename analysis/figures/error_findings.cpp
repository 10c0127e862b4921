// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/error_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

bool isLine(const MethodFidelity& method) { return isReferenceLine(method.method.kernel); }

/// The method of least error, before or behind W_o; null where none has one.
template <class Error>
const MethodFidelity* least(const FidelityResult& result, Error error) {
    const MethodFidelity* best = nullptr;
    for (const MethodFidelity& method : result.methods)
        if (!isLine(method) && std::isfinite(error(method)) && (best == nullptr || error(method) < error(*best)))
            best = &method;
    return best;
}

double before(const MethodFidelity& method) { return method.before.error.relMse; }
double after(const MethodFidelity& method) { return method.after ? method.after->error.relMse : kNaN; }

void addCalibrationGain(const FidelityResult& result, std::vector<Finding>& findings) {
    const MethodFidelity* most = nullptr;
    double gain = 1.0, from = kNaN;
    for (const MethodFidelity& fitted : result.methods)
        for (const MethodFidelity& raw : result.methods) {
            if (!fitted.method.calibrated || raw.method.calibrated || raw.method.kernel != fitted.method.kernel)
                continue;
            if (before(raw) / before(fitted) > gain) {
                gain = before(raw) / before(fitted);
                most = &fitted;
                from = before(raw);
            }
        }
    if (most != nullptr)
        findings.push_back({fmt::format("Calibration helps [{}] most: RelMSE {} to {}.",
                                        kernelTitle(most->method.kernel), numberText(from), numberText(before(*most))),
                            {},
                            {most->method.kernel}});
}

}  // namespace

std::vector<Finding> fidelityFindings(const FidelityResult& result) {
    std::vector<Finding> findings;
    const MethodFidelity* best = least(result, before);
    if (best == nullptr) return findings;
    findings.push_back({fmt::format("[{}] is nearest before W<sub>o</sub>: RelMSE {}.", methodTitle(best->method),
                                    numberText(before(*best))),
                        {},
                        {best->method.kernel}});
    if (const MethodFidelity* behind = least(result, after))
        findings.push_back({fmt::format("[{}] is nearest after W<sub>o</sub>: RelMSE {}.", methodTitle(behind->method),
                                        numberText(after(*behind))),
                            {},
                            {behind->method.kernel}});
    const auto kernels = std::count_if(result.methods.begin(), result.methods.end(), [](const MethodFidelity& m) {
        return !isLine(m) && m.worseThanZero.has_value();
    });
    const auto worse = std::count_if(result.methods.begin(), result.methods.end(), [](const MethodFidelity& m) {
        return !isLine(m) && m.worseThanZero.value_or(false);
    });
    if (worse > 0)
        findings.push_back({fmt::format("{} of {} are no better than answering zero.", worse, kernels), {}, {}});
    addCalibrationGain(result, findings);
    return findings;
}

std::vector<Finding> budgetFindings(const BudgetResult& result) {
    std::vector<Finding> findings;
    const BudgetPoint *one = nullptr, *best = nullptr;
    for (const BudgetPoint& point : result.points) {
        if (!std::isfinite(point.relMse) || point.draw >= 0) continue;
        if (point.groups == 1.0 && one == nullptr) one = &point;
        if (best == nullptr || point.relMse < best->relMse) best = &point;
    }
    if (best == nullptr) return findings;
    findings.push_back(
        {fmt::format("Least error: RelMSE {} with {} groups by {}, {} parameters.", numberText(best->relMse),
                     numberText(best->groups), best->order, numberText(best->parameters)),
         {},
         {}});
    if (one != nullptr && one != best && one->relMse > 0.0)
        findings.push_back({fmt::format("One group errs by RelMSE {}: groups take {} of it away.",
                                        numberText(one->relMse), roundPercentText(1.0 - best->relMse / one->relMse)),
                            {},
                            {}});
    const auto front =
        std::count_if(result.points.begin(), result.points.end(), [](const BudgetPoint& p) { return p.front; });
    findings.push_back({fmt::format("{} partitions are on the Pareto front.", front), {}, {}});
    return findings;
}

}  // namespace dimscope::analysis
