// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/common_prompts.h"
#include "analysis/contribution/prefix_contributions.h"
#include "analysis/contribution/prompt_statistics.h"
#include "analysis/contribution/top_dimensions.h"
#include "analysis/head_loader.h"
#include "analysis/run_record.h"
#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using kernels::Matrix;

constexpr std::size_t kFewPrompts = 8;  // below, every prompt's value says more than an interval

/// Prompts drawn with replacement, the same for all heads: [B][P].
std::vector<std::vector<std::size_t>> promptReplicates(int count, std::size_t prompts, std::uint64_t seed) {
    kernels::RandomStream random(seed, kernels::RandomPurpose::Bootstrap);
    std::vector<std::vector<std::size_t>> replicates(static_cast<std::size_t>(count));
    for (auto& replicate : replicates)
        for (std::size_t n = 0; n < prompts; ++n) replicate.push_back(static_cast<std::size_t>(random.below(prompts)));
    return replicates;
}

/// The calibration prompts against the others, else the first half against the second.
void choosePartsOf(const DumpInfo& info, StabilityResult& result) {
    const auto isCalibration = [&](PromptIndex prompt) {
        return info.prompts[static_cast<std::size_t>(prompt.value)].split == "calibration";
    };
    for (const PromptIndex prompt : result.prompts)
        (isCalibration(prompt) ? result.first : result.second).push_back(prompt);
    result.parts = "calibration and the rest";
    if (!result.first.empty() && !result.second.empty()) return;
    const auto middle = result.prompts.begin() + static_cast<std::ptrdiff_t>(result.prompts.size() / 2);
    result.first.assign(result.prompts.begin(), middle);
    result.second.assign(middle, result.prompts.end());
    result.parts = "halves";
    if (result.prompts.size() > 1) return;
    result.first.clear();
    result.second.clear();
    result.parts.clear();
    result.warnings.push_back({"one_prompt", "",
                               "one prompt: agreement between prompts and bootstrap replicates are undefined; only "
                               "prefix lengths are compared"});
}

std::vector<std::size_t> rowsOf(const std::vector<PromptIndex>& part, const std::vector<PromptIndex>& prompts) {
    std::vector<std::size_t> rows;
    for (const PromptIndex prompt : part)
        rows.push_back(static_cast<std::size_t>(std::find(prompts.begin(), prompts.end(), prompt) - prompts.begin()));
    return rows;
}

/// Mean over heads that have a value.
class HeadMean {
public:
    void add(double value) {
        if (!std::isfinite(value)) return;
        sum_ += value;
        count_ += 1.0;
    }
    double value() const { return count_ > 0.0 ? sum_ / count_ : kNaN; }

private:
    double sum_ = 0.0, count_ = 0.0;
};

template <class Value>
double meanOverHeads(const std::vector<HeadStability>& heads, LayerIndex layer, const Value& value) {
    HeadMean mean;
    for (const HeadStability& head : heads)
        if (head.layer == layer) mean.add(value(head));
    return mean.value();
}

/// One layer: chi of every head, prompt and prefix in one pass over each tensor, then the comparisons.
class LayerStudy {
public:
    LayerStudy(const StabilityParams& params, const LayerInfo& layer, HeadSource& source, StabilityResult& result,
               const std::vector<std::vector<std::size_t>>& replicates)
        : params_(params),
          layer_(layer),
          source_(source),
          result_(result),
          replicates_(replicates),
          heads_(selectedHeads(params.selection, layer)),
          chi_(heads_.size()),
          broken_(heads_.size(), false) {}

    void run(const RunControl& control) {
        const std::size_t prompts = result_.prompts.size();
        const RunControl reading = control.slice(0.0F, 0.8F), comparing = control.slice(0.8F, 1.0F);
        for (std::size_t p = 0; p < prompts; ++p) readPrompt(result_.prompts[p], reading.part(p, prompts));
        std::vector<PromptContributions> usable;
        for (std::size_t n = 0; n < heads_.size(); ++n) {
            result_.heads.push_back(headOf(n, usable, comparing));
            comparing.part(n, 2 * heads_.size()).report(1.0F);
        }
        result_.layers.push_back(layerOf(usable, comparing));
    }

private:
    void readPrompt(PromptIndex prompt, const RunControl& control) {
        HeadLoader loader(source_, layer_, prompt, result_.lengths.back(), false);
        for (std::size_t n = 0; n < heads_.size(); ++n) {
            if (n > 0 && kvOf(n) != kvOf(n - 1)) loader.release();
            if (!broken_[n]) readHead(loader, n, control);
            control.part(n, heads_.size()).report(1.0F);
        }
    }
    void readHead(HeadLoader& loader, std::size_t n, const RunControl& control) {
        try {
            const kernels::HeadInputs inputs = loader.inputs(heads_[n], control);
            if (loader.nonFinite(heads_[n]) == 0) {
                chi_[n].push_back(prefixContributions(inputs, result_.lengths, control));
                return;
            }
            result_.warnings.push_back(loader.nonFiniteWarning(heads_[n]));
        } catch (const kernels::FormatError& error) {
            result_.warnings.push_back(
                {"unreadable", fmt::format("layer {} head {}", layer_.layer.value, heads_[n].value), error.what()});
        }
        broken_[n] = true;
    }
    KvHeadIndex kvOf(std::size_t n) const { return kernels::kvHeadOf(heads_[n], layer_.nHeads, layer_.nKvHeads); }

    /// chi at one length, mean over the prompts that have a visible pair there.
    std::vector<double> meanAt(std::size_t n, std::size_t length) const {
        std::vector<double> mean(static_cast<std::size_t>(layer_.headDim), 0.0);
        double count = 0.0;
        for (const Matrix<double>& prompt : chi_[n]) {
            const double* row = prompt.row(static_cast<Index>(length));
            if (std::isnan(row[0])) continue;
            count += 1.0;
            for (std::size_t r = 0; r < mean.size(); ++r) mean[r] += row[r];
        }
        for (double& value : mean) value = count > 0.0 ? value / count : kNaN;
        return mean;
    }

    HeadStability headOf(std::size_t n, std::vector<PromptContributions>& usable, const RunControl& control) const {
        HeadStability head;
        head.layer = layer_.layer;
        head.head = heads_[n];
        head.usable = !broken_[n];
        if (!head.usable) {
            markUnusableHead(head);
            return head;
        }
        head.chi = meanAt(n, result_.lengths.size() - 1);
        head.top = topDimensions(head.chi, params_.top);
        followLengths(n, head);
        PromptContributions prompts;
        prompts.chi = Matrix<double>(static_cast<Index>(chi_[n].size()), layer_.headDim);
        for (std::size_t p = 0; p < chi_[n].size(); ++p) {
            const double* full = chi_[n][p].row(static_cast<Index>(result_.lengths.size()) - 1);
            std::copy(full, full + layer_.headDim, prompts.chi.row(static_cast<Index>(p)));
        }
        prompts.first = rowsOf(result_.first, result_.prompts);
        prompts.second = rowsOf(result_.second, result_.prompts);
        comparePrompts(prompts, result_.prompts, replicates_, params_.top, head, control);
        usable.push_back(std::move(prompts));
        return head;
    }

    void followLengths(std::size_t n, HeadStability& head) const {
        head.topShares =
            Matrix<double>(static_cast<Index>(result_.lengths.size()), static_cast<Index>(head.top.size()));
        for (std::size_t l = 0; l < result_.lengths.size(); ++l) {
            const std::vector<double> chi = meanAt(n, l);
            for (std::size_t t = 0; t < head.top.size(); ++t)
                head.topShares(static_cast<Index>(l), static_cast<Index>(t)) = shareOf({head.top[t]}, chi);
            const std::vector<int> reselected = topDimensions(chi, params_.top);
            head.fixedShare.push_back(shareOf(head.top, chi));
            head.reselectedShare.push_back(shareOf(reselected, chi));
            head.lengthOverlap.push_back(std::isnan(chi.front()) ? kNaN : overlapOf(head.top, reselected));
        }
    }

    /// A head without numbers keeps its place; its vectors keep their lengths.
    void markUnusableHead(HeadStability& head) const {
        for (auto* values : {&head.chi, &head.chiFirst, &head.chiSecond, &head.topFrequency})
            values->assign(static_cast<std::size_t>(layer_.headDim), kNaN);
        for (auto* values : {&head.fixedShare, &head.reselectedShare, &head.lengthOverlap})
            values->assign(result_.lengths.size(), kNaN);
        for (const PromptIndex prompt : result_.prompts) head.prompts.push_back({prompt, kNaN, kNaN});
    }

    LayerStability layerOf(const std::vector<PromptContributions>& usable, const RunControl& control) const {
        LayerStability layer;
        layer.layer = layer_.layer;
        layer.usableHeads = static_cast<int>(usable.size());
        const auto mean = [&](const auto& value) { return meanOverHeads(result_.heads, layer_.layer, value); };
        layer.rho = mean([](const HeadStability& head) { return head.rho; });
        layer.topOverlap = mean([](const HeadStability& head) { return head.topOverlap; });
        for (std::size_t l = 0; l < result_.lengths.size(); ++l) {
            layer.fixedShare.push_back(mean([l](const HeadStability& head) { return head.fixedShare[l]; }));
            layer.reselectedShare.push_back(mean([l](const HeadStability& head) { return head.reselectedShare[l]; }));
            layer.lengthOverlap.push_back(mean([l](const HeadStability& head) { return head.lengthOverlap[l]; }));
        }
        for (std::size_t p = 0; p < result_.prompts.size(); ++p)
            layer.prompts.push_back({result_.prompts[p],
                                     mean([p](const HeadStability& head) { return head.prompts[p].rho; }),
                                     mean([p](const HeadStability& head) { return head.prompts[p].topOverlap; })});
        addIntervals(usable, params_.top, params_.seed, layer, control);
        return layer;
    }

    const StabilityParams& params_;
    const LayerInfo& layer_;
    HeadSource& source_;
    StabilityResult& result_;
    const std::vector<std::vector<std::size_t>>& replicates_;
    std::vector<HeadIndex> heads_;
    std::vector<std::vector<Matrix<double>>> chi_;  // [heads][prompts] (lengths, head_dim)
    std::vector<bool> broken_;
};

void requireUsable(const StabilityParams& params) {
    if (params.top < 1) throw kernels::ArgumentError(fmt::format("top {}: expected at least 1", params.top));
    if (params.replicates < 0)
        throw kernels::ArgumentError(fmt::format("replicates {}: expected at least 0", params.replicates));
}

/// Ascending, inside the length, with the length itself last; where none are given, those with a query.
std::vector<Index> chosenLengths(const std::vector<Index>& given, Index length, Index firstQuery) {
    if (given.empty()) {
        std::vector<Index> lengths = prefixLengths(length);
        std::erase_if(lengths, [firstQuery](Index prefix) { return prefix <= firstQuery; });
        return lengths;
    }
    if (const auto least = std::min_element(given.begin(), given.end()); *least > 0 && *least <= firstQuery)
        throw kernels::ArgumentError(fmt::format("length {}: the first query is at position {}; choose {} or more",
                                                 *least, firstQuery, firstQuery + 1));
    std::vector<Index> lengths = given;
    lengths.push_back(length);
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    if (lengths.front() < 1 || lengths.back() > length)
        throw kernels::ArgumentError(fmt::format("prefix length {}: choose 1..{}",
                                                 lengths.front() < 1 ? lengths.front() : lengths.back(), length));
    return lengths;
}

void warnAboutShortPrompts(const DumpInfo& info, StabilityResult& result) {
    const Index longest = result.lengths.size() > 1 ? result.lengths[result.lengths.size() - 2] : 0;
    const auto isShort = [&](PromptIndex prompt) {
        return info.prompts[static_cast<std::size_t>(prompt.value)].validPositions <= longest;
    };
    const auto count = std::count_if(result.prompts.begin(), result.prompts.end(), isShort);
    if (count > 0)
        result.warnings.push_back({"short_prompts", "",
                                   fmt::format("{} of {} prompts end before the longest prefix; they stay as they are "
                                               "beyond their end",
                                               count, result.prompts.size())});
}

void describeStability(const StabilityParams& params, const StabilityResult& result, Provenance& provenance) {
    provenance.parameters = {{"parts", result.parts},
                             {"lengths", std::vector<std::int64_t>(result.lengths.begin(), result.lengths.end())},
                             {"top", std::int64_t{params.top}},
                             {"replicates", std::int64_t{params.replicates}}};
}

}  // namespace

const HeadStability* StabilityResult::find(LayerIndex layer, HeadIndex head) const {
    for (const HeadStability& found : heads)
        if (found.layer == layer && found.head == head) return &found;
    return nullptr;
}

StabilityResult contributionStability(const StabilityParams& params, HeadSource& dump, const RunControl& control) {
    CommonPrompts source(dump, params.selection);
    requireUsable(params);
    RunRecord record("stability", nullptr, params.seed);
    describe(params.selection, source.info(), record.provenance());
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    StabilityResult result;
    result.warnings = source.info().warnings;
    result.top = params.top;
    result.prompts = selectedPrompts(params.selection, source.info());
    choosePartsOf(source.info(), result);
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    result.lengths = chosenLengths(params.lengths, length, source.info().queries().first);
    warnAboutShortPrompts(source.info(), result);
    if (result.prompts.size() > 1 && result.prompts.size() < kFewPrompts)
        result.warnings.push_back({"few_prompts", "",
                                   fmt::format("{} prompts are too few for an interval: every prompt's own agreement "
                                               "with the others is listed instead",
                                               result.prompts.size())});
    const auto replicates = promptReplicates(params.replicates, result.prompts.size(), params.seed);
    for (std::size_t n = 0; n < layers.size(); ++n)
        LayerStudy(params, layers[n], source, result, replicates).run(control.part(n, layers.size()));
    if (std::none_of(result.heads.begin(), result.heads.end(), [](const HeadStability& head) { return head.usable; }))
        throw kernels::FormatError({source.info().path, "/layers",
                                    "no head could be used: " + result.warnings.back().text,
                                    "check the file with h5dump or copy it again"});
    describeStability(params, result, record.provenance());
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
