// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/prompt_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/dump/reading_question.h"
#include "io/dump/stored_tensor.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Mask = std::vector<std::uint8_t>;

void checkShape(const Hdf5Dataset& dataset, const std::vector<Index>& expected) {
    const std::vector<Index> shape(dataset.layout().shape.begin(), dataset.layout().shape.end());
    if (shape != expected)
        dataset.place().refuse(
            fmt::format("has shape {}, expected {} to fit the tensors", shapeText(shape), shapeText(expected)),
            "write one entry per prompt of q and k");
}

/// A gap between real tokens; padding before or after them is none.
bool hasHoles(const Mask& mask) {
    const auto first = std::find(mask.begin(), mask.end(), 1);
    const auto last = std::find(mask.rbegin(), mask.rend(), 1).base();
    return first < last && std::find(first, last, 0) != last;
}

bool isLeading(const Mask& mask, Index count) {
    return std::find(mask.begin(), mask.begin() + static_cast<std::ptrdiff_t>(count), 0) ==
           mask.begin() + static_cast<std::ptrdiff_t>(count);
}

[[noreturn]] void askValid(const FilePlace& place, std::size_t prompt, Index length, Index marked, bool leading) {
    ReadingQuestion question{
        "valid positions",
        fmt::format("length and mask of {} disagree about prompt {}. Which counts?", place.object, prompt),
        {{"length", fmt::format("the first {} positions of prompt {}", length, prompt), {}, {}},
         {"mask",
          fmt::format("{} {} positions of prompt {}", leading ? "the first" : "scattered,", marked, prompt),
          {},
          {}}}};
    for (ReadingCandidate& candidate : question.candidates) candidate.decision.valid = candidate.title;
    askReading(place,
               fmt::format("length and mask disagree (prompt {}: length {}, mask marks {} positions{})", prompt, length,
                           marked, leading ? "" : " that are not the leading ones"),
               "say which counts: --valid length or --valid mask", std::move(question));
}

Mask readMaskRow(const Hdf5Dataset& dataset, std::size_t prompt, Index positions) {
    const std::vector<std::int64_t> row =
        dataset.readIntegers({{prompt, 0}, {1, static_cast<std::uint64_t>(positions)}});
    Mask mask(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] != 0 && row[i] != 1)
            dataset.place().refuse(
                fmt::format("holds {} for prompt {}, position {}; expected 0 or 1", row[i], prompt, i),
                "write 1 for real tokens and 0 for padding");
        mask[i] = static_cast<std::uint8_t>(row[i]);
    }
    return mask;
}

}  // namespace

PromptMetadata::PromptMetadata(const Hdf5Group* root, const std::vector<Index>& stored, Index positions,
                               std::string valid, Warnings& warnings)
    : positions_(positions), valid_(std::move(valid)), prompts_(stored.size()), masks_(stored.size()) {
    for (std::size_t p = 0; p < stored.size(); ++p) prompts_[p].validPositions = stored[p];
    if (root == nullptr || root->kind("prompts") == Hdf5Kind::Missing) return;
    const Hdf5Group group = root->group("prompts");
    const bool hasMask = group.kind("mask") != Hdf5Kind::Missing && valid_ != "length";
    const bool hasLength = group.kind("length") != Hdf5Kind::Missing && !(hasMask && valid_ == "mask");
    if (hasLength) readLengths(group, warnings);
    if (hasMask) readMasks(group, hasLength, warnings);
    if (group.kind("split") != Hdf5Kind::Missing) readSplits(group, warnings);
    warnLeftOut(warnings);
}

void PromptMetadata::readLengths(const Hdf5Group& group, Warnings& warnings) {
    const Hdf5Dataset dataset = group.dataset("length");
    usedPaths_.push_back(dataset.place().object);
    checkShape(dataset, {static_cast<Index>(prompts_.size())});
    const std::vector<std::int64_t> lengths = dataset.readIntegers();
    std::size_t cut = 0, firstCut = 0;
    for (std::size_t p = 0; p < lengths.size(); ++p) {
        prompts_[p].validPositions = std::clamp<Index>(lengths[p], 0, prompts_[p].validPositions);
        if (lengths[p] > positions_ && cut++ == 0) firstCut = p;
    }
    if (cut > 0)
        warnings.push_back(
            {"length_cut", dataset.place().object,
             fmt::format("the length of {} prompt(s) is above the {} positions stored and is cut to it (prompt {}: "
                         "length {})",
                         cut, positions_, firstCut, lengths[firstCut])});
}

void PromptMetadata::readMasks(const Hdf5Group& group, bool hasLength, Warnings& warnings) {
    const Hdf5Dataset dataset = group.dataset("mask");
    usedPaths_.push_back(dataset.place().object);
    checkShape(dataset, {static_cast<Index>(prompts_.size()), positions_});
    std::size_t holes = 0, firstHole = 0;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
        Mask mask = readMaskRow(dataset, p, positions_);
        const auto valid = static_cast<Index>(std::count(mask.begin(), mask.end(), 1));
        const bool leading = isLeading(mask, valid);
        if (hasLength && (!leading || valid != prompts_[p].validPositions))
            askValid(group.place(), p, prompts_[p].validPositions, valid, leading);
        if (hasHoles(mask) && holes++ == 0) firstHole = p;
        prompts_[p].validPositions = valid;
        if (!leading) masks_[p] = std::make_shared<const Mask>(std::move(mask));
    }
    if (holes > 0)
        warnings.push_back(
            {"mask_holes", dataset.place().object,
             fmt::format("the mask has holes inside {} prompt(s), first prompt {}; masked positions are neither "
                         "queries nor keys",
                         holes, firstHole)});
}

void PromptMetadata::readSplits(const Hdf5Group& group, Warnings& warnings) {
    const std::string path = group.place().child("split").object;
    try {
        const Hdf5Dataset dataset = group.dataset("split");
        checkShape(dataset, {static_cast<Index>(prompts_.size())});
        const std::vector<std::string> splits = dataset.readStrings();
        for (std::size_t p = 0; p < splits.size(); ++p) prompts_[p].split = splits[p];
        usedPaths_.push_back(path);
    } catch (const kernels::FormatError& error) {
        warnings.push_back(
            {"split_ignored", path, "the split of the prompts " + error.parts().cause + "; it is ignored"});
    }
}

void PromptMetadata::warnLeftOut(Warnings& warnings) {
    std::size_t count = 0, first = 0;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
        prompts_[p].leftOut = prompts_[p].validPositions < 1;
        if (prompts_[p].leftOut && count++ == 0) first = p;
    }
    if (count > 0)
        warnings.push_back(
            {"prompt_left_out", "/prompts",
             fmt::format("{} prompt(s) have no valid position (length below 1 or an empty mask) and are left out, "
                         "first prompt {}",
                         count, first)});
}

void PromptMetadata::leaveOut(int prompt, Index leading, Index trailing) {
    const auto p = static_cast<std::size_t>(prompt);
    const auto valid = validity(kernels::PromptIndex{prompt});
    Mask mask = valid ? *valid : Mask(static_cast<std::size_t>(positions_), std::uint8_t{1});
    for (auto it = mask.begin(); it != mask.end() && leading > 0; ++it) leading -= std::exchange(*it, 0);
    for (auto it = mask.rbegin(); it != mask.rend() && trailing > 0; ++it) trailing -= std::exchange(*it, 0);
    prompts_[p].validPositions = static_cast<Index>(std::count(mask.begin(), mask.end(), 1));
    prompts_[p].leftOut = prompts_[p].leftOut || prompts_[p].validPositions < 1;
    masks_[p] = std::make_shared<const Mask>(std::move(mask));
}

std::shared_ptr<const Mask> PromptMetadata::validity(kernels::PromptIndex prompt) const {
    const auto p = static_cast<std::size_t>(prompt.value);
    if (masks_[p]) return masks_[p];
    const Index valid = prompts_[p].validPositions;
    if (valid == positions_) return nullptr;
    auto mask = std::make_shared<Mask>(static_cast<std::size_t>(positions_), std::uint8_t{0});
    std::fill_n(mask->begin(), valid, std::uint8_t{1});
    return mask;
}

}  // namespace dimscope::io
