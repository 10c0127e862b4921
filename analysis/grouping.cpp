// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/run_record.h"
#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using kernels::ArgumentError;

constexpr double kChiFloor = 1e-12;  // of the ratio's denominator (kernel-math section 11, open choice 8)

double at(const std::vector<double>& values, int index) { return values[static_cast<std::size_t>(index)]; }

double ratioOf(double upper, double lower) { return upper / std::max(lower, kChiFloor); }

/// Zero-based left ranks inside the tail: c from ceil(d (1 - alpha)) to d - 2.
std::vector<int> candidatesOf(std::size_t dim, double alpha) {
    std::vector<int> candidates;
    const auto first = static_cast<int>(std::ceil(static_cast<double>(dim) * (1.0 - alpha) - 1e-9));
    for (int c = std::max(first, 0); c + 1 < static_cast<int>(dim); ++c) candidates.push_back(c);
    return candidates;
}

/// Bootstrap support of every cut of one head.
class SupportCounter {
public:
    SupportCounter(const GroupingParams& params, const SortedChi& full, const std::vector<int>& candidates)
        : params_(params),
          full_(full),
          candidates_(candidates),
          hits_(full.ratio.size(), 0.0),
          place_(full.order.size()) {
        for (std::size_t n = 0; n < full.order.size(); ++n)
            place_[static_cast<std::size_t>(full.order[n])] = static_cast<int>(n);
    }

    void add(const std::vector<double>& chi) {
        const SortedChi replicate = sortedChi(chi);
        int highestBelow = -1;  // largest full-sample place among the replicate's lower ranks
        for (std::size_t c = 0; c < hits_.size(); ++c) {
            highestBelow = std::max(highestBelow, place_[static_cast<std::size_t>(replicate.order[c])]);
            const bool sameSet = highestBelow == static_cast<int>(c);
            if (hit(static_cast<int>(c), chi, replicate, sameSet)) hits_[c] += 1.0;
        }
    }
    std::vector<double> support(std::size_t replicates) const {
        std::vector<double> share = hits_;
        for (double& s : share) s /= static_cast<double>(replicates);
        return share;
    }

private:
    bool hit(int c, const std::vector<double>& chi, const SortedChi& replicate, bool sameSet) const {
        switch (params_.support) {
            case SupportRule::Rank: return at(replicate.ratio, c) >= params_.tau;
            case SupportRule::Set: return sameSet && at(replicate.ratio, c) >= params_.tau;
            case SupportRule::Fixed: {
                const int lower = full_.order[static_cast<std::size_t>(c)];
                const int upper = full_.order[static_cast<std::size_t>(c) + 1];
                return ratioOf(at(chi, upper), at(chi, lower)) >= params_.tau;
            }
            case SupportRule::Tolerance:
                return std::any_of(candidates_.begin(), candidates_.end(), [&](int other) {
                    return std::abs(other - c) <= params_.delta && at(replicate.ratio, other) >= params_.tau;
                });
        }
        return false;
    }

    const GroupingParams& params_;
    const SortedChi& full_;
    const std::vector<int>& candidates_;
    std::vector<double> hits_;
    std::vector<int> place_;  // rank of each dimension in the full sample
};

std::vector<std::vector<int>> drawnReplicates(const GroupingParams& params, Index prompts) {
    kernels::RandomStream random(params.seed, kernels::RandomPurpose::Bootstrap);
    std::vector<std::vector<int>> draws(static_cast<std::size_t>(params.replicates));
    for (std::vector<int>& draw : draws)
        for (Index p = 0; p < prompts; ++p)
            draw.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(prompts))));
    return draws;
}

std::vector<double> resampled(const kernels::Matrix<double>& chiPrompts, const std::vector<int>& draw) {
    std::vector<double> chi(static_cast<std::size_t>(chiPrompts.cols()), 0.0);
    for (const int prompt : draw)
        for (std::size_t r = 0; r < chi.size(); ++r) chi[r] += chiPrompts(prompt, static_cast<Index>(r));
    for (double& c : chi) c /= static_cast<double>(draw.size());
    return chi;
}

/// Natural cuts, then unused candidates by (support, ratio, lower rank) until there are enough groups.
void chooseCuts(HeadGrouping& head, const GroupingParams& params) {
    std::vector<int> rest;
    for (const int c : head.candidates) {
        const bool natural = at(head.ratio, c) >= params.tau && at(head.support, c) >= params.gamma;
        (natural ? head.naturalCuts : rest).push_back(c);
    }
    std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) {
        if (at(head.support, a) != at(head.support, b)) return at(head.support, a) > at(head.support, b);
        return at(head.ratio, a) > at(head.ratio, b);
    });
    head.cuts = head.naturalCuts;
    for (auto next = rest.begin(); next != rest.end() && static_cast<int>(head.cuts.size()) + 1 < params.minGroups;
         ++next)
        head.cuts.push_back(*next);
    std::sort(head.cuts.begin(), head.cuts.end());
}

void formGroups(HeadGrouping& head) {
    auto start = head.order.begin();
    for (const int cut : head.cuts) {
        head.groups.emplace_back(start, head.order.begin() + cut + 1);
        start = head.order.begin() + cut + 1;
    }
    head.groups.emplace_back(start, head.order.end());
    for (std::size_t g = 1; g < head.groups.size(); ++g)
        head.outliers.insert(head.outliers.end(), head.groups[g].begin(), head.groups[g].end());
    std::sort(head.outliers.begin(), head.outliers.end());
}

HeadGrouping groupHead(const GroupingParams& params, const HeadProfile& profile,
                       const std::vector<std::vector<int>>& draws, const RunControl& control) {
    const SortedChi full = sortedChi(profile.chi);
    HeadGrouping head{.layer = profile.layer,
                      .head = profile.head,
                      .chi = profile.chi,
                      .order = full.order,
                      .ratio = full.ratio,
                      .support = std::vector<double>(full.ratio.size(), 0.0),
                      .candidates = candidatesOf(profile.chi.size(), params.alpha),
                      .naturalCuts = {},
                      .cuts = {},
                      .groups = {},
                      .outliers = {},
                      .usable = profile.usable()};
    if (!head.usable) {
        head.ratio.assign(head.ratio.size(), std::nan(""));
        head.support = head.ratio;
        return head;
    }
    SupportCounter counter(params, full, head.candidates);
    for (std::size_t b = 0; b < draws.size(); ++b) {
        if (b % 64 == 0) control.throwIfCancelled();
        counter.add(resampled(profile.chiPrompts, draws[b]));
    }
    if (!draws.empty()) head.support = counter.support(draws.size());
    chooseCuts(head, params);
    formGroups(head);
    return head;
}

void checkParams(const GroupingParams& params, Index prompts) {
    const auto outside = [](const char* name, double value, const char* range) {
        throw ArgumentError(fmt::format("{} is {}, expected {}", name, value, range));
    };
    if (!(params.alpha > 0.0 && params.alpha <= 1.0)) outside("alpha", params.alpha, "more than 0 and at most 1");
    if (!(params.tau >= 1.0)) outside("tau", params.tau, "1 or more");
    if (!(params.gamma >= 0.0 && params.gamma <= 1.0)) outside("gamma", params.gamma, "0 to 1");
    if (params.minGroups < 1) outside("min-groups", params.minGroups, "1 or more");
    if (params.replicates < 1) outside("replicates", params.replicates, "1 or more");
    if (params.delta < 0) outside("delta", params.delta, "0 or more");
    for (const std::vector<int>& draw : params.bootstrap)
        for (const int prompt : draw)
            if (prompt < 0 || prompt >= prompts)
                throw ArgumentError(fmt::format("bootstrap index {}: {} prompts are selected, expected 0..{}", prompt,
                                                prompts, prompts - 1));
}

std::string place(const HeadGrouping& head) {
    return fmt::format("layer {} head {}", head.layer.value, head.head.value);
}

void warnAbout(const HeadGrouping& head, const GroupingParams& params, std::vector<Warning>& warnings) {
    if (head.usable && static_cast<int>(head.groups.size()) < params.minGroups)
        warnings.push_back({"few-groups", place(head),
                            fmt::format("the tail holds {} candidate cuts, so the head has {} of at least {} groups",
                                        head.candidates.size(), head.groups.size(), params.minGroups)});
}

void describeParams(const GroupingParams& params, Provenance& provenance) {
    provenance.parameters = {
        {"alpha", params.alpha},
        {"tau", params.tau},
        {"gamma", params.gamma},
        {"min_groups", std::int64_t{params.minGroups}},
        {"replicates", static_cast<std::int64_t>(params.bootstrap.empty() ? static_cast<std::size_t>(params.replicates)
                                                                          : params.bootstrap.size())},
        {"support", std::string(supportRuleName(params.support))},
        {"bootstrap", std::string(params.bootstrap.empty() ? "drawn" : "given")}};
    if (params.support == SupportRule::Tolerance)
        provenance.parameters.emplace_back("delta", std::int64_t{params.delta});
}

}  // namespace

SortedChi sortedChi(const std::vector<double>& chi) {
    SortedChi sorted;
    sorted.order.resize(chi.size());
    std::iota(sorted.order.begin(), sorted.order.end(), 0);
    std::stable_sort(sorted.order.begin(), sorted.order.end(), [&](int a, int b) { return at(chi, a) < at(chi, b); });
    for (std::size_t c = 0; c + 1 < chi.size(); ++c)
        sorted.ratio.push_back(ratioOf(at(chi, sorted.order[c + 1]), at(chi, sorted.order[c])));
    return sorted;
}

std::vector<int> HeadGrouping::labels() const {
    std::vector<int> label(order.size(), 0);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const int r : groups[g]) label[static_cast<std::size_t>(r)] = static_cast<int>(g);
    return label;
}

double HeadGrouping::outlierShare() const {
    const double total = std::accumulate(chi.begin(), chi.end(), 0.0);
    double sum = 0.0;
    for (const int r : outliers) sum += at(chi, r);
    return total > 0.0 ? sum / total : std::nan("");
}

const HeadGrouping* GroupingResult::find(LayerIndex layer, HeadIndex head) const {
    for (const HeadGrouping& grouping : heads)
        if (grouping.layer == layer && grouping.head == head) return &grouping;
    return nullptr;
}

GroupingResult groupHeads(const GroupingParams& params, const ProfileResult& profile, const RunControl& control) {
    const auto prompts = static_cast<Index>(profile.prompts.size());
    checkParams(params, prompts);
    RunRecord record("group", nullptr, params.seed);
    Provenance& provenance = record.provenance();
    provenance.backend = profile.provenance.backend;
    provenance.device = profile.provenance.device;
    provenance.dump = profile.provenance.dump;
    provenance.selection = profile.provenance.selection;
    describeParams(params, provenance);

    GroupingResult result{.params = params, .heads = {}, .warnings = profile.warnings, .provenance = {}};
    const std::vector<std::vector<int>> draws =
        params.bootstrap.empty() ? drawnReplicates(params, prompts) : params.bootstrap;
    if (prompts == 1)
        result.warnings.push_back(
            {"one-prompt", "", "one prompt: every bootstrap replicate is the same, support says nothing"});
    for (std::size_t n = 0; n < profile.heads.size(); ++n) {
        result.heads.push_back(groupHead(params, profile.heads[n], draws, control));
        warnAbout(result.heads.back(), params, result.warnings);
        control.report(static_cast<float>(n + 1) / static_cast<float>(profile.heads.size()));
    }
    result.provenance = record.finished();
    return result;
}

SupportRule supportRuleFrom(std::string_view name) {
    for (const SupportRule rule : {SupportRule::Rank, SupportRule::Set, SupportRule::Fixed, SupportRule::Tolerance})
        if (supportRuleName(rule) == name) return rule;
    throw ArgumentError(fmt::format("unknown support rule '{}', expected rank, set, fixed or tol", name));
}

std::string_view supportRuleName(SupportRule rule) {
    switch (rule) {
        case SupportRule::Rank: return "rank";
        case SupportRule::Set: return "set";
        case SupportRule::Fixed: return "fixed";
        case SupportRule::Tolerance: return "tol";
    }
    return "";
}

}  // namespace dimscope::analysis
