// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/layer_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "io/dump/array_question.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr const char* kHowToNameTensors =
    "a dump has /layers/LL/q and /layers/LL/k (resources/docs/formats.md); name others with --map q=PATH --map k=PATH";

/// Of q and k before and after RoPE: after, then without a word about it, then before; both of one kind.
void chooseRope(LayerArrays& layer) {
    auto& arrays = layer.arrays;
    if (!layer.has(TensorRole::Query) || !layer.has(TensorRole::Key)) return;
    const auto has = [&](TensorRole role, NamedRope rope) {
        return std::any_of(arrays[role].begin(), arrays[role].end(),
                           [rope](const NamedArray& array) { return array.name.rope == rope; });
    };
    for (const NamedRope rope : {NamedRope::After, NamedRope::Unsaid, NamedRope::Before}) {
        if (!has(TensorRole::Query, rope) || !has(TensorRole::Key, rope)) continue;
        layer.rope = rope;
        for (const TensorRole role : {TensorRole::Query, TensorRole::Key})
            std::erase_if(arrays[role], [rope](const NamedArray& array) { return array.name.rope != rope; });
        break;
    }
    auto& values = arrays[TensorRole::Value];  // not rotated: a name with a word about it only repeats the others'
    for (const NamedRope rope : {layer.rope, NamedRope::Unsaid})
        if (has(TensorRole::Value, rope) && !values.empty()) {
            std::erase_if(values, [rope](const NamedArray& array) { return array.name.rope != rope; });
            break;
        }
    if (values.empty()) arrays.erase(TensorRole::Value);
    arrays.erase(TensorRole::Fused);
}

/// All arrays whose names share what is neither layer, prompt, head nor tensor.
struct Family {
    std::string name;
    std::map<std::optional<Index>, LayerArrays> layers;

    bool isComplete() const {
        return std::any_of(layers.begin(), layers.end(), [](const auto& entry) {
            const LayerArrays& layer = entry.second;
            return (layer.has(TensorRole::Query) && layer.has(TensorRole::Key)) || layer.has(TensorRole::Fused);
        });
    }
    bool hasLayerNumbers() const {
        return std::any_of(layers.begin(), layers.end(), [](const auto& entry) { return entry.first.has_value(); });
    }
    std::string example() const { return layers.begin()->second.first().text(); }
    /// Beside numbered layers one without a number is something else.
    std::vector<LayerArrays> chosenLayers() const {
        std::vector<LayerArrays> chosen;
        for (const auto& [number, layer] : layers) {
            if (hasLayerNumbers() && !number) continue;
            chosen.push_back(layer);
            chooseRope(chosen.back());
        }
        return chosen;
    }
};

std::vector<NamedArray> namedArrays(const ArrayFile& file, const ReadingDecisions& decisions) {
    std::vector<NamedArray> named;
    std::set<TensorRole> mapped;
    std::set<std::string> families;  // of the mapped arrays: what belongs to them is read with them
    for (const auto& [text, path] : decisions.map) {
        const std::optional<TensorRole> role = roleFromText(text);
        if (!role) throw kernels::ArgumentError("--map " + text + ": the tensors are q, k, v, o, w_o, sink and qkv");
        TensorName name = readTensorName(path).value_or(TensorName{});
        families.insert(name.family);
        name.role = *role;
        name.family = "mapped";
        mapped.insert(*role);
        named.push_back({{path, ""}, name});
    }
    for (const ArrayRef& ref : file.arrays()) {
        std::optional<TensorName> name = readTensorName(ref.ownPath());
        if (!name || mapped.contains(name->role)) continue;
        if (!mapped.empty() && !families.contains(name->family)) continue;
        if (!mapped.empty()) name->family = "mapped";
        named.push_back({ref, *name});
    }
    return named;
}

std::vector<Family> familiesOf(const std::vector<NamedArray>& named) {
    std::map<std::string, Family> families;
    for (const NamedArray& array : named) {
        Family& family = families[array.name.family];
        family.name = array.name.family;
        LayerArrays& layer = family.layers[array.name.layer];
        layer.layer = array.name.layer;
        layer.arrays[array.name.role].push_back(array);
    }
    std::vector<Family> list;
    for (auto& [name, family] : families) list.push_back(std::move(family));
    return list;
}

[[noreturn]] void refuseWithoutTensors(const ArrayFile& file) {
    std::vector<std::string> names;
    for (const std::string& name : file.topNames()) {
        if (names.size() == 5) break;
        names.push_back(printable(name, 40));
    }
    std::string found = names.empty() ? "the file has no content" : fmt::format("found: {}", fmt::join(names, ", "));
    for (const analysis::Warning& odd : file.oddities()) found += "; " + odd.text;
    file.place().refuse(
        fmt::format("holds no q and k: there is no group /layers and nothing else named like them ({})", found),
        kHowToNameTensors);
}

/// A set that has one of q and k, but not both.
[[noreturn]] void refuseIncomplete(const ArrayFile& file, const std::vector<Family>& families) {
    const Family* nearest = nullptr;
    for (const Family& family : families)
        for (const auto& [number, layer] : family.layers) {
            const bool some = layer.has(TensorRole::Query) || layer.has(TensorRole::Key);
            if (nearest == nullptr && (some || family.hasLayerNumbers())) nearest = &family;
        }
    if (nearest == nullptr) refuseWithoutTensors(file);
    const LayerArrays& layer = nearest->layers.begin()->second;
    const std::string path = layer.first().path;
    const FilePlace place{file.place().file, printable(path.rfind('/') == 0 || path.find('/') == std::string::npos
                                                           ? std::string("/")
                                                           : path.substr(0, path.rfind('/')))};
    const bool query = layer.has(TensorRole::Query), key = layer.has(TensorRole::Key);
    place.refuse(fmt::format("holds no {}", query ? "k" : (key ? "q" : "q and no k")),
                 "q and k are needed, as datasets [prompt, head, position, dim]");
}

Family chooseFamily(const ArrayFile& file, std::vector<Family> families) {
    std::vector<Family> complete;
    for (Family& family : families)
        if (family.isComplete()) complete.push_back(family);
    if (complete.empty()) refuseIncomplete(file, families);
    const auto numbered = [](const Family& family) { return family.hasLayerNumbers(); };
    if (std::any_of(complete.begin(), complete.end(), numbered))
        std::erase_if(complete, [&](const Family& family) { return !numbered(family); });
    if (complete.size() == 1) return std::move(complete.front());
    std::vector<std::string> examples;
    for (const Family& family : complete)
        if (examples.size() < 4) examples.push_back(printable(family.example(), 120));
    std::vector<std::vector<LayerArrays>> sets;
    for (const Family& family : complete) sets.push_back(family.chosenLayers());
    askSet(file.place(), sets,
           fmt::format("holds {} sets of q and k, any of which could be meant: {}", complete.size(),
                       fmt::join(examples, ", ")),
           "choose with --map q=PATH --map k=PATH, or open a file with one of them");
}

/// One array per prompt and head.
void checkUnique(const ArrayFile& file, const std::vector<LayerArrays>& layers) {
    for (const LayerArrays& layer : layers)
        for (const auto& [role, arrays] : layer.arrays)
            for (std::size_t n = 1; n < arrays.size(); ++n)
                for (std::size_t m = 0; m < n; ++m)
                    if (arrays[m].name.prompt == arrays[n].name.prompt && arrays[m].name.head == arrays[n].name.head)
                        askArray(file.place(), layers, role, arrays[m], arrays[n]);
}

/// "9" before "10", and words in alphabetical order.
bool naturalOrder(const std::string& a, const std::string& b) {
    const auto strip = [](const std::string& s) { return s.substr(std::min(s.find_first_not_of('0'), s.size())); };
    const std::string x = strip(a), y = strip(b);
    return x.size() != y.size() ? x.size() < y.size() : (x != y ? x < y : a < b);
}

}  // namespace

const ArrayRef& LayerArrays::first() const {
    for (const TensorRole role : {TensorRole::Query, TensorRole::Key, TensorRole::Fused})
        if (const auto found = arrays.find(role); found != arrays.end()) return found->second.front().ref;
    return arrays.begin()->second.front().ref;
}

DumpArrays arrangeArrays(const ArrayFile& file, const ReadingDecisions& decisions) {
    const std::vector<NamedArray> named = namedArrays(file, decisions);
    if (named.empty()) refuseWithoutTensors(file);
    const Family family = chooseFamily(file, familiesOf(named));
    DumpArrays dump;
    dump.layers = family.chosenLayers();
    checkUnique(file, dump.layers);
    for (const LayerArrays& layer : dump.layers)
        for (const auto& [role, arrays] : layer.arrays)
            for (const NamedArray& array : arrays)
                if (array.name.prompt) dump.prompts.push_back(*array.name.prompt);
    std::sort(dump.prompts.begin(), dump.prompts.end(), naturalOrder);
    dump.prompts.erase(std::unique(dump.prompts.begin(), dump.prompts.end()), dump.prompts.end());
    return dump;
}

}  // namespace dimscope::io
