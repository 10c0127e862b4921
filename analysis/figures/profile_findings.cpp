// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/findings.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kMostNamed = 6;  // more dimensions than this are counted, not listed
constexpr std::size_t kMostPairs = 3;
constexpr double kLargeRatio = 3.0;     // a magnitude is large from this multiple of the head's median
constexpr double kCancelledPart = 0.5;  // effective share below this part of the share is worth saying

class ProfileWords {
public:
    ProfileWords(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping)
        : head_(head),
          layer_(layer),
          grouping_(grouping && grouping->usable ? grouping : nullptr),
          // Without outliers the strongest five are what there is to speak about.
          marked_(markedDimensions(head, grouping)) {
        apart_ = !marked_.empty() && (grouping_ != nullptr);
        if (marked_.empty()) marked_ = strongest(head, 5);
    }

    std::vector<Finding> findings() {
        addShare();
        addPairs();
        addSides();
        addCut();
        addCancelled();
        addSpread();
        if (found_.size() > 5) found_.resize(5);
        return std::move(found_);
    }

private:
    int headDim() const { return static_cast<int>(head_.chi.size()); }
    double sumOver(const std::vector<double>& values, const std::vector<int>& dims) const {
        double sum = 0.0;
        for (int r : dims) sum += values[static_cast<std::size_t>(r)];
        return sum;
    }
    double markedShare() const { return sumOver(head_.share, marked_); }

    std::string named(const std::vector<int>& dims) const {
        return dims.size() <= kMostNamed ? commaList(dims) : fmt::format("{} dims", dims.size());
    }

    void addShare() {
        const std::string share = roundPercentText(markedShare());
        const std::string dims = named(marked_);
        std::string text;
        if (grouping_ && !apart_)
            text = fmt::format("No dimension stands apart: [{}] carry {}.", dims, share);
        else if (marked_.size() == 1)
            text = fmt::format("Dim [{}] alone carries {} of the contribution.", dims, share);
        else if (marked_.size() > kMostNamed)
            text = fmt::format("[{}] carry {} of the contribution, {} most.", dims, share, marked_.front());
        else
            text = fmt::format("Dims [{}] carry {} of the contribution.", dims, share);
        found_.push_back({text, marked_, {}});
    }

    void addPairs() {
        std::vector<int> members;
        std::vector<std::string> pairs;  // strongest first, as marked_ is
        for (int r : marked_) {
            const int partner = partnerOf(r, headDim(), layer_);
            if (partner < 0 || !contains(marked_, partner) || contains(members, r)) continue;
            members.insert(members.end(), {r, partner});
            pairs.push_back(fmt::format("{}–{}", std::min(r, partner), std::max(r, partner)));
        }
        if (marked_.size() < 2 || partnerOf(marked_.front(), headDim(), layer_) < 0) return;
        if (pairs.empty()) {
            found_.push_back({"[None] of them are RoPE partners.", marked_, {}});
            return;
        }
        const bool all = members.size() == marked_.size();
        const std::string count =
            fmt::format("{} RoPE {}", countText(pairs.size()), pairs.size() == 1 ? "pair" : "pairs");
        const bool more = pairs.size() > kMostPairs;
        if (more) pairs.resize(1);
        found_.push_back({fmt::format("{} [{}]{}{}.", all ? "They are" : "Among them", count, more ? ", first " : ": ",
                                      wordList(pairs)),
                          members,
                          {}});
    }

    // Dimensions whose magnitude is large against the head's median.
    std::vector<int> largeIn(const std::vector<double>& magnitude) const {
        std::vector<double> sorted = magnitude;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        std::vector<int> large;
        for (int r : marked_)
            if (magnitude[static_cast<std::size_t>(r)] > kLargeRatio * *middle) large.push_back(r);
        std::sort(large.begin(), large.end());
        return large;
    }

    void addSides() {
        const std::vector<int> q = largeIn(head_.qMeanAbs), k = largeIn(head_.kMeanAbs);
        const auto words = [](const std::vector<int>& dims) {
            return dims.size() <= 4 ? wordList(dims) : fmt::format("{} of them", dims.size());
        };
        std::vector<int> both, either;
        std::set_intersection(q.begin(), q.end(), k.begin(), k.end(), std::back_inserter(both));
        std::set_union(q.begin(), q.end(), k.begin(), k.end(), std::back_inserter(either));
        std::string text;
        if (either.empty())
            return;
        else if (!both.empty())
            text = fmt::format("<i>q</i> and <i>k</i> are both large in [{}].", words(both));
        else if (q.empty())
            text = fmt::format("<i>k</i> is large in [{}], <i>q</i> {}.", words(k), noneText());
        else if (k.empty())
            text = fmt::format("<i>q</i> is large in [{}], <i>k</i> {}.", words(q), noneText());
        else
            text = fmt::format("<i>k</i> is large in [{}], <i>q</i> in {}.", words(k), words(q));
        found_.push_back({text, both.empty() ? either : both, {}});
    }

    std::string noneText() const { return marked_.size() == 1 ? "is not" : "in none of them"; }

    // The cut that parts the bulk from the rest.
    void addCut() {
        if (!grouping_ || grouping_->cuts.empty()) return;
        const int cut = *std::min_element(grouping_->cuts.begin(), grouping_->cuts.end());
        const auto c = static_cast<std::size_t>(cut);
        const bool natural = contains(grouping_->naturalCuts, cut);
        const std::string which = grouping_->cuts.size() == 1 ? "cut" : "lowest cut";
        found_.push_back({fmt::format("The [{}] is {}: <i>ρ</i> = {}, support {}.", which, natural ? "clear" : "weak",
                                      numberText(grouping_->ratio[c]), roundPercentText(grouping_->support[c])),
                          {grouping_->order[c], grouping_->order[c + 1]},
                          {}});
    }

    void addCancelled() {
        const double total = std::accumulate(head_.chiEffective.begin(), head_.chiEffective.end(), 0.0);
        if (!(total > 0.0)) return;
        const double effective = sumOver(head_.chiEffective, marked_) / total;
        if (effective < kCancelledPart * markedShare())
            found_.push_back(
                {fmt::format("In effective <i>χ</i> [{}] only {}.", marked_.size() == 1 ? "it carries" : "they carry",
                             roundPercentText(effective)),
                 marked_,
                 {}});
    }

    void addSpread() {
        if (headDim() < 2) return;
        const auto count = static_cast<int>(std::lround(head_.effectiveDims));
        found_.push_back({fmt::format("<i>χ</i> spreads like [{} equal] dimensions of {}.",
                                      numberText(head_.effectiveDims), headDim()),
                          strongest(head_, std::max(count, 1)),
                          {}});
    }

    const HeadProfile& head_;
    const LayerInfo& layer_;
    const HeadGrouping* grouping_;
    std::vector<int> marked_;  // what the sentences are about, descending in chi
    bool apart_ = false;       // marked_ are the outliers of a grouping
    std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> profileFindings(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping) {
    if (!head.usable()) return {{nonFiniteText(head) + ".", {}, {}}};
    if (strongest(head, 1).empty()) return {{"<i>χ</i> is zero in every dimension.", {}, {}}};
    return ProfileWords(head, layer, grouping).findings();
}

}  // namespace dimscope::analysis
