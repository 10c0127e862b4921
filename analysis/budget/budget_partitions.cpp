// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/budget/budget_partitions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/attention_math.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

/// Boundaries of parts of nearly equal size that separate no equal values: partners of a rotation stay together.
std::vector<int> equalCuts(const std::vector<double>& values, const std::vector<int>& order, int groups) {
    std::vector<int> cuts;
    const auto dim = static_cast<int>(order.size());
    const auto value = [&](int rank) {
        return values[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])];
    };
    for (int g = 1; g < groups; ++g) {
        int first = static_cast<int>(std::lround(static_cast<double>(g) * dim / groups));
        while (first < dim && value(first) == value(first - 1)) ++first;
        if (first < dim && (cuts.empty() || first - 1 > cuts.back())) cuts.push_back(first - 1);
    }
    return cuts;
}

std::vector<int> shuffled(std::vector<int> values, kernels::RandomStream& random) {
    for (std::size_t n = values.size(); n > 1; --n) std::swap(values[n - 1], values[random.below(n)]);
    return values;
}

/// `groups` - 1 different places to cut, ascending.
std::vector<int> randomCutsOf(int dim, int groups, kernels::RandomStream& random) {
    std::vector<int> places(static_cast<std::size_t>(dim - 1));
    std::iota(places.begin(), places.end(), 0);
    places = shuffled(std::move(places), random);
    places.resize(static_cast<std::size_t>(groups - 1));
    std::sort(places.begin(), places.end());
    return places;
}

class PartitionList {
public:
    PartitionList(const PartitionParams& params, const LayerInfo& layer, const HeadProfile& profile)
        : params_(params), layer_(layer), profile_(profile), dim_(static_cast<int>(profile.chi.size())) {}

    std::vector<Partition> take() { return std::move(list_); }

    void addWhole() { list_.push_back({"none", "none", 1, -1, {}, std::vector<int>(profile_.chi.size(), 0)}); }
    void addUngrouped() {
        std::vector<int> label(profile_.chi.size());
        std::iota(label.begin(), label.end(), 0);
        list_.push_back({"none", "none", dim_, -1, {}, std::move(label)});
    }
    void addGrouping(const HeadGrouping& grouping) {
        list_.push_back({"chi", "grouping", 0, -1, grouping.cuts, grouping.labels()});
    }
    void addFor(int groups) {
        const std::pair<const char*, const std::vector<double>*> orders[] = {{"chi", &profile_.chi},
                                                                             {"chi_eff", &profile_.chiEffective},
                                                                             {"q", &profile_.qMeanAbs},
                                                                             {"k", &profile_.kMeanAbs}};
        for (const auto& [name, values] : orders) {
            const SortedChi sorted = sortedChi(*values);
            addCut(name, "gap", groups, -1, sorted.order, largestGaps(sorted.ratio, groups));
        }
        if (layer_.rope != "none") {
            const std::vector<double> frequencies = ropeFrequencies(layer_);
            const SortedChi sorted = sortedChi(frequencies);
            addCut("rope", "equal", groups, -1, sorted.order, equalCuts(frequencies, sorted.order, groups));
        }
        addRandom(groups);
    }

private:
    void addCut(const char* order, const char* rule, int groups, int draw, const std::vector<int>& ranks,
                std::vector<int> cuts) {
        std::vector<int> label = labelsBetween(ranks, cuts);
        list_.push_back({order, rule, groups, draw, std::move(cuts), std::move(label)});
    }
    void addRandom(int groups) {
        // A stream per head and number of groups: no draw depends on what else is asked for.
        kernels::RandomStream random(params_.seed, kernels::RandomPurpose::BudgetPartitions, layer_.layer.value,
                                     profile_.head.value * 4096 + groups);
        const SortedChi sorted = sortedChi(profile_.chi);
        const std::vector<int> gaps = largestGaps(sorted.ratio, groups);
        for (int n = 0; n < params_.randomPartitions; ++n)
            list_.push_back(
                {"random", "size-matched", groups, n, {}, labelsBetween(shuffled(sorted.order, random), gaps)});
        for (int n = 0; n < params_.randomCuts; ++n)
            addCut("chi", "random", groups, n, sorted.order, randomCutsOf(dim_, groups, random));
    }

    const PartitionParams& params_;
    const LayerInfo& layer_;
    const HeadProfile& profile_;
    int dim_;
    std::vector<Partition> list_;
};

}  // namespace

int Partition::groups() const { return label.empty() ? 0 : *std::max_element(label.begin(), label.end()) + 1; }

int Partition::parameters() const { return kernels::packedLength(groups() + 1); }

std::vector<int> largestGaps(const std::vector<double>& ratio, int groups) {
    std::vector<int> cuts(ratio.size());
    std::iota(cuts.begin(), cuts.end(), 0);
    std::stable_sort(cuts.begin(), cuts.end(), [&](int a, int b) {
        return ratio[static_cast<std::size_t>(a)] > ratio[static_cast<std::size_t>(b)];
    });
    cuts.resize(std::min(cuts.size(), static_cast<std::size_t>(std::max(groups, 1) - 1)));
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

std::vector<int> labelsBetween(const std::vector<int>& order, const std::vector<int>& cuts) {
    std::vector<int> label(order.size(), 0);
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        label[static_cast<std::size_t>(order[rank])] = static_cast<int>(next);
        if (next < cuts.size() && cuts[next] == static_cast<int>(rank)) ++next;
    }
    return label;
}

std::vector<double> ropeFrequencies(const LayerInfo& layer) {
    const Index rotated = layer.rotaryDim > 0 ? layer.rotaryDim : layer.headDim;
    const double theta = layer.ropeTheta > 1.0 ? layer.ropeTheta : 10000.0;  // the order is the same for any
    std::vector<double> frequencies(static_cast<std::size_t>(layer.headDim), 0.0);
    for (Index r = 0; r < rotated; ++r) {
        const Index pair = layer.ropeLayout == "interleaved" ? r / 2 : r % (rotated / 2);
        frequencies[static_cast<std::size_t>(r)] =
            std::pow(theta, -2.0 * static_cast<double>(pair) / static_cast<double>(rotated));
    }
    return frequencies;
}

std::vector<Partition> budgetPartitions(const PartitionParams& params, const LayerInfo& layer,
                                        const HeadProfile& profile, const HeadGrouping& grouping) {
    PartitionList list(params, layer, profile);
    const auto dim = static_cast<int>(profile.chi.size());
    std::vector<int> groups = params.groups;
    for (int& g : groups)
        if (g == 0 || g > dim) g = dim;
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    if (std::find(groups.begin(), groups.end(), 1) != groups.end()) list.addWhole();
    for (const int g : groups)
        if (g > 1 && g < dim) list.addFor(g);
    list.addGrouping(grouping);
    if (dim > 1 && std::find(groups.begin(), groups.end(), dim) != groups.end()) list.addUngrouped();
    return list.take();
}

}  // namespace dimscope::analysis
