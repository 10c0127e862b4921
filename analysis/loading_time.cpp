// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/loading_time.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr int kTimedLoads = 5;

/// Seconds to load a few heads from a source that was just opened.
double secondsToLoad(HeadSource& source, int prompt, const RunControl& control) {
    const LayerInfo& layer = source.info().layers.front();
    const auto start = std::chrono::steady_clock::now();
    for (const TensorKind kind : {TensorKind::Query, TensorKind::Key, TensorKind::Value}) {
        if (kind == TensorKind::Value && !layer.hasValue) continue;
        const int heads = kind == TensorKind::Query ? layer.nHeads : layer.nKvHeads;
        for (const int head : std::set<int>{0, heads / 2, heads - 1})
            static_cast<void>(source.load(kind, layer.layer, PromptIndex{prompt}, head, control.slice(0.0F, 0.0F)));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double loadTimeRatio(const std::function<std::shared_ptr<HeadSource>()>& openOld,
                     const std::function<std::shared_ptr<HeadSource>()>& openNew, const RunControl& control) {
    std::vector<double> oldTimes, newTimes;
    for (int i = 0; i < kTimedLoads; ++i) {
        const auto oldSource = openOld(), newSource = openNew();
        const auto& prompts = newSource->info().prompts;
        const auto first = std::find_if(prompts.begin(), prompts.end(), [](const auto& p) { return !p.leftOut; });
        const auto prompt = static_cast<int>(first - prompts.begin());
        oldTimes.push_back(secondsToLoad(*oldSource, prompt, control));
        newTimes.push_back(secondsToLoad(*newSource, prompt, control));
    }
    const double newTime = medianOf(newTimes);
    return newTime > 0.0 ? medianOf(oldTimes) / newTime : kNaN;
}

}  // namespace dimscope::analysis
