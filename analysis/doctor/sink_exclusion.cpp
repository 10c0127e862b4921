// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/sink_exclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/doctor/place_list.h"
#include "analysis/forwarding_source.h"
#include "analysis/row_sampling.h"
#include "analysis/selection.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

class SinkFreeSource : public ForwardingSource {
public:
    SinkFreeSource(std::shared_ptr<HeadSource> source, std::vector<PromptSinks> sinks)
        : ForwardingSource(*source), owned_(std::move(source)), info_(owned_->info()) {
        for (const PromptSinks& found : sinks) exclude(found);
        note(sinks);
    }
    const DumpInfo& info() const override { return info_; }
    std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex prompt) override {
        const auto found = validity_.find(prompt);
        return found == validity_.end() ? ForwardingSource::validity(prompt) : found->second;
    }

private:
    void exclude(const PromptSinks& found) {
        const auto original = ForwardingSource::validity(found.prompt);
        std::vector<std::uint8_t> valid;
        if (original) valid = *original;
        for (const LayerInfo& layer : info_.layers)
            if (!original) valid.resize(std::max(valid.size(), static_cast<std::size_t>(layer.positions)), 1);
        for (const Index position : found.positions) valid[static_cast<std::size_t>(position)] = 0;
        PromptInfo& prompt = info_.prompts[static_cast<std::size_t>(found.prompt.value)];
        prompt.validPositions = static_cast<Index>(std::count(valid.begin(), valid.end(), std::uint8_t{1}));
        prompt.leftOut = prompt.leftOut || !info_.hasQuery(valid);
        validity_[found.prompt] = std::make_shared<const std::vector<std::uint8_t>>(std::move(valid));
    }
    void note(const std::vector<PromptSinks>& sinks) {
        std::vector<std::string> places;
        PlaceList prompts;
        for (const PromptSinks& found : sinks) {
            for (const Index position : found.positions)
                places.push_back(fmt::format("{}:{}", found.prompt.value, position));
            prompts.add(fmt::format("prompt {}: {}", found.prompt.value, fmt::join(found.positions, ", ")));
        }
        info_.exclusions.emplace_back("excluded_sinks", places);
        info_.warnings.push_back({"sinks_excluded", "",
                                  places.empty()
                                      ? "no attention sink was found, so that none is excluded"
                                      : fmt::format("{} attention {} excluded as keys and queries ({})", places.size(),
                                                    places.size() == 1 ? "sink is" : "sinks are", prompts.text())});
    }

    std::shared_ptr<HeadSource> owned_;
    DumpInfo info_;
    std::map<PromptIndex, std::shared_ptr<const std::vector<std::uint8_t>>> validity_;
};

}  // namespace

std::vector<PromptSinks> sinkPositions(const std::vector<AttentionSink>& sinks) {
    std::map<PromptIndex, std::set<Index>> positions;
    for (const AttentionSink& sink : sinks) positions[sink.prompt].insert(sink.position);
    std::vector<PromptSinks> found;
    for (const auto& [prompt, all] : positions) found.push_back({prompt, {all.begin(), all.end()}});
    return found;
}

std::vector<AttentionSink> findSinks(const SinkSearch& search, HeadSource& source, kernels::Backend& backend,
                                     const RunControl& control) {
    std::vector<AttentionSink> sinks;
    const std::vector<PromptIndex> prompts = selectedPrompts({}, source.info());
    const std::vector<LayerInfo>& layers = source.info().layers;
    for (std::size_t n = 0; n < layers.size(); ++n) {
        const std::vector<HeadIndex> heads = selectedHeads({}, layers[n]);
        std::vector<HeadSinkMass> masses(heads.size());
        for (const PromptIndex prompt : presentPrompts(prompts, layers[n])) {
            control.throwIfCancelled();
            std::vector<Warning> fewerRows;  // a short prompt has fewer, and all of them are looked at
            const auto rows = sampleRows({prompt}, source, layers[n].positions, search.rows, search.seed, fewerRows);
            try {
                addSinks(search.rule, source, layers[n], prompt, layers[n].positions, heads, rows.front(), backend,
                         control.part(n, layers.size()), sinks, masses);
            } catch (const kernels::FormatError&) {
                continue;  // the experiment that reads this layer says so
            }
        }
    }
    return sinks;
}

std::shared_ptr<HeadSource> withoutSinks(std::shared_ptr<HeadSource> source, std::vector<PromptSinks> sinks) {
    return std::make_shared<SinkFreeSource>(std::move(source), std::move(sinks));
}

std::shared_ptr<HeadSource> withoutFoundSinks(std::shared_ptr<HeadSource> source, std::uint64_t seed,
                                              kernels::Backend& backend, const RunControl& control) {
    SinkSearch search;
    search.seed = seed;
    std::vector<PromptSinks> found = sinkPositions(findSinks(search, *source, backend, control));
    return withoutSinks(std::move(source), std::move(found));
}

}  // namespace dimscope::analysis
