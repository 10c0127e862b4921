// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/axis_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "io/dump/reading_question.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr std::size_t kMostSplits = 8;
/// Head dimensions of models, the most common first.
constexpr std::array<Index, 14> kUsualDims{64, 128, 80, 96, 256, 32, 16, 8, 48, 72, 112, 160, 192, 512};
constexpr std::array<Index, 6> kUsualGroups{1, 4, 8, 2, 3, 7};  ///< query heads that share a key/value head

std::string readingText(const Axes& axes, const Sizes& q, const AxisHints& hints) {
    const TensorSizes sizes = sizesOf(q, axes, hints.headDim, hints.nHeads);
    return fmt::format("\"{}\" ({} prompt(s), {} head(s), {} positions, head_dim {})", axesText(axes), sizes.prompts,
                       sizes.heads, sizes.positions, sizes.dim);
}

/// Whether it counts from the other end: the dimension comes first or nearly so.
bool isReversed(const Axes& axes) { return axes.size() > 1 && axes.front() == AxisRole::Dim; }

std::string axisEvidence(const Axes& axes, const TensorSizes& sizes) {
    using enum AxisRole;
    std::vector<std::string> words;
    if (axes == Axes{Prompt, Head, Position, Dim}) words.emplace_back("the order of attention dumps and of PyTorch");
    if (axes == Axes{Prompt, Position, Head, Dim})
        words.emplace_back("the order of TransformerLens and flash attention");
    if (isReversed(axes)) words.emplace_back("reversed, as MATLAB and Fortran write");
    if (sizes.positions < 2 * sizes.heads)
        words.push_back(fmt::format("{} positions are few beside {} heads", sizes.positions, sizes.heads));
    else
        words.push_back(fmt::format("{} positions, {} heads: more positions than heads", sizes.positions, sizes.heads));
    if (sizes.dim < 8) words.push_back(fmt::format("{} dimensions are few for a head", sizes.dim));
    return fmt::format("{}", fmt::join(words, "; "));
}

ReadingCandidate splitCandidate(Index heads, Index kvHeads, Index dim) {
    ReadingCandidate candidate;
    candidate.title = fmt::format("head_dim {}: {} query, {} key/value heads", dim, heads, kvHeads);
    candidate.evidence = dim == 64 || dim == 128 ? "the head dimension of most models" : "divides the axis";
    const auto number = [](Index value) { return static_cast<double>(value); };
    candidate.decision.attributes = {
        {"n_heads", number(heads)}, {"n_kv_heads", number(kvHeads)}, {"head_dim", number(dim)}};
    return candidate;
}

}  // namespace

void askAxes(const std::vector<Axes>& readings, const Sizes& q, const AxisHints& hints, const FilePlace& place) {
    ReadingQuestion question{
        "axes", fmt::format("In which order are the axes of {}, shape [{}]?", place.object, fmt::join(q, ", ")), {}};
    std::vector<std::string> texts;
    for (const Axes& axes : readings) {
        texts.push_back(readingText(axes, q, hints));
        question.candidates.push_back(attributeCandidate(
            "axes", axesText(axes), axesText(axes), axisEvidence(axes, sizesOf(q, axes, hints.headDim, hints.nHeads))));
    }
    askReading(
        place,
        fmt::format("its axes are ambiguous, shape [{}] could be {}", fmt::join(q, ", "), fmt::join(texts, " or ")),
        fmt::format("choose one, for example --axes \"{}\"", axesText(readings.front())), std::move(question));
}

void askHeads(const Sizes& q, const Sizes& k, const FilePlace& place) {
    const Index queries = q.back(), keys = k.back();
    ReadingQuestion question{
        "heads",
        fmt::format("The last axis of {}, {} long, holds heads and dimensions ({} in k). How is it split?",
                    place.object, queries, keys),
        {}};
    for (const Index dim : kUsualDims)
        if (queries % dim == 0 && keys % dim == 0 && queries % keys == 0 && question.candidates.size() < kMostSplits)
            question.candidates.push_back(splitCandidate(queries / dim, keys / dim, dim));
    askReading(place,
               fmt::format("q has shape [{}] and k [{}]: heads and dimensions are in one axis, and nothing says "
                           "how to split it",
                           fmt::join(q, ", "), fmt::join(k, ", ")),
               "give --n-heads and --head-dim (or the attributes n_heads, head_dim)", std::move(question));
}

void askFusedHeads(Index width, bool shared, const FilePlace& place) {
    ReadingQuestion question{
        "heads", fmt::format("{} holds q, k and v in one axis of {}. How is it split?", place.object, width), {}};
    for (const Index dim : kUsualDims)
        for (const Index group : kUsualGroups) {
            const Index kvHeads = width / dim / (group + 2);
            if (question.candidates.size() >= kMostSplits || (group > 1 && !shared)) break;
            if (kvHeads > 0 && kvHeads * dim * (group + 2) == width)
                question.candidates.push_back(splitCandidate(kvHeads * group, kvHeads, dim));
        }
    askReading(place,
               fmt::format("has q, k and v in one axis of {}, and nothing says how many heads there are "
                           "(n_heads) or how large they are (head_dim)",
                           width),
               "give --n-heads (or the attribute n_heads)", std::move(question));
}

void askHeadOrder(const std::string& stated, const FilePlace& place) {
    ReadingQuestion question{
        "head order",
        fmt::format("{} has gqa=\"{}\", which is not known. Which key/value head does query head h read?", place.object,
                    printable(stated)),
        {attributeCandidate("gqa", "contiguous", "contiguous",
                            "h / (Hq / Hkv): neighbours share one, as in most models"),
         attributeCandidate("gqa", "strided", "strided", "h mod Hkv: as where key/value heads were tiled")}};
    askReading(place, fmt::format("has gqa=\"{}\", expected \"contiguous\" or \"strided\"", printable(stated)),
               "correct the attribute, or give --gqa", std::move(question));
}

}  // namespace dimscope::io
