// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/row_sampling.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

bool contains(const std::vector<PromptIndex>& prompts, PromptIndex prompt) {
    return std::find(prompts.begin(), prompts.end(), prompt) != prompts.end();
}

/// Every prompt by itself: one short prompt does not shorten the others.
std::vector<Index> drawnRows(const CalibrationParams& params, HeadSource& source, PromptIndex prompt, Index length) {
    std::vector<Warning> fewer;  // shorter prompts give what they have
    return sampleRows({prompt}, source, length, params.rows, params.seed, fewer).front();
}

void takeFourth(CalibrationRows& rows) {
    std::vector<Index> kept;
    for (std::size_t n = 0; n < rows.train.size(); ++n) (n % 4 == 3 ? rows.validation : kept).push_back(rows.train[n]);
    rows.train = std::move(kept);
}

void removeSeen(CalibrationRows& rows) {
    std::erase_if(rows.evaluation, [&](Index row) {
        return std::binary_search(rows.train.begin(), rows.train.end(), row) ||
               std::binary_search(rows.validation.begin(), rows.validation.end(), row);
    });
}

}  // namespace

std::vector<CalibrationRows> calibrationRows(const CalibrationParams& params, HeadSource& source, Index length,
                                             std::vector<Warning>& warnings) {
    std::map<PromptIndex, CalibrationRows> byPrompt;
    const auto add = [&](const std::vector<PromptIndex>& prompts, std::vector<Index> CalibrationRows::*part) {
        for (const PromptIndex prompt : selectedPrompts({{}, {}, prompts, 0}, source.info())) {
            byPrompt[prompt].prompt = prompt;
            byPrompt[prompt].*part = drawnRows(params, source, prompt, length);
        }
    };
    add(params.train, &CalibrationRows::train);
    if (!params.evaluation.empty()) add(params.evaluation, &CalibrationRows::evaluation);
    for (const PromptIndex prompt : params.validation)
        if (!contains(params.train, prompt)) add({prompt}, &CalibrationRows::validation);
    std::vector<CalibrationRows> rows;
    for (auto& [prompt, taken] : byPrompt) {
        if (contains(params.train, prompt) && contains(params.validation, prompt)) takeFourth(taken);
        const std::size_t before = taken.evaluation.size();
        removeSeen(taken);
        if (taken.evaluation.size() < before)
            warnings.push_back({"overlap", fmt::format("prompt {}", prompt.value),
                                "it judges what was fitted on it; rows that the fit used are left out"});
        rows.push_back(std::move(taken));
    }
    const auto total = [&](std::vector<Index> CalibrationRows::*part) {
        std::size_t sum = 0;
        for (const CalibrationRows& prompt : rows) sum += (prompt.*part).size();
        return sum;
    };
    if (total(&CalibrationRows::train) == 0 || total(&CalibrationRows::validation) == 0)
        throw kernels::ArgumentError(
            "training and validation need at least one query row each; select more prompts or rows");
    if (!params.evaluation.empty() && total(&CalibrationRows::evaluation) == 0)
        throw kernels::ArgumentError("every row of the evaluation prompts was used by the fit; choose other prompts");
    return rows;
}

}  // namespace dimscope::analysis
