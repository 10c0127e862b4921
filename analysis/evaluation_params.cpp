// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/evaluation_params.h"

#include <fmt/format.h>

namespace dimscope::analysis {
namespace {

std::string exactPartText(Index first, Index window) {
    if (window == 0) return first == 1 ? "first key exact" : fmt::format("first {} keys exact", first);
    if (first == 0) return window == 1 ? "latest key exact" : fmt::format("latest {} keys exact", window);
    return fmt::format("first {} and latest {} keys exact", first, window);
}

}  // namespace

std::string evaluationText(const EvaluationParams& params) {
    const std::string exact = params.hasExactPart() ? exactPartText(params.exactFirst, params.exactWindow) : "";
    if (!params.centreKeys) return exact;
    return exact.empty() ? "centred keys" : exact + ", centred keys";
}

}  // namespace dimscope::analysis
