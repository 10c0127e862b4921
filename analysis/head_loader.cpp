// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/head_loader.h"

#include <fmt/format.h>

namespace dimscope::analysis {

HeadLoader::HeadLoader(HeadSource& source, const LayerInfo& layer, PromptIndex prompt, Index length, bool wantValue)
    : source_(source),
      layer_(layer),
      prompt_(prompt),
      length_(length),
      wantValue_(wantValue),
      validity_(source.validity(prompt)),
      heads_(static_cast<std::size_t>(layer.nHeads)),
      keys_(static_cast<std::size_t>(layer.nKvHeads)),
      values_(static_cast<std::size_t>(layer.nKvHeads)) {}

std::shared_ptr<const LoadedTensor> HeadLoader::shared(std::vector<std::shared_ptr<const LoadedTensor>>& slots,
                                                       TensorKind kind, KvHeadIndex head, const RunControl& control) {
    auto& slot = slots[static_cast<std::size_t>(head.value)];
    if (!slot) slot = source_.load(kind, layer_.layer, prompt_, head.value, control);
    return slot;
}

kernels::HeadInputs HeadLoader::inputs(HeadIndex head, const RunControl& control) {
    const KvHeadIndex kv = kernels::kvHeadOf(head, layer_.nHeads, layer_.nKvHeads);
    Loaded& loaded = heads_[static_cast<std::size_t>(head.value)];
    if (!loaded.query) loaded.query = source_.load(TensorKind::Query, layer_.layer, prompt_, head.value, control);
    loaded.key = shared(keys_, TensorKind::Key, kv, control);
    if (wantValue_) loaded.value = shared(values_, TensorKind::Value, kv, control);

    kernels::HeadInputs inputs;
    inputs.query = kernels::topOf(kernels::viewOf(loaded.query->values), length_);
    inputs.key = kernels::topOf(kernels::viewOf(loaded.key->values), length_);
    if (loaded.value) inputs.value = kernels::topOf(kernels::viewOf(loaded.value->values), length_);
    inputs.queryOwner = loaded.query;
    inputs.keyOwner = loaded.key;
    inputs.valueOwner = loaded.value;
    inputs.mask.causal = layer_.causal;
    inputs.mask.window = layer_.window;
    inputs.mask.queries = layer_.queries;
    if (validity_) inputs.mask.valid = std::span(*validity_).first(static_cast<std::size_t>(length_));
    inputs.scale = layer_.scale;
    inputs.softcap = layer_.softcap;
    inputs.sink = source_.sink(layer_.layer, head);
    return inputs;
}

Index HeadLoader::nonFinite(HeadIndex head) const {
    const Loaded& loaded = heads_[static_cast<std::size_t>(head.value)];
    Index count = 0;
    for (const auto& tensor : {loaded.query, loaded.key, loaded.value})
        if (tensor && tensor->firstRow < length_) count += tensor->nonFinite;
    return count;
}

std::string HeadLoader::firstNonFinite(HeadIndex head) const {
    const Loaded& loaded = heads_[static_cast<std::size_t>(head.value)];
    const std::pair<const char*, const LoadedTensor*> tensors[] = {
        {"query", loaded.query.get()}, {"key", loaded.key.get()}, {"value", loaded.value.get()}};
    for (const auto& [name, tensor] : tensors)
        if (tensor && tensor->nonFinite > 0 && tensor->firstRow < length_)
            return fmt::format("{}, prompt {}, position {}, dimension {}", name, prompt_.value, tensor->firstRow,
                               tensor->firstColumn);
    return "";
}

Warning HeadLoader::nonFiniteWarning(HeadIndex head) const {
    return {"nonfinite", fmt::format("layer {} head {}", layer_.layer.value, head.value),
            fmt::format("{} values are NaN or infinite, the first in {}; the head is left out", nonFinite(head),
                        firstNonFinite(head))};
}

void HeadLoader::release() {
    for (Loaded& loaded : heads_) loaded = {};
    for (auto& key : keys_) key.reset();
    for (auto& value : values_) value.reset();
}

}  // namespace dimscope::analysis
