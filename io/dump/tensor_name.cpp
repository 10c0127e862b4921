// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/tensor_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

namespace dimscope::io {
namespace {

using kernels::Index;
using Words = std::vector<std::string>;

/// Words of a path in lower case; a number behind letters is a word of its own ("layer4"). Nothing where two
/// separators meet, as in "layer_-1".
std::optional<Words> wordsOf(const std::string& path) {
    Words words(1);
    const auto isSeparator = [](char c) { return c == '/' || c == '.' || c == '_' || c == '-' || c == ' '; };
    for (std::size_t n = path.starts_with('/') ? 1 : 0; n < path.size(); ++n) {
        const char c = path[n];
        if (isSeparator(c)) {
            if (words.back().empty()) return std::nullopt;
            words.emplace_back();
            continue;
        }
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        const bool afterLetter =
            !words.back().empty() && std::isalpha(static_cast<unsigned char>(words.back().back())) != 0;
        if (digit && afterLetter) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (words.back().empty()) return std::nullopt;
    return words;
}

std::optional<Index> wholeNumber(const std::string& word) {
    Index number = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc{} || end != word.data() + word.size() || word.size() > 6) return std::nullopt;
    return number;
}

struct NameEnding {
    Words words;
    TensorName meaning;
};

TensorName meaningOf(TensorRole role, NamedRope rope = NamedRope::Unsaid, bool positionsFirst = false,
                     FusedOrder order = FusedOrder::Qkv) {
    TensorName name;
    name.role = role;
    name.rope = rope;
    name.positionsFirst = positionsFirst;
    name.order = order;
    return name;
}

/// Endings of one of q, k, v under any of its names.
void addEndings(std::vector<NameEnding>& endings, TensorRole role, const std::string& letter,
                const std::array<const char*, 2>& longNames) {
    const NamedRope before = NamedRope::Before, after = NamedRope::After;
    for (const std::string& x : {letter, std::string(longNames[0]), std::string(longNames[1])}) {
        endings.push_back({{x}, meaningOf(role)});
        endings.push_back({{x, "states"}, meaningOf(role)});
        endings.push_back({{x, "layer"}, meaningOf(role)});
        for (const char* word : {"raw", "proj"}) endings.push_back({{x, word}, meaningOf(role, before)});
        for (const char* word : {"rope", "rotary", "norm"}) {
            endings.push_back({{x, "pre", word}, meaningOf(role, before)});
            endings.push_back({{"pre", word, x}, meaningOf(role, before)});
        }
        endings.push_back({{x, "post", "norm"}, meaningOf(role, before)});
        for (const char* word : {"rope", "rot", "rotary", "rotated"}) {
            endings.push_back({{x, word}, meaningOf(role, after)});
            endings.push_back({{x, "post", word}, meaningOf(role, after)});
            endings.push_back({{"post", word, x}, meaningOf(role, after)});
        }
    }
    endings.push_back({{"hook", letter}, meaningOf(role, before, true)});
    endings.push_back({{"hook", "rot", letter}, meaningOf(role, after, true)});
    endings.push_back({{"w" + letter, "out"}, meaningOf(role, before)});
}

std::vector<NameEnding> allEndings() {
    std::vector<NameEnding> endings;
    addEndings(endings, TensorRole::Query, "q", {"query", "queries"});
    addEndings(endings, TensorRole::Key, "k", {"key", "keys"});
    addEndings(endings, TensorRole::Value, "v", {"value", "values"});
    for (const Words& words : {Words{"o"},
                               {"z"},
                               {"attn", "output"},
                               {"attn", "out"},
                               {"attention", "output"},
                               {"context"},
                               {"context", "layer"}})
        endings.push_back({words, meaningOf(TensorRole::Output)});
    endings.push_back({{"hook", "z"}, meaningOf(TensorRole::Output, NamedRope::Unsaid, true)});
    endings.push_back({{"w", "o"}, meaningOf(TensorRole::Projection)});
    endings.push_back({{"sink"}, meaningOf(TensorRole::Sink)});
    endings.push_back({{"sinks"}, meaningOf(TensorRole::Sink)});
    endings.push_back({{"h"}, meaningOf(TensorRole::Hidden)});
    endings.push_back({{"h", "mean", "abs"}, meaningOf(TensorRole::HiddenMeanAbs)});
    endings.push_back({{"h", "max", "abs"}, meaningOf(TensorRole::HiddenMaxAbs)});
    const auto fused = [](FusedOrder order) { return meaningOf(TensorRole::Fused, NamedRope::Before, false, order); };
    for (const Words& words : {Words{"qkv"}, {"c", "attn"}, {"qkv", "proj"}, {"wqkv"}})
        endings.push_back({words, fused(FusedOrder::Qkv)});
    endings.push_back({{"kqv"}, fused(FusedOrder::Kqv)});
    endings.push_back({{"query", "key", "value"}, fused(FusedOrder::PerHead)});
    std::stable_sort(endings.begin(), endings.end(),
                     [](const auto& a, const auto& b) { return a.words.size() > b.words.size(); });
    return endings;
}

/// The longest ending that fits.
const NameEnding* endingOf(const Words& words) {
    static const std::vector<NameEnding> endings = allEndings();
    for (const NameEnding& ending : endings)
        if (words.size() >= ending.words.size() &&
            std::equal(ending.words.rbegin(), ending.words.rend(), words.rbegin()))
            return &ending;
    return nullptr;
}

bool isOneOf(const std::string& word, const std::set<std::string_view>& set) { return set.contains(word); }

const std::set<std::string_view> kLayerWords{"layer", "layers", "block", "blocks", "h", "l"};
const std::set<std::string_view> kPromptWords{"prompt",  "prompts",  "example", "examples", "sample",
                                              "samples", "sequence", "seq",     "sentence", "document",
                                              "doc",     "text",     "batch",   "item"};
const std::set<std::string_view> kHeadWords{"head", "heads"};
const std::set<std::string_view> kNeutralWords{"attn",  "attention",   "self",   "model", "transformer", "decoder",
                                               "hook",  "activations", "acts",   "dump",  "tensors",     "data",
                                               "cache", "states",      "hidden", "root"};

/// Layer, prompt and head from the words before the ending; the rest is the family.
void readIndices(const Words& words, std::size_t count, TensorName& name) {
    for (std::size_t n = 0; n < count; ++n) {
        const std::string& word = words[n];
        const std::optional<Index> next = n + 1 < count ? wholeNumber(words[n + 1]) : std::nullopt;
        if (next && !name.layer && isOneOf(word, kLayerWords)) {
            name.layer = next;
            ++n;
        } else if (next && !name.prompt && isOneOf(word, kPromptWords)) {
            name.prompt = words[++n];
        } else if (next && !name.head && isOneOf(word, kHeadWords)) {
            name.head = next;
            ++n;
        } else if (!isOneOf(word, kNeutralWords) && !isOneOf(word, kLayerWords) && !isOneOf(word, kPromptWords) &&
                   !isOneOf(word, kHeadWords)) {
            name.family += (name.family.empty() ? "" : " ") + word;
        }
    }
    if (!name.layer)  // "/4/q"
        if (const std::optional<Index> bare = wholeNumber(name.family)) {
            name.layer = bare;
            name.family.clear();
        }
}

}  // namespace

std::optional<TensorName> readTensorName(const std::string& path) {
    const std::optional<Words> words = wordsOf(path);
    if (!words) return std::nullopt;
    const NameEnding* ending = endingOf(*words);
    if (ending == nullptr) return std::nullopt;
    TensorName name = ending->meaning;
    readIndices(*words, words->size() - ending->words.size(), name);
    return name;
}

std::string roleText(TensorRole role) {
    switch (role) {
        case TensorRole::Query: return "q";
        case TensorRole::Key: return "k";
        case TensorRole::Value: return "v";
        case TensorRole::Output: return "o";
        case TensorRole::Projection: return "w_o";
        case TensorRole::Sink: return "sink";
        case TensorRole::Hidden: return "h";
        case TensorRole::HiddenMeanAbs: return "h_mean_abs";
        case TensorRole::HiddenMaxAbs: return "h_max_abs";
        case TensorRole::Fused: break;
    }
    return "qkv";
}

std::optional<TensorRole> roleFromText(const std::string& text) {
    for (const TensorRole role : {TensorRole::Query, TensorRole::Key, TensorRole::Value, TensorRole::Output,
                                  TensorRole::Projection, TensorRole::Sink, TensorRole::Fused})
        if (roleText(role) == text) return role;
    return std::nullopt;
}

}  // namespace dimscope::io
