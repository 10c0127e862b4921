// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/doctor/checks.h"
#include "analysis/doctor/place_list.h"

namespace dimscope::analysis {
namespace {

/// Sinks at one position, over layers, heads and prompts.
struct SinkPosition {
    std::set<std::pair<LayerIndex, HeadIndex>> heads;
    double leastMass = kNaN, mostMass = kNaN, leastNorm = kNaN, mostNorm = kNaN;
    void add(const AttentionSink& sink) {
        heads.insert({sink.layer, sink.head});
        leastMass = std::fmin(leastMass, sink.mass);
        mostMass = std::fmax(mostMass, sink.mass);
        leastNorm = std::fmin(leastNorm, sink.keyNorm);
        mostNorm = std::fmax(mostNorm, sink.keyNorm);
    }
};

}  // namespace

DoctorCheck paddingCheck(const std::vector<LayerFacts>& layers) {
    PlaceList places;
    std::map<PromptIndex, bool> seen;
    for (const LayerFacts& layer : layers)
        for (const PromptRuns& found : layer.runs) {
            const auto& [leading, trailing, valid] = found.runs;
            if (leading + trailing == 0 || std::exchange(seen[found.prompt], true)) continue;
            places.add(fmt::format("prompt {} (layer {}): {} leading and {} trailing, N_valid would be {} of {}",
                                   found.prompt.value, layer.layer.layer.value, leading, trailing,
                                   std::max<Index>(0, valid - leading - trailing), valid));
        }
    if (places.empty())
        return {"padding",
                {},
                CheckStatus::Pass,
                "no run of identical or all-zero keys at the ends of the valid positions",
                kNaN};
    return {"padding",
            {},
            CheckStatus::Warn,
            "keys that repeat bit for bit or are all zero count as valid: " + places.text() +
                "; --valid content leaves them out, or give /prompts/length or /prompts/mask",
            kNaN};
}

DoctorCheck sinkCheck(const std::vector<LayerFacts>& layers) {
    std::map<Index, SinkPosition> positions;
    std::size_t heads = 0;
    bool measured = false;
    for (const LayerFacts& layer : layers) {
        heads += layer.masses.size();
        for (const HeadSinkMass& head : layer.masses) measured = measured || head.position >= 0;
        for (const AttentionSink& sink : layer.sinks) positions[sink.position].add(sink);
    }
    if (positions.empty() && !measured)
        return {"attention sinks", {}, CheckStatus::Skipped, "no key has enough queries far behind it", kNaN};
    if (positions.empty())
        return {"attention sinks", {}, CheckStatus::Pass, "no key draws much of the attention from afar", kNaN};
    std::vector<std::pair<Index, SinkPosition>> sorted(positions.begin(), positions.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.heads.size() > b.second.heads.size(); });
    PlaceList places;
    for (const auto& [position, sink] : sorted)
        places.add(fmt::format("position {} in {} of {} heads ({} of the mass, key norm {} x the median)", position,
                               sink.heads.size(), heads,
                               std::isnan(sink.mostMass)
                                   ? std::string("unknown part")
                                   : fmt::format("{:.0f} to {:.0f} %", 100.0 * sink.leastMass, 100.0 * sink.mostMass),
                               std::isnan(sink.mostNorm)
                                   ? std::string("unknown")
                                   : fmt::format("{:.2g} to {:.2g}", sink.leastNorm, sink.mostNorm)));
    return {"attention sinks", {}, CheckStatus::Warn, places.text() + "; --exclude-sinks leaves them out", kNaN};
}

}  // namespace dimscope::analysis
