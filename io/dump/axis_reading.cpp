// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/axis_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "io/dump/axis_question.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr Index kSmallestDim = 8;  ///< a head dimension below is a wrong reading rather than a head

struct AxisWord {
    const char* word;
    AxisRole role;
};
constexpr std::array<AxisWord, 10> kAxisWords{{{"prompt", AxisRole::Prompt},
                                               {"layer", AxisRole::Layer},
                                               {"head", AxisRole::Head},
                                               {"pos", AxisRole::Position},
                                               {"dim", AxisRole::Dim},
                                               {"value", AxisRole::Dim},
                                               {"head*dim", AxisRole::HeadDim},
                                               {"head*value", AxisRole::HeadDim},
                                               {"hidden", AxisRole::Hidden},
                                               {"qkv", AxisRole::Fused}}};

/// Other programs' words for them.
constexpr std::array<AxisWord, 26> kLabelWords{{{"prompts", AxisRole::Prompt},
                                                {"batch", AxisRole::Prompt},
                                                {"b", AxisRole::Prompt},
                                                {"example", AxisRole::Prompt},
                                                {"sample", AxisRole::Prompt},
                                                {"sequence", AxisRole::Prompt},
                                                {"layers", AxisRole::Layer},
                                                {"heads", AxisRole::Head},
                                                {"h", AxisRole::Head},
                                                {"head_index", AxisRole::Head},
                                                {"n_heads", AxisRole::Head},
                                                {"kv_head", AxisRole::Head},
                                                {"position", AxisRole::Position},
                                                {"positions", AxisRole::Position},
                                                {"token", AxisRole::Position},
                                                {"tokens", AxisRole::Position},
                                                {"seq", AxisRole::Position},
                                                {"time", AxisRole::Position},
                                                {"t", AxisRole::Position},
                                                {"n", AxisRole::Position},
                                                {"d", AxisRole::Dim},
                                                {"head_dim", AxisRole::Dim},
                                                {"d_head", AxisRole::Dim},
                                                {"channel", AxisRole::Dim},
                                                {"feature", AxisRole::Dim},
                                                {"dims", AxisRole::Dim}}};

template <std::size_t n>
std::optional<AxisRole> roleOf(const std::array<AxisWord, n>& words, const std::string& word) {
    const auto found = std::find_if(words.begin(), words.end(), [&](const AxisWord& w) { return word == w.word; });
    return found == words.end() ? std::nullopt : std::optional(found->role);
}

bool hasRole(const Axes& axes, AxisRole role) { return std::find(axes.begin(), axes.end(), role) != axes.end(); }

Axes reversedAxes(Axes axes) {
    std::reverse(axes.begin(), axes.end());
    return axes;
}

/// Orders that people write, for the axes that names leave open; the format's own first.
std::vector<Axes> knownOrders(std::size_t rank, const AxisHints& hints) {
    using enum AxisRole;
    static const std::vector<Axes> all{{Position, Dim},
                                       {Position, HeadDim},
                                       {Head, Position, Dim},
                                       {Position, Head, Dim},
                                       {Prompt, Position, Dim},
                                       {Prompt, Position, HeadDim},
                                       {Prompt, Head, Position, Dim},
                                       {Prompt, Position, Head, Dim},
                                       {Layer, Prompt, Position, HeadDim},
                                       {Layer, Head, Position, Dim},
                                       {Layer, Prompt, Head, Position, Dim},
                                       {Layer, Prompt, Position, Head, Dim}};
    std::vector<Axes> fitting;
    for (const Axes& axes : all) {
        const bool named = (hints.layerNamed && hasRole(axes, Layer)) || (hints.promptNamed && hasRole(axes, Prompt)) ||
                           (hints.headNamed && (hasRole(axes, Head) || hasRole(axes, HeadDim)));
        if (axes.size() == rank && !named) fitting.push_back(axes);
    }
    return fitting;
}

/// Whether q, k and v fit together and what is stated about them, in this order of axes.
bool fits(const Axes& axes, const Sizes& q, const Sizes& k, const Sizes& v, const AxisHints& hints) {
    if (hasRole(axes, AxisRole::HeadDim) && hints.headDim <= 0 && hints.nHeads <= 0) return false;
    const TensorSizes a = sizesOf(q, axes, hints.headDim, hints.nHeads);
    const TensorSizes b = sizesOf(k, axes, a.dim, hints.nKvHeads);
    if (a.dim < 1 || b.heads < 1 || a.heads % b.heads != 0 || b.heads > a.heads) return false;
    if (a.prompts != b.prompts || a.layers != b.layers || a.dim != b.dim) return false;
    if (a.positions != b.positions && !(hints.fewerQueries && a.positions < b.positions)) return false;
    if (hints.nHeads > 0 && a.heads != hints.nHeads) return false;
    if (hints.nKvHeads > 0 && b.heads != hints.nKvHeads && b.heads != a.heads) return false;
    if (hints.headDim > 0 && a.dim != hints.headDim) return false;
    if (hints.prompts > 0 && !hints.promptNamed && a.prompts != hints.prompts) return false;
    if (hints.positions > 0 && !hints.promptNamed && b.positions != hints.positions) return false;
    if (v.size() != q.size()) return true;
    const TensorSizes c = sizesOf(v, axes, 0, b.heads);
    return c.prompts == b.prompts && c.layers == b.layers && c.positions == b.positions && c.heads == b.heads;
}

/// Small for what dumps look like: at least twice as many positions as heads, a head dimension of at least 8.
int oddity(const Axes& axes, const Sizes& q, const AxisHints& hints) {
    const TensorSizes sizes = sizesOf(q, axes, hints.headDim, hints.nHeads);
    return (sizes.positions < 2 * sizes.heads ? 1 : 0) + (sizes.dim < kSmallestDim ? 2 : 0) +
           (hasRole(axes, AxisRole::Layer) && axes.size() < 5 ? 1 : 0);
}

/// Of several orders that fit, those that are least odd.
std::vector<Axes> leastOdd(const std::vector<Axes>& fitting, const Sizes& q, const AxisHints& hints) {
    int least = 100;
    for (const Axes& axes : fitting) least = std::min(least, oddity(axes, q, hints));
    std::vector<Axes> best;
    for (const Axes& axes : fitting)
        if (oddity(axes, q, hints) == least) best.push_back(axes);
    return best;
}

std::string evidenceFor(const Sizes& q, const Sizes& k, const AxisHints& hints) {
    if (hints.fewerQueries) return "no other order has fewer queries than keys";
    if (q != k) return "the axis that differs between q and k counts heads";
    if (hints.nHeads > 0 || hints.headDim > 0) return "n_heads and head_dim fit no other order";
    return "no other order fits q, k and v";
}

bool isStated(const AxisHints& hints) { return hints.nHeads > 0 || hints.headDim > 0; }

AxisDecision chooseForward(const std::vector<Axes>& forward, const Sizes& q, const Sizes& k, const AxisHints& hints,
                           const FilePlace& place) {
    if (forward.size() == 1) return {forward.front(), evidenceFor(q, k, hints), false};
    if (hints.positionsFirst)
        for (const Axes& axes : forward)
            if (axes == Axes{AxisRole::Prompt, AxisRole::Position, AxisRole::Head, AxisRole::Dim})
                return {axes, "the names are those of TransformerLens", false};
    const std::vector<Axes> best = leastOdd(forward, q, hints);
    if (best.size() > 1) askAxes(best, q, hints, place);
    return {best.front(), "there are more positions than heads", true};
}

AxisDecision chooseReversed(const std::vector<Axes>& forward, const std::vector<Axes>& reversed, const Sizes& q,
                            const AxisHints& hints, const FilePlace& place) {
    if (hints.reversed) {
        const std::vector<Axes> best = leastOdd(reversed, q, hints);
        if (best.size() > 1) askAxes(best, q, hints, place);
        return {best.front(), "the file was written by MATLAB, which reverses axes", true};
    }
    std::vector<Axes> readings = leastOdd(reversed, q, hints);
    if (forward.empty() && readings.size() == 1 && isStated(hints))
        return {readings.front(), "axes are reversed: n_heads and head_dim fit only so", true};
    readings.insert(readings.end(), forward.begin(), forward.end());
    askAxes(readings, q, hints, place);
}

}  // namespace

std::string axesText(const Axes& axes) {
    std::vector<std::string> words;
    for (const AxisRole role : axes)
        words.emplace_back(std::find_if(kAxisWords.begin(), kAxisWords.end(), [role](const AxisWord& w) {
                               return w.role == role;
                           })->word);
    return fmt::format("{}", fmt::join(words, " "));
}

Axes axesFromText(const std::string& text, std::size_t rank, const FilePlace& place) {
    std::istringstream stream(text);
    Axes axes;
    for (std::string word; stream >> word;) {
        const std::optional<AxisRole> role = roleOf(kAxisWords, word);
        if (!role || hasRole(axes, *role))
            place.refuse(fmt::format("has axes=\"{}\": the word {} is {}", printable(text), printable(word),
                                     role ? "repeated" : "not known"),
                         "words: prompt layer head pos dim value head*dim hidden qkv, one per axis");
        axes.push_back(*role);
    }
    if (axes.size() != rank)
        place.refuse(fmt::format("has axes=\"{}\" of {} words for rank {}", printable(text), axes.size(), rank),
                     "give one word per axis");
    return axes;
}

std::optional<Axes> axesFromLabels(const std::vector<std::string>& labels) {
    Axes axes;
    for (std::string label : labels) {
        label = lowered(std::move(label));
        std::optional<AxisRole> role = roleOf(kAxisWords, label);
        if (!role) role = roleOf(kLabelWords, label);
        if (!role || hasRole(axes, *role)) return std::nullopt;
        axes.push_back(*role);
    }
    if (axes.empty()) return std::nullopt;
    return axes;
}

TensorSizes sizesOf(const Sizes& shape, const Axes& axes, Index headDim, Index heads) {
    TensorSizes sizes;
    for (std::size_t a = 0; a < std::min(axes.size(), shape.size()); ++a) switch (axes[a]) {
            case AxisRole::Prompt: sizes.prompts = shape[a]; break;
            case AxisRole::Layer: sizes.layers = shape[a]; break;
            case AxisRole::Head: sizes.heads = shape[a]; break;
            case AxisRole::Position: sizes.positions = shape[a]; break;
            case AxisRole::Dim: sizes.dim = shape[a]; break;
            case AxisRole::HeadDim: {
                const Index divisor = headDim > 0 ? headDim : std::max<Index>(heads, 1);
                const Index other = shape[a] % divisor == 0 ? shape[a] / divisor : 0;
                sizes.heads = headDim > 0 ? other : divisor;
                sizes.dim = headDim > 0 ? headDim : other;
                break;
            }
            case AxisRole::Hidden:
            case AxisRole::Fused: break;
        }
    return sizes;
}

AxisDecision decideAxes(const Sizes& q, const Sizes& k, const Sizes& v, const AxisHints& given,
                        const FilePlace& place) {
    AxisHints hints = given;
    const std::vector<Axes> orders = knownOrders(q.size(), hints);
    std::vector<Axes> forward, reversed;
    for (const bool fewer : {false, true}) {  // as many queries as keys is likelier
        if (!forward.empty() || !reversed.empty() || (fewer && !given.fewerQueries)) break;
        hints.fewerQueries = fewer;
        for (const Axes& axes : orders) {
            if (fits(axes, q, k, v, hints)) forward.push_back(axes);
            if (fits(reversedAxes(axes), q, k, v, hints)) reversed.push_back(reversedAxes(axes));
        }
    }
    const Axes own{AxisRole::Prompt, AxisRole::Head, AxisRole::Position, AxisRole::Dim};
    if (hints.formatStated && std::find(forward.begin(), forward.end(), own) != forward.end())
        return {own, "the order of the format", false};
    if (hints.reversed && !reversed.empty()) return chooseReversed(forward, reversed, q, hints, place);
    const bool sound = std::any_of(forward.begin(), forward.end(), [&](const Axes& axes) {
        return sizesOf(q, axes, hints.headDim, hints.nHeads).dim >= kSmallestDim;
    });
    std::erase_if(reversed,
                  [&](const Axes& axes) { return sizesOf(q, axes, hints.headDim, hints.nHeads).dim < kSmallestDim; });
    if (!sound && !reversed.empty()) return chooseReversed(forward, reversed, q, hints, place);
    if (!forward.empty()) return chooseForward(forward, q, k, hints, place);
    const bool flat = q.size() == k.size() && q.size() >= 2 && !isStated(hints) && !hints.headNamed &&
                      std::equal(q.begin(), q.end() - 1, k.begin()) && q.size() == (hints.promptNamed ? 2U : 3U);
    if (flat) askHeads(q, k, place);
    return {orders.empty() ? own : (q.size() == 4 ? own : orders.front()), "nothing fits", false};
}

}  // namespace dimscope::io
