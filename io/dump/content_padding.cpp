// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/content_padding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "io/dump/matrix_reading.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr int kMostPromptsLookedAt = 32;
constexpr auto kLongestLook = std::chrono::milliseconds(100);
constexpr std::size_t kMostPaddingChunk = std::size_t{4} << 20;  ///< decoded, to read a few rows
constexpr Index kFirstBlock = 2, kMostBlock = 1024;

/// Rows of one head's keys, read from an end in growing blocks.
class KeyRows {
public:
    KeyRows(const StoredArray& array, const StoredTensor& tensor, const TensorPart& part, int prompt, Index head)
        : array_(array),
          tensor_(tensor),
          wanted_{part, part.prompt < 0 ? prompt : 0, part.head < 0 ? head : 0, tensor.shape.back()} {}

    /// How many of the positions, from the first of them on, hold the same as the first: 0 for one that is not zero.
    Index runOf(const std::vector<Index>& positions) const {
        std::vector<double> first;
        Index run = 0;
        Index block = kFirstBlock;
        for (std::size_t at = 0; at < positions.size(); block = std::min(block * 4, kMostBlock)) {
            const std::size_t count = std::min(positions.size() - at, static_cast<std::size_t>(block));
            const auto [low, high] = std::minmax(positions[at], positions[at + count - 1]);
            const auto cols = static_cast<std::size_t>(wanted_.columns);
            std::vector<double> rows(static_cast<std::size_t>(high - low + 1) * cols);
            readRows(array_, wanted_, tensor_.format, low, high - low + 1, std::span(rows));
            for (std::size_t n = 0; n < count; ++n) {
                const double* row = rows.data() + static_cast<std::size_t>(positions[at + n] - low) * cols;
                if (first.empty()) first.assign(row, row + cols);
                if (std::memcmp(first.data(), row, cols * sizeof(double)) != 0) return ended(run, first);
                ++run;
            }
            at += count;
        }
        return ended(run, first);
    }

private:
    static Index ended(Index run, const std::vector<double>& first) {
        const bool zero = std::all_of(first.begin(), first.end(), [](double x) { return x == 0.0; });
        return run > 1 || zero ? run : 0;
    }
    const StoredArray& array_;
    const StoredTensor& tensor_;
    MatrixPart wanted_;
};

std::vector<Index> validPositionsOf(const LayerContents& layer, const PromptMetadata& prompts, int prompt) {
    const auto valid = prompts.validity(kernels::PromptIndex{prompt});
    std::vector<Index> positions;
    for (Index i = 0; i < layer.positionsOf(prompt); ++i)
        if (!valid || (*valid)[static_cast<std::size_t>(i)] != 0) positions.push_back(i);
    return positions;
}

bool isQuick(const StoredArray& array) {
    double bytes = static_cast<double>(array.layout().type.bytes);
    for (const std::uint64_t size : array.layout().chunk) bytes *= static_cast<double>(size);
    return array.isReadInParts() && bytes <= static_cast<double>(kMostPaddingChunk);
}

/// Shortens the run to what one head has too. False where that leaves none.
bool shorten(const ArrayFile& file, const LayerContents& layer, Index head, const std::vector<Index>& positions,
             bool all, PaddingRun& run) {
    const TensorPart& part = layer.key.part(run.prompt, head, file.place());
    const std::shared_ptr<const StoredArray> array = file.open(part.array, 0);
    if (!all && !isQuick(*array)) return false;
    const KeyRows rows(*array, layer.key, part, run.prompt, head);
    const Index leading = rows.runOf(positions);
    if (leading == std::ssize(positions)) return true;  // a dead head
    run.leading = std::min(run.leading, leading);
    run.trailing = std::min(run.trailing, rows.runOf({positions.rbegin(), positions.rend()}));
    return run.leading + run.trailing > 0;
}

PaddingRun runOfPrompt(const ArrayFile& file, const std::vector<LayerContents>& layers, const PromptMetadata& prompts,
                       int prompt, bool all) {
    const std::vector<Index> positions = validPositionsOf(layers.front(), prompts, prompt);
    PaddingRun run{prompt, std::ssize(positions), std::ssize(positions)};
    try {
        for (const LayerContents* layer : {&layers.front(), &layers.back()})
            for (const Index head : {Index{0}, static_cast<Index>(layer->info.kvHeadsOfFile() - 1)})
                if (!shorten(file, *layer, head, positions, all, run)) return {prompt, 0, 0};
    } catch (const kernels::FormatError&) {
        return {prompt, 0, 0};  // refused where it is used
    }
    if (run.leading + run.trailing > std::ssize(positions)) return {prompt, 0, 0};  // all heads are dead
    return run;
}

}  // namespace

std::vector<PaddingRun> findPadding(const ArrayFile& file, const std::vector<LayerContents>& layers,
                                    const PromptMetadata& prompts, bool all) {
    const auto start = std::chrono::steady_clock::now();
    const auto count = static_cast<int>(prompts.prompts().size());
    const int looked = all ? count : std::min(count, kMostPromptsLookedAt);
    std::vector<PaddingRun> found;
    for (int n = 0; n < looked; ++n) {
        const auto prompt = static_cast<int>(std::int64_t{n} * count / looked);
        if (!all && std::chrono::steady_clock::now() - start > kLongestLook) break;
        if (prompts.prompts()[static_cast<std::size_t>(prompt)].leftOut) continue;
        const PaddingRun run = runOfPrompt(file, layers, prompts, prompt, all);
        if (run.leading + run.trailing > 0) found.push_back(run);
    }
    return found;
}

std::string paddingText(const std::vector<PaddingRun>& runs) {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> texts;
    for (const PaddingRun& run : runs) {
        if (texts.size() == kShown) break;
        std::vector<std::string> sides;
        if (run.leading > 0) sides.push_back(fmt::format("{} leading", run.leading));
        if (run.trailing > 0) sides.push_back(fmt::format("{} trailing", run.trailing));
        texts.push_back(fmt::format("prompt {}: {}", run.prompt, fmt::join(sides, " and ")));
    }
    const std::string more = runs.size() > kShown ? fmt::format(" and {} more", runs.size() - kShown) : "";
    return fmt::format("{}{}", fmt::join(texts, ", "), more);
}

}  // namespace dimscope::io
