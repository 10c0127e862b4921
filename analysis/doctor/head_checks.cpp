// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/doctor/checks.h"
#include "analysis/doctor/place_list.h"

namespace dimscope::analysis {
namespace {

/// Heads of one kind, by number; empty where one of them could not be read.
std::vector<const TensorFacts*> headsOf(const LayerFacts& layer, TensorKind kind, int count) {
    std::vector<const TensorFacts*> heads;
    for (const TensorFacts& tensor : layer.tensors)
        if (tensor.kind == kind) heads.push_back(&tensor);
    return static_cast<int>(heads.size()) == count ? heads : std::vector<const TensorFacts*>{};
}

bool identical(const TensorFacts& a, const TensorFacts& b) {
    return a.values == b.values && a.fingerprint == b.fingerprint && !a.allZero;
}

/// Size of the blocks of neighbours that are bit-identical, the same all over the layer; 1: none.
int blockSize(const std::vector<const TensorFacts*>& heads) {
    const auto count = static_cast<int>(heads.size());
    for (int size = count; size > 1; --size) {
        if (count % size != 0) continue;
        bool all = true;
        for (int h = 0; h < count && all; ++h)
            all = identical(*heads[static_cast<std::size_t>(h)], *heads[static_cast<std::size_t>(h / size * size)]);
        if (all) return size;
    }
    return 1;
}

int keyBlock(const LayerFacts& layer) { return blockSize(headsOf(layer, TensorKind::Key, layer.layer.nKvHeads)); }

/// Number of heads after which all repeat, as where one is presented for every query head of a strided order; their
/// count where they do not.
int keyPeriod(const LayerFacts& layer) {
    const auto heads = headsOf(layer, TensorKind::Key, layer.layer.nKvHeads);
    const std::size_t count = heads.size();
    for (std::size_t period = 1; period < count; ++period) {
        if (count % period != 0) continue;
        bool all = true;
        for (std::size_t h = period; h < count && all; ++h) all = identical(*heads[h], *heads[h % period]);
        if (all) return static_cast<int>(period);
    }
    return layer.layer.nKvHeads;
}

/// Pairs of heads that are the same, each with the first that it equals.
void addPairs(const LayerFacts& layer, TensorKind kind, int count, const char* name, PlaceList& pairs) {
    const auto heads = headsOf(layer, kind, count);
    for (std::size_t b = 1; b < heads.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
            if (identical(*heads[a], *heads[b])) {
                pairs.add(fmt::format("{} heads {} and {} of layer {}", name, a, b, layer.layer.layer.value));
                break;
            }
}

}  // namespace

DoctorCheck deadHeadsCheck(const std::vector<LayerFacts>& layers) {
    PlaceList dead;
    for (const LayerFacts& layer : layers)
        for (const TensorFacts& tensor : layer.tensors)
            if ((tensor.kind == TensorKind::Query || tensor.kind == TensorKind::Key) && tensor.allZero &&
                tensor.values > 0)
                dead.add(fmt::format("{} head {} of layer {}", tensor.kind == TensorKind::Query ? "query" : "key",
                                     tensor.head, layer.layer.layer.value));
    if (dead.empty()) return {"dead heads", {}, CheckStatus::Pass, "no head's queries or keys are all zero", kNaN};
    return {"dead heads", {}, CheckStatus::Warn, "all zero: " + dead.text(), kNaN};
}

DoctorCheck duplicatedHeadsCheck(const std::vector<LayerFacts>& layers) {
    PlaceList pairs;
    for (const LayerFacts& layer : layers) {
        addPairs(layer, TensorKind::Query, layer.layer.nHeads, "query", pairs);
        if (keyBlock(layer) == 1 && keyPeriod(layer) == layer.layer.nKvHeads)
            addPairs(layer, TensorKind::Key, layer.layer.nKvHeads, "key", pairs);
    }
    if (pairs.empty()) return {"duplicated heads", {}, CheckStatus::Pass, "no two heads are bit-identical", kNaN};
    return {"duplicated heads", {}, CheckStatus::Warn, "bit-identical: " + pairs.text(), kNaN};
}

DoctorCheck repeatedKvCheck(const std::vector<LayerFacts>& layers) {
    PlaceList repeated, strided;
    for (const LayerFacts& layer : layers) {
        if (const int block = keyBlock(layer); block > 1)
            repeated.add(fmt::format("layer {} ({} -> {})", layer.layer.layer.value, layer.layer.nKvHeads,
                                     layer.layer.nKvHeads / block));
        else if (const int period = keyPeriod(layer); period < layer.layer.nKvHeads)
            strided.add(fmt::format("layer {} ({} of {})", layer.layer.layer.value, period, layer.layer.nKvHeads));
    }
    if (repeated.empty() && !strided.empty())
        return {"repeated kv heads",
                {},
                CheckStatus::Pass,
                "key heads repeat in turn, as gqa=\"strided\" is read: " + strided.text(),
                kNaN};
    if (repeated.empty())
        return {"repeated kv heads", {}, CheckStatus::Pass, "no blocks of bit-identical key heads", kNaN};
    return {"repeated kv heads",
            {},
            CheckStatus::Warn,
            "repeat_kv was already applied, key heads are bit-identical in blocks: " + repeated.text(),
            kNaN};
}

}  // namespace dimscope::analysis
