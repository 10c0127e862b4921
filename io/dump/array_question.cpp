// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/array_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/dump/reading_question.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Map = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostSets = 8;
constexpr std::size_t kMostMapBytes = 64U * 1024U;  ///< of the paths of a candidate: they go over a command line

/// Whether every array can be named by its path and all of them by a text of bearable length.
bool canBeNamed(const Map& map) {
    std::size_t bytes = 0;
    for (const auto& [role, path] : map) bytes += role.size() + path.size() + 8;
    return !map.empty() && bytes <= kMostMapBytes;
}

/// Empty where one of them is a field of a compound array.
Map mapOf(const std::vector<LayerArrays>& layers, const std::vector<TensorRole>& roles) {
    Map map;
    for (const LayerArrays& layer : layers)
        for (const TensorRole role : roles) {
            const auto found = layer.arrays.find(role);
            if (found == layer.arrays.end()) continue;
            for (const NamedArray& array : found->second) {
                if (!array.ref.field.empty()) return {};
                map.emplace_back(roleText(role), array.ref.path);
            }
        }
    return map;
}

std::string setEvidence(const std::vector<LayerArrays>& layers) {
    std::vector<Index> numbers;
    std::vector<std::string> roles;
    for (const LayerArrays& layer : layers)
        if (layer.layer) numbers.push_back(*layer.layer);
    for (const auto& [role, arrays] : layers.front().arrays) roles.push_back(roleText(role));
    if (numbers.size() > 6)
        return fmt::format("{} layers from {} to {}: {}", numbers.size(), numbers.front(), numbers.back(),
                           fmt::join(roles, ", "));
    if (numbers.empty()) return fmt::format("no layer number: {}", fmt::join(roles, ", "));
    return fmt::format("layer {}: {}", fmt::join(numbers, ", "), fmt::join(roles, ", "));
}

/// The last word of a path without its numbers: "/layers/04/query_0" and "/layers/12/query_1" have the same.
std::string spelling(const NamedArray& array) {
    std::string word = array.ref.path.substr(array.ref.path.rfind('/') + 1);
    std::erase_if(word, [](char c) { return c >= '0' && c <= '9'; });
    return word;
}

bool meansTheSame(const NamedArray& a, const NamedArray& b) {
    return a.name.prompt == b.name.prompt && a.name.head == b.name.head;
}

/// The layers with the arrays of a role that are spelled like `chosen` wherever there are two.
std::vector<LayerArrays> keeping(std::vector<LayerArrays> layers, TensorRole role, const NamedArray& chosen) {
    for (LayerArrays& layer : layers) {
        std::vector<NamedArray>& arrays = layer.arrays[role];
        const std::vector<NamedArray> all = arrays;
        std::erase_if(arrays, [&](const NamedArray& array) {
            return spelling(array) != spelling(chosen) &&
                   std::any_of(all.begin(), all.end(), [&](const NamedArray& other) {
                       return spelling(other) == spelling(chosen) && meansTheSame(array, other);
                   });
        });
    }
    return layers;
}

std::string ropeEvidence(NamedRope rope) {
    if (rope == NamedRope::Unsaid) return "its name says nothing about RoPE";
    return rope == NamedRope::After ? "after RoPE by its name" : "before RoPE by its name";
}

}  // namespace

void askSet(const FilePlace& place, const std::vector<std::vector<LayerArrays>>& sets, const std::string& cause,
            const std::string& advice) {
    ReadingQuestion question{"tensors",
                             fmt::format("{} holds {} sets of q and k. Which one is meant?",
                                         place.file.substr(place.file.rfind('/') + 1), sets.size()),
                             {}};
    for (const std::vector<LayerArrays>& layers : sets) {
        if (question.candidates.size() == kMostSets) break;
        ReadingCandidate candidate{printable(layers.front().first().text(), 120), setEvidence(layers), {}, {}};
        candidate.decision.map = mapOf(layers, {TensorRole::Query, TensorRole::Key, TensorRole::Fused});
        if (canBeNamed(candidate.decision.map)) question.candidates.push_back(std::move(candidate));
    }
    askReading(place, cause, advice, std::move(question));
}

void askArray(const FilePlace& place, const std::vector<LayerArrays>& layers, TensorRole role, const NamedArray& first,
              const NamedArray& second) {
    ReadingQuestion question{"tensors", fmt::format("Two arrays could be {}. Which one is it?", roleText(role)), {}};
    for (const NamedArray* array : {&first, &second}) {
        ReadingCandidate candidate{printable(array->ref.text(), 120), ropeEvidence(array->name.rope), {}, {}};
        candidate.decision.map = mapOf(keeping(layers, role, *array), {role});
        if (canBeNamed(candidate.decision.map)) question.candidates.push_back(std::move(candidate));
    }
    askReading(place,
               fmt::format("two arrays could be {}: {} or {}", roleText(role), printable(first.ref.text()),
                           printable(second.ref.text())),
               fmt::format("choose with --map {}=PATH, or rename the other", roleText(role)), std::move(question));
}

}  // namespace dimscope::io
