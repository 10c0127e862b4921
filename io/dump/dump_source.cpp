// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "io/dump/matrix_reading.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr std::size_t kMostOpen = 4;  ///< q, k, v and o of the layer at hand

/// Counts NaN and infinities of valid rows and finds the first.
template <class T>
void inspect(const kernels::Matrix<T>& values, const std::vector<std::uint8_t>* valid, analysis::LoadedTensor& result) {
    for (Index row = 0; row < values.rows(); ++row) {
        if (valid != nullptr && (*valid)[static_cast<std::size_t>(row)] == 0) continue;
        const std::span<const T> numbers(values.row(row), static_cast<std::size_t>(values.cols()));
        const Index count = countNonFinite(numbers);
        if (count == 0) continue;
        if (result.nonFinite == 0) {
            result.firstRow = row;
            while (countNonFinite(numbers.subspan(static_cast<std::size_t>(result.firstColumn), 1)) == 0)
                ++result.firstColumn;
        }
        result.nonFinite += count;
    }
}

}  // namespace

DumpSource::DumpSource(std::unique_ptr<ArrayFile> file, analysis::DumpInfo info, std::vector<LayerContents> layers,
                       PromptMetadata prompts)
    : file_(std::move(file)), info_(std::move(info)), layers_(std::move(layers)), prompts_(std::move(prompts)) {}

const LayerContents& DumpSource::find(kernels::LayerIndex layer) const {
    const auto found =
        std::find_if(layers_.begin(), layers_.end(), [layer](const auto& l) { return l.info.layer == layer; });
    if (found == layers_.end())
        file_->place().refuse(fmt::format("there is no readable layer {}", layer.value),
                              "choose one that the dump lists");
    return *found;
}

const StoredTensor& DumpSource::tensorOf(analysis::TensorKind kind, const LayerContents& layer) const {
    switch (kind) {
        case analysis::TensorKind::Query: return layer.query;
        case analysis::TensorKind::Key: return layer.key;
        case analysis::TensorKind::Value:
            if (layer.value) return *layer.value;
            break;
        case analysis::TensorKind::Output:
            if (layer.output) return *layer.output;
            break;
    }
    file_->place().refuse(fmt::format("layer {} has no {}", layer.info.layer.value,
                                      kind == analysis::TensorKind::Value ? "v (values)" : "o (attention output)"),
                          "write it to the dump, or use what needs only q and k");
}

void DumpSource::checkPrompt(kernels::PromptIndex prompt) const {
    if (prompt.value < 0 || static_cast<std::size_t>(prompt.value) >= info_.prompts.size())
        file_->place().refuse(
            fmt::format("there is no prompt {} (0 to {} are stored)", prompt.value, info_.prompts.size() - 1),
            "choose another prompt");
}

std::shared_ptr<const StoredArray> DumpSource::open(const TensorPart& part) {
    const std::string key = part.array.text();
    const auto known =
        std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) { return entry.first == key; });
    if (known != recent_.end()) {
        recent_.splice(recent_.begin(), recent_, known);
    } else {
        if (recent_.size() >= kMostOpen) recent_.pop_back();
        recent_.emplace_front(key, file_->open(part.array, part.cacheBytes));
    }
    return recent_.front().second;
}

template <class T>
kernels::Matrix<T> DumpSource::readMatrix(const StoredTensor& tensor, int prompt, Index head,
                                          const kernels::RunControl& control) {
    control.throwIfCancelled();
    if (tensor.headModulus > 0) head %= tensor.headModulus;
    const TensorPart& part = tensor.part(prompt, head, file_->place());
    const std::shared_ptr<const StoredArray> array = open(part);
    array->prepare(control.slice(0.0F, 0.0F));
    try {
        return io::readMatrix<T>(*array, tensor, part, prompt, head, control);
    } catch (const std::bad_alloc&) {
        const Index rows = tensor.shape.size() > 2 ? tensor.shape[tensor.shape.size() - 2] : part.positions;
        const Index cols = tensor.shape.back();
        throw kernels::OutOfMemory(
            fmt::format("{}: {}: not enough memory for a matrix of {} x {} ({})", file_->place().file, tensor.path,
                        rows, cols, bytesText(static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T))));
    }
}

std::shared_ptr<const analysis::LoadedTensor> DumpSource::load(analysis::TensorKind kind, kernels::LayerIndex layer,
                                                               kernels::PromptIndex prompt, int head,
                                                               const kernels::RunControl& control) {
    const std::scoped_lock lock(mutex_);
    const StoredTensor& tensor = tensorOf(kind, find(layer));
    checkPrompt(prompt);
    if (head < 0 || head >= tensor.shape[1])
        file_->place().refuse(
            fmt::format("{} has no head {} (0 to {} are stored)", tensor.path, head, tensor.shape[1] - 1),
            "choose another head");
    analysis::LoadedTensor loaded = readPositions(tensor, prompt.value, head, control);
    const analysis::LayerInfo& info = find(layer).info;
    if (info.rotated && (kind == analysis::TensorKind::Query || kind == analysis::TensorKind::Key))
        std::visit([form = info.rotaryForm()](auto& matrix) { kernels::rotateRows(matrix, form); }, loaded.values);
    return std::make_shared<const analysis::LoadedTensor>(std::move(loaded));
}

analysis::LoadedTensor DumpSource::readPositions(const StoredTensor& tensor, int prompt, Index head,
                                                 const kernels::RunControl& control) {
    analysis::LoadedTensor result;
    if (tensor.format.needsDouble())
        result.values = readMatrix<double>(tensor, prompt, head, control);
    else
        result.values = readMatrix<float>(tensor, prompt, head, control);
    const auto valid = prompts_.validity(kernels::PromptIndex{prompt});
    std::visit([&](const auto& matrix) { inspect(matrix, valid.get(), result); }, result.values);
    return result;
}

std::shared_ptr<const std::vector<std::uint8_t>> DumpSource::validity(kernels::PromptIndex prompt) {
    const std::scoped_lock lock(mutex_);
    checkPrompt(prompt);
    return prompts_.validity(prompt);
}

std::optional<double> DumpSource::sink(kernels::LayerIndex layer, kernels::HeadIndex head) {
    const std::scoped_lock lock(mutex_);
    const std::optional<StoredTensor>& tensor = find(layer).sink;
    if (!tensor) return std::nullopt;
    if (head.value < 0 || head.value >= tensor->shape[0])
        file_->place().refuse(fmt::format("{} has no head {}", tensor->path, head.value), "choose another head");
    std::vector<std::byte> raw(tensor->format.bytes());
    open(tensor->parts.front())->readBytes({{static_cast<std::uint64_t>(head.value)}, {1}}, raw);
    double logit = 0.0;
    decodeNumbers(tensor->format, raw, std::span(&logit, 1));
    return logit * tensor->scaleFactor(0);
}

std::shared_ptr<const kernels::Matrix<double>> DumpSource::outputProjection(kernels::LayerIndex layer,
                                                                            const kernels::RunControl& control) {
    const std::scoped_lock lock(mutex_);
    const std::optional<StoredTensor>& tensor = find(layer).projection;
    if (!tensor) return nullptr;
    return std::make_shared<const kernels::Matrix<double>>(readMatrix<double>(*tensor, 0, 0, control));
}

std::shared_ptr<const analysis::HiddenState> DumpSource::hiddenState(kernels::LayerIndex layer,
                                                                     kernels::PromptIndex prompt,
                                                                     const kernels::RunControl& control) {
    const std::scoped_lock lock(mutex_);
    const LayerContents& contents = find(layer);
    checkPrompt(prompt);
    if (!contents.hidden && !contents.hiddenMeanAbs && !contents.hiddenMaxAbs) return nullptr;
    auto state = std::make_shared<analysis::HiddenState>();
    if (contents.hidden) state->positions = readPositions(*contents.hidden, prompt.value, 0, control);
    const auto readSummary = [&](const std::optional<StoredTensor>& tensor, std::vector<double>& summary) {
        if (!tensor) return;
        const kernels::Matrix<double> prompts = readMatrix<double>(*tensor, 0, 0, control);
        summary.assign(prompts.row(prompt.value), prompts.row(prompt.value) + prompts.cols());
    };
    readSummary(contents.hiddenMeanAbs, state->meanAbs);
    readSummary(contents.hiddenMaxAbs, state->maxAbs);
    return state;
}

}  // namespace dimscope::io
