// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/findings.h"

namespace dimscope::analysis {
namespace {

class GroupingWords {
public:
    GroupingWords(const HeadGrouping& head, const GroupingParams& params) : head_(head), params_(params) {}

    std::vector<Finding> findings() {
        addGroups();
        addShare();
        addNaturalCuts();
        addAddedCuts();
        addNearMiss();
        return std::move(found_);
    }

private:
    double ratio(int cut) const { return head_.ratio[static_cast<std::size_t>(cut)]; }
    double support(int cut) const { return head_.support[static_cast<std::size_t>(cut)]; }
    std::vector<int> neighbours(int cut) const {
        return {head_.order[static_cast<std::size_t>(cut)], head_.order[static_cast<std::size_t>(cut) + 1]};
    }
    int above(int cut) const { return head_.order[static_cast<std::size_t>(cut) + 1]; }

    void addGroups() {
        if (head_.outliers.empty()) {
            found_.push_back({"All dimensions are one group.", {}, {}});
            return;
        }
        const std::size_t groups = head_.groups.size() - 1;
        found_.push_back({fmt::format("[{} outlier {}] in {} {} above a bulk of {}.", head_.outliers.size(),
                                      head_.outliers.size() == 1 ? "dim" : "dims", countText(groups),
                                      groups == 1 ? "group" : "groups", head_.groups.front().size()),
                          head_.outliers,
                          {}});
    }

    void addShare() {
        if (head_.outliers.empty()) return;
        const double times = head_.outlierShare() /
                             (static_cast<double>(head_.outliers.size()) / static_cast<double>(head_.order.size()));
        found_.push_back({fmt::format("[{}] {} of <i>χ</i>, {} times an equal part.",
                                      head_.outliers.size() == 1 ? "It carries" : "They carry",
                                      roundPercentText(head_.outlierShare()), numberText(times)),
                          head_.outliers,
                          {}});
    }

    void addNaturalCuts() {
        if (head_.candidates.empty()) return;
        if (head_.naturalCuts.empty()) {
            found_.push_back({fmt::format("No cut reaches both <i>ρ</i> ≥ {} and support ≥ {}.",
                                          numberText(params_.tau), roundPercentText(params_.gamma)),
                              {},
                              {}});
            return;
        }
        const int surest = *std::max_element(head_.naturalCuts.begin(), head_.naturalCuts.end(), [&](int a, int b) {
            return std::pair(support(a), ratio(a)) < std::pair(support(b), ratio(b));
        });
        const bool one = head_.naturalCuts.size() == 1;
        found_.push_back({fmt::format("{} [natural {}]: {}<i>ρ</i> = {}, support {}.", head_.naturalCuts.size(),
                                      one ? "cut" : "cuts", one ? "" : "the surest ", numberText(ratio(surest)),
                                      roundPercentText(support(surest))),
                          neighbours(surest),
                          {}});
    }

    void addAddedCuts() {
        std::vector<int> added;
        for (int cut : head_.cuts)
            if (!contains(head_.naturalCuts, cut)) added.push_back(cut);
        if (added.empty()) return;
        const int weakest =
            *std::min_element(added.begin(), added.end(), [&](int a, int b) { return support(a) < support(b); });
        const std::string which = added.size() == 1 ? fmt::format("The [cut] below {} is", above(weakest))
                                                    : fmt::format("[{} cuts] are", added.size());
        found_.push_back({fmt::format("{} added for {} groups, support {}.", which, params_.minGroups,
                                      roundPercentText(support(weakest))),
                          neighbours(weakest),
                          {}});
    }

    // The best supported candidate that was not taken.
    void addNearMiss() {
        int best = -1;
        for (int cut : head_.candidates)
            if (!contains(head_.cuts, cut) && support(cut) > 0.0 &&
                (best < 0 || std::pair(support(cut), ratio(cut)) > std::pair(support(best), ratio(best))))
                best = cut;
        if (best < 0) return;
        found_.push_back({fmt::format("Next: the [cut] below {}, <i>ρ</i> = {}, support {}.", above(best),
                                      numberText(ratio(best)), roundPercentText(support(best))),
                          neighbours(best),
                          {}});
    }

    const HeadGrouping& head_;
    const GroupingParams& params_;
    std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> groupingFindings(const HeadGrouping& head, const GroupingParams& params) {
    if (!head.usable) return {{"The head has NaN or infinite values and is not grouped.", {}, {}}};
    return GroupingWords(head, params).findings();
}

}  // namespace dimscope::analysis
