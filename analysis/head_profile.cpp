// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/head_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "analysis/head_loader.h"
#include "analysis/run_record.h"

namespace dimscope::analysis {
namespace {

using kernels::ProfileJob;
using kernels::ProfileOutput;

constexpr std::size_t kProfiledBytes = std::size_t{256} << 20;  // tensors held at a time

/// Sums of one head over prompts; divided at the end.
struct Gathered {
    HeadProfile profile;
    std::optional<std::string> unreadable;
};

HeadProfile emptyProfile(const LayerInfo& layer, HeadIndex head, Index prompts) {
    HeadProfile p;
    p.layer = layer.layer;
    p.head = head;
    const auto d = static_cast<std::size_t>(layer.headDim);
    for (auto* v : {&p.qMeanAbs, &p.kMeanAbs, &p.qMaxAbs, &p.kMaxAbs, &p.chi, &p.chiEffective}) v->assign(d, 0.0);
    for (auto* m : {&p.qMeanAbsPrompts, &p.kMeanAbsPrompts, &p.chiPrompts})
        *m = kernels::Matrix<double>(prompts, layer.headDim);
    return p;
}

void addPrompt(HeadProfile& profile, const ProfileOutput& out, Index ordinal) {
    std::copy(out.qMeanAbs.begin(), out.qMeanAbs.end(), profile.qMeanAbsPrompts.row(ordinal));
    std::copy(out.kMeanAbs.begin(), out.kMeanAbs.end(), profile.kMeanAbsPrompts.row(ordinal));
    std::copy(out.chi.begin(), out.chi.end(), profile.chiPrompts.row(ordinal));
    const double weight = 1.0 / static_cast<double>(profile.chiPrompts.rows());
    for (std::size_t r = 0; r < out.chi.size(); ++r) {
        profile.qMeanAbs[r] += weight * out.qMeanAbs[r];
        profile.kMeanAbs[r] += weight * out.kMeanAbs[r];
        profile.chi[r] += weight * out.chi[r];
        profile.chiEffective[r] += weight * out.chiEffective[r];
        profile.qMaxAbs[r] = std::max(profile.qMaxAbs[r], out.qMaxAbs[r]);
        profile.kMaxAbs[r] = std::max(profile.kMaxAbs[r], out.kMaxAbs[r]);
    }
}

double topShare(const HeadProfile& profile, std::size_t count) {
    double sum = 0.0;
    const std::size_t d = profile.order.size();
    for (std::size_t n = 0; n < std::min(count, d); ++n)
        sum += profile.share[static_cast<std::size_t>(profile.order[d - 1 - n])];
    return sum;
}

void conclude(HeadProfile& profile) {
    const double total = std::accumulate(profile.chi.begin(), profile.chi.end(), 0.0);
    double squares = 0.0;
    for (const double chi : profile.chi) {
        profile.share.push_back(total > 0.0 ? chi / total : kNaN);
        squares += profile.share.back() * profile.share.back();
    }
    profile.order.resize(profile.chi.size());
    std::iota(profile.order.begin(), profile.order.end(), 0);
    std::stable_sort(profile.order.begin(), profile.order.end(), [&](int a, int b) {
        return profile.chi[static_cast<std::size_t>(a)] < profile.chi[static_cast<std::size_t>(b)];
    });
    profile.top1 = topShare(profile, 1);
    profile.top5 = topShare(profile, 5);
    profile.top10 = topShare(profile, 10);
    profile.effectiveDims = 1.0 / squares;
}

/// A head with NaN or Inf keeps its place and its order, and has no numbers.
void markUnusable(HeadProfile& profile) {
    for (auto* v : {&profile.qMeanAbs, &profile.kMeanAbs, &profile.qMaxAbs, &profile.kMaxAbs, &profile.chi,
                    &profile.chiEffective})
        std::fill(v->begin(), v->end(), kNaN);
    for (auto* m : {&profile.qMeanAbsPrompts, &profile.kMeanAbsPrompts, &profile.chiPrompts})
        std::fill(m->values().begin(), m->values().end(), kNaN);
    profile.share.assign(profile.chi.size(), kNaN);
    profile.order.resize(profile.chi.size());
    std::iota(profile.order.begin(), profile.order.end(), 0);
    profile.top1 = profile.top5 = profile.top10 = profile.effectiveDims = kNaN;
}

/// All heads of one layer, prompt by prompt, in batches that fit the memory budget.
class LayerProfiler {
public:
    LayerProfiler(HeadSource& source, kernels::Backend& backend, const LayerInfo& layer, const Selection& selection,
                  std::vector<Warning>& warnings)
        : source_(source),
          backend_(backend),
          layer_(layer),
          heads_(selectedHeads(selection, layer)),
          length_(selectedLength(selection, layer)),
          warnings_(warnings) {}

    std::vector<HeadProfile> run(const std::vector<PromptIndex>& prompts, const RunControl& control) {
        const std::vector<PromptIndex> present = presentPrompts(prompts, layer_);
        for (const HeadIndex head : heads_)
            gathered_.push_back({emptyProfile(layer_, head, static_cast<Index>(present.size())), {}});
        for (std::size_t p = 0; p < present.size(); ++p)
            addPromptOf(present[p], static_cast<Index>(p), control.part(p, present.size()));
        if (present.empty())
            for (Gathered& head : gathered_) head.unreadable = "the layer has none of the selected prompts";
        return concluded();
    }

private:
    void addPromptOf(PromptIndex prompt, Index ordinal, const RunControl& control) {
        HeadLoader loader(source_, layer_, prompt, length_, false);
        const std::size_t headBytes = static_cast<std::size_t>(length_ * layer_.headDim) * 2 * sizeof(double);
        const std::size_t batch = std::max<std::size_t>(1, kProfiledBytes / std::max<std::size_t>(headBytes, 1));
        for (std::size_t start = 0; start < heads_.size(); start += batch) {
            const std::size_t end = std::min(start + batch, heads_.size());
            profileBatch(loader, start, end, ordinal, control.parts(start, end, heads_.size()));
            loader.release();
        }
    }

    void profileBatch(HeadLoader& loader, std::size_t start, std::size_t end, Index ordinal,
                      const RunControl& control) {
        std::vector<ProfileJob> jobs;
        std::vector<std::size_t> owners;
        for (std::size_t n = start; n < end; ++n) {
            control.throwIfCancelled();
            if (gathered_[n].unreadable) continue;
            try {
                const kernels::HeadInputs inputs = loader.inputs(heads_[n], control);
                if (noteNonFinite(loader, n)) continue;
                jobs.push_back({inputs});
                owners.push_back(n);
            } catch (const kernels::FormatError& error) {
                gathered_[n].unreadable = error.what();
            }
        }
        const std::vector<ProfileOutput> outputs = backend_.profile(jobs, control);
        for (std::size_t n = 0; n < outputs.size(); ++n) addPrompt(gathered_[owners[n]].profile, outputs[n], ordinal);
        control.report(1.0F);
    }

    bool noteNonFinite(const HeadLoader& loader, std::size_t n) {
        const Index count = loader.nonFinite(heads_[n]);
        if (count == 0) return false;
        if (gathered_[n].profile.nonFinite == 0) warnings_.push_back(loader.nonFiniteWarning(heads_[n]));
        gathered_[n].profile.nonFinite += count;
        return true;
    }

    /// A layer of which a part cannot be read is damaged: its heads stay in the list, without numbers.
    std::vector<HeadProfile> concluded() {
        const auto broken = std::find_if(gathered_.begin(), gathered_.end(),
                                         [](const Gathered& head) { return head.unreadable.has_value(); });
        if (broken != gathered_.end())
            warnings_.push_back({"layer_unreadable", fmt::format("layer {}", layer_.layer.value),
                                 fmt::format("layer {} is left out: {}", layer_.layer.value, *broken->unreadable)});
        std::vector<HeadProfile> profiles;
        for (Gathered& head : gathered_) {
            head.profile.unreadable = broken != gathered_.end();
            if (head.profile.usable())
                conclude(head.profile);
            else
                markUnusable(head.profile);
            profiles.push_back(std::move(head.profile));
        }
        return profiles;
    }

    HeadSource& source_;
    kernels::Backend& backend_;
    LayerInfo layer_;
    std::vector<HeadIndex> heads_;
    Index length_;
    std::vector<Warning>& warnings_;
    std::vector<Gathered> gathered_;
};

void warnAboutSoftcap(const LayerInfo& layer, std::vector<Warning>& warnings) {
    if (layer.softcap > 0.0)
        warnings.push_back({"softcap", fmt::format("layer {}", layer.layer.value),
                            fmt::format("the soft cap {} does not enter contributions", layer.softcap)});
}

}  // namespace

const HeadProfile* ProfileResult::find(LayerIndex layer, HeadIndex head) const {
    for (const HeadProfile& profile : heads)
        if (profile.layer == layer && profile.head == head) return &profile;
    return nullptr;
}

ProfileResult profileHeads(const Selection& selection, HeadSource& source, kernels::Backend& backend,
                           const RunControl& control) {
    RunRecord record("profile", &backend, 0);
    describe(selection, source.info(), record.provenance());
    ProfileResult result;
    result.prompts = selectedPrompts(selection, source.info());
    result.warnings = source.info().warnings;
    const std::vector<LayerInfo> layers = selectedLayers(selection, source.info());
    for (std::size_t n = 0; n < layers.size(); ++n) {
        warnAboutSoftcap(layers[n], result.warnings);
        std::vector<HeadProfile> heads = LayerProfiler(source, backend, layers[n], selection, result.warnings)
                                             .run(result.prompts, control.part(n, layers.size()));
        std::move(heads.begin(), heads.end(), std::back_inserter(result.heads));
    }
    if (std::all_of(result.heads.begin(), result.heads.end(), [](const HeadProfile& head) { return head.unreadable; }))
        throw kernels::FormatError({source.info().path, "/layers",
                                    "no head could be read: " + result.warnings.back().text,
                                    "check the file with h5dump or copy it again"});
    result.provenance = record.finished();
    return result;
}

int ropePartner(int dimension, const LayerInfo& layer) {
    if (layer.rope == "none") return -1;
    const auto rotary = static_cast<int>(layer.rotaryDim > 0 ? layer.rotaryDim : layer.headDim);
    if (dimension >= rotary || rotary % 2 != 0) return -1;
    if (layer.ropeLayout == "interleaved") return dimension % 2 == 0 ? dimension + 1 : dimension - 1;
    return dimension < rotary / 2 ? dimension + rotary / 2 : dimension - rotary / 2;
}

}  // namespace dimscope::analysis
