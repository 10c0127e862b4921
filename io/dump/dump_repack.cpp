// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/dump_repack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "io/atomic_file.h"
#include "io/dump/layer_attributes.h"
#include "io/dump/number_encoding.h"
#include "io/dump/repack_extras.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using analysis::HeadSource;
using analysis::HiddenState;
using analysis::LayerInfo;
using analysis::LoadedTensor;
using analysis::TensorKind;
using kernels::Index;
using kernels::PromptIndex;
using kernels::RunControl;

constexpr Index kMostChunkRows = 1024;

/// A tensor that is loaded and written one matrix at a time: [P, heads, N, cols], or [P, N, cols].
struct HeadwiseTensor {
    std::string object;
    int heads = 0;  ///< 0: no axis of heads
    Index prompts = 0, positions = 0, cols = 0;
    Index firstRow = 0;  ///< of a loaded matrix that is written; `positions` are
    std::function<std::shared_ptr<const LoadedTensor>(PromptIndex, int head, const RunControl&)> load;
    std::string encoding;  ///< empty: that of its layer

    int matricesPerPrompt() const { return std::max(heads, 1); }
    /// One size per axis; `prompt`, `head`: sizes or offsets on those axes.
    std::vector<Index> onAxes(Index prompt, Index head, Index row, Index col) const {
        return heads > 0 ? std::vector<Index>{prompt, head, row, col} : std::vector<Index>{prompt, row, col};
    }
};

class DumpRepacking {
public:
    DumpRepacking(HeadSource& source, const RepackOptions& options, std::set<int> leftOut, Hdf5Writer& file,
                  const RunControl& control, std::vector<analysis::Warning>& warnings)
        : source_(source),
          options_(options),
          info_(source.info()),
          leftOut_(std::move(leftOut)),
          file_(file),
          control_(control),
          warnings_(warnings) {
        while (leftOut_.count(firstPrompt_.value) != 0) ++firstPrompt_.value;
    }

    void write() {
        writeRootAttributes();
        for (std::size_t i = 0; i < info_.layers.size(); ++i)
            writeLayer(info_.layers[i], control_.part(i, info_.layers.size()));
        writePrompts();
        if (options_.original)
            copyTokens(*options_.original, static_cast<Index>(info_.prompts.size()), info_.layers.front().positions,
                       file_, warnings_);
    }

private:
    void writeRootAttributes() {
        file_.setAttribute("/", "format", std::string("attn-dump"));
        file_.setAttribute("/", "format_version", std::int64_t{1});
        const std::pair<const char*, const std::string&> texts[] = {
            {"model", info_.model},          {"revision", info_.revision},    {"tokenizer", info_.tokenizer},
            {"created_by", info_.createdBy}, {"created_at", info_.createdAt}, {"prompt_source", info_.promptSource}};
        for (const auto& [name, text] : texts)
            if (!text.empty()) file_.setAttribute("/", name, text);
    }

    void writeLayer(const LayerInfo& layer, const RunControl& control) {
        const std::string group = fmt::format("/layers/{:02}", layer.layer.value);
        std::vector<HeadwiseTensor> tensors{headwise(group + "/q", TensorKind::Query, layer),
                                            headwise(group + "/k", TensorKind::Key, layer)};
        if (layer.hasValue) tensors.push_back(headwise(group + "/v", TensorKind::Value, layer));
        if (layer.hasOutput) tensors.push_back(headwise(group + "/o", TensorKind::Output, layer));
        std::shared_ptr<const HiddenState> hidden;
        attempt(group + "/h",
                [&] { hidden = source_.hiddenState(layer.layer, firstPrompt_, control.slice(0.0F, 0.0F)); });
        if (hidden && hidden->positions) tensors.push_back(hiddenPositions(group + "/h", layer, *hidden));
        addBlockInput(group + "/x", layer, tensors);
        for (std::size_t t = 0; t < tensors.size(); ++t)
            writeTensor(tensors[t], tensors[t].encoding.empty() ? layer.encoding : tensors[t].encoding,
                        control.part(t, tensors.size()));
        if (hidden) attempt(group + "/h_mean_abs", [&] { writeSummaries(group, layer, *hidden); });
        attempt(group + "/w_o", [&] { writeProjection(group, layer); });
        writeSinks(group, layer);
        writeAttributes(group, layer);
    }

    /// What is not q, k, v or o, and cannot be read, is left out where damage is skipped.
    template <class Write>
    void attempt(const std::string& object, const Write& write) {
        try {
            write();
        } catch (const kernels::FormatError& error) {
            if (!options_.skipDamaged) throw;
            warnings_.push_back(
                {"repack_damaged", object,
                 fmt::format("{} {}; {} is left out", error.parts().object, error.parts().cause, object)});
        }
    }

    void addBlockInput(const std::string& object, const LayerInfo& layer, std::vector<HeadwiseTensor>& tensors) {
        if (options_.original == nullptr) return;
        const std::optional<ArrayRef> array = blockInputOf(*options_.original, layer.layer);
        if (!array) return;
        try {
            const auto input = std::make_shared<const BlockInput>(*options_.original, *array, layer);
            tensors.push_back(
                {object, 0, layer.prompts, layer.positions, input->cols(), 0,
                 [input](PromptIndex prompt, int, const RunControl& control) { return input->load(prompt, control); },
                 input->encoding()});
        } catch (const kernels::FormatError& error) {
            warnings_.push_back({"repack_left_out", object,
                                 fmt::format("{} {}; it is left out", error.parts().object, error.parts().cause)});
        }
    }

    HeadwiseTensor headwise(const std::string& object, TensorKind kind, const LayerInfo& layer) {
        const bool ofQueries = kind == TensorKind::Query || kind == TensorKind::Output;
        const bool ofValues = kind == TensorKind::Value || kind == TensorKind::Output;
        const Index first = ofQueries ? layer.queries.first : 0;
        return {object,
                ofQueries ? layer.nHeads : layer.nKvHeads,
                layer.prompts,
                (ofQueries ? std::min(layer.queries.end, layer.positions) : layer.positions) - first,
                ofValues ? layer.valueDim : layer.headDim,
                first,
                [this, kind, number = layer.layer](PromptIndex prompt, int head, const RunControl& control) {
                    return source_.load(kind, number, prompt, head, control);
                },
                ""};
    }

    HeadwiseTensor hiddenPositions(const std::string& object, const LayerInfo& layer, const HiddenState& first) {
        return {object,
                0,
                layer.prompts,
                layer.positions,
                kernels::colsOf(kernels::viewOf(first.positions->values)),
                0,
                [this, number = layer.layer](PromptIndex prompt, int, const RunControl& control) {
                    const auto state = source_.hiddenState(number, prompt, control);
                    return std::shared_ptr<const LoadedTensor>(state, &*state->positions);
                },
                ""};
    }

    /// The matrices of all prompts that count, with slices of progress.
    template <class Use>
    void forEachMatrix(const HeadwiseTensor& tensor, const RunControl& control, const Use& use) {
        const int perPrompt = tensor.matricesPerPrompt();
        const auto count = static_cast<std::size_t>(tensor.prompts) * static_cast<std::size_t>(perPrompt);
        std::size_t index = 0;
        for (int p = 0; p < tensor.prompts; ++p)
            for (int head = 0; head < perPrompt; ++head, ++index) {
                control.throwIfCancelled();
                if (leftOut_.count(p) != 0) continue;
                if (!use(p, head, loaded(tensor, p, head, control.part(index, count)).get())) return;
            }
    }

    /// Null where it cannot be read, and damage is skipped.
    std::shared_ptr<const LoadedTensor> loaded(const HeadwiseTensor& tensor, int prompt, int head,
                                               const RunControl& control) {
        try {
            return tensor.load(PromptIndex{prompt}, head, control);
        } catch (const kernels::FormatError& error) {
            if (!options_.skipDamaged) throw;
            if (!damage_) damage_ = error;
            return nullptr;
        }
    }

    /// What holds every value of the tensor: the dump's own encoding, if that is a format 1 type, or a wider one.
    StoredNumber numberOf(const HeadwiseTensor& tensor, const std::string& encoding, const RunControl& control) {
        damage_.reset();
        std::shared_ptr<const LoadedTensor> first;
        forEachMatrix(tensor, control.slice(0.0F, 0.0F), [&](int p, int head, const LoadedTensor* matrix) {
            if (matrix != nullptr) first = loaded(tensor, p, head, control.slice(0.0F, 0.0F));
            return matrix == nullptr;
        });
        if (!first) throw kernels::FormatError(*damage_);
        if (std::holds_alternative<kernels::Matrix<double>>(first->values)) return StoredNumber::Float64;
        if (encoding != "float16" && encoding != "bf16") return StoredNumber::Float32;
        StoredNumber number = encoding == "bf16" ? StoredNumber::BFloat16 : StoredNumber::Float16;
        forEachMatrix(tensor, control, [&](int, int, const LoadedTensor* matrix) {
            if (matrix != nullptr && !isExactAs(number, writtenRows(tensor, *matrix))) number = StoredNumber::Float32;
            return number != StoredNumber::Float32;
        });
        return number;
    }

    static kernels::TensorView writtenRows(const HeadwiseTensor& tensor, const LoadedTensor& matrix) {
        return rowsOfView(kernels::viewOf(matrix.values), tensor.firstRow, tensor.positions);
    }

    void writeTensor(const HeadwiseTensor& tensor, const std::string& encoding, const RunControl& control) {
        const StoredNumber number = numberOf(tensor, encoding, control.slice(0.0F, 0.4F));
        file_.makeChunked(tensor.object, tensor.onAxes(tensor.prompts, tensor.heads, tensor.positions, tensor.cols),
                          tensor.onAxes(1, 1, std::min(tensor.positions, kMostChunkRows), tensor.cols), number);
        if (number == StoredNumber::BFloat16) file_.setAttribute(tensor.object, "encoding", std::string("bf16"));
        std::vector<std::string> damaged;
        const kernels::Matrix<double> none = unreadable(tensor);
        damage_.reset();
        forEachMatrix(tensor, control.slice(0.4F, 1.0F), [&](int p, int head, const LoadedTensor* matrix) {
            if (matrix == nullptr) damaged.push_back(fmt::format("{}:{}", p, head));
            file_.writeSlab(tensor.object, tensor.onAxes(p, head, 0, 0),
                            tensor.onAxes(1, 1, tensor.positions, tensor.cols), number,
                            encoded(number, matrix != nullptr ? writtenRows(tensor, *matrix) : none.view()));
            return true;
        });
        if (!damaged.empty()) noteDamage(tensor, damaged);
    }

    /// What stands for a matrix that cannot be read.
    kernels::Matrix<double> unreadable(const HeadwiseTensor& tensor) const {
        kernels::Matrix<double> none(options_.skipDamaged ? tensor.positions : 0, tensor.cols);
        std::fill(none.values().begin(), none.values().end(), analysis::kNaN);
        return none;
    }

    void noteDamage(const HeadwiseTensor& tensor, const std::vector<std::string>& damaged) {
        file_.setAttribute(tensor.object, "damaged", fmt::format("{}", fmt::join(damaged, ", ")));
        warnings_.push_back({"repack_damaged", tensor.object,
                             fmt::format("{} of {} matrices (prompt:head) could not be read and are NaN: {}; {}",
                                         damaged.size(), tensor.prompts * tensor.matricesPerPrompt(),
                                         fmt::join(damaged, ", "), damage_->parts().cause)});
    }

    /// A small tensor at once.
    void writeWhole(const std::string& object, const std::vector<Index>& shape, const kernels::TensorView& values) {
        const StoredNumber number =
            isExactAs(StoredNumber::Float32, values) ? StoredNumber::Float32 : StoredNumber::Float64;
        std::vector<Index> chunk = shape;
        chunk.front() = std::min(chunk.front(), kMostChunkRows);
        file_.makeChunked(object, shape, chunk, number);
        file_.writeSlab(object, std::vector<Index>(shape.size(), 0), shape, number, encoded(number, values));
    }

    void writeSummaries(const std::string& group, const LayerInfo& layer, const HiddenState& first) {
        const auto writeOne = [&](const char* name, const std::vector<double> HiddenState::*summary) {
            if ((first.*summary).empty()) return;
            kernels::Matrix<double> rows(layer.prompts, static_cast<Index>((first.*summary).size()));
            for (int p = 0; p < layer.prompts; ++p)
                if (leftOut_.count(p) == 0) {
                    control_.throwIfCancelled();
                    const auto state = source_.hiddenState(layer.layer, PromptIndex{p}, control_.slice(0.0F, 0.0F));
                    std::copy((*state.*summary).begin(), (*state.*summary).end(), rows.row(p));
                }
            writeWhole(group + "/" + name, {rows.rows(), rows.cols()}, rows.view());
        };
        writeOne("h_mean_abs", &HiddenState::meanAbs);
        writeOne("h_max_abs", &HiddenState::maxAbs);
    }

    void writeProjection(const std::string& group, const LayerInfo& layer) {
        const auto projection = source_.outputProjection(layer.layer, control_.slice(0.0F, 0.0F));
        if (projection) writeWhole(group + "/w_o", {projection->rows(), projection->cols()}, projection->view());
    }

    void writeSinks(const std::string& group, const LayerInfo& layer) {
        if (!layer.hasSink) return;
        kernels::Matrix<double> sinks(1, layer.nHeads);
        for (int head = 0; head < layer.nHeads; ++head)
            sinks(0, head) = source_.sink(layer.layer, kernels::HeadIndex{head}).value();
        writeWhole(group + "/sink", {layer.nHeads}, sinks.view());
    }

    void writeAttributes(const std::string& group, const LayerInfo& layer) {
        writeLayerAttributes(file_, group, layer);
        file_.setAttribute(group, "gqa", std::string("contiguous"));
        if (layer.ropeTheta > 0.0)
            file_.setAttribute(group, "rope_theta", std::variant<double, std::string>(layer.ropeTheta));
        if (!layer.hasEveryQuery())
            file_.setAttribute(group, "align", std::string(layer.queries.first > 0 ? "end" : "start"));
        if (layer.rotaryDim > 0) file_.setAttribute(group, "rotary_dim", std::int64_t{layer.rotaryDim});
    }

    void writePrompts() {
        const auto prompts = static_cast<Index>(info_.prompts.size());
        const Index positions = info_.layers.front().positions;
        std::vector<std::uint8_t> mask;
        std::vector<std::int32_t> lengths;
        std::vector<std::string> splits;
        bool allLeading = true;
        for (int p = 0; p < prompts; ++p) {
            std::vector<std::uint8_t> row(static_cast<std::size_t>(positions), leftOut_.count(p) == 0 ? 1 : 0);
            const auto valid = source_.validity(PromptIndex{p});
            if (valid && leftOut_.count(p) == 0) row = *valid;
            lengths.push_back(static_cast<std::int32_t>(std::count(row.begin(), row.end(), 1)));
            allLeading = allLeading && std::is_sorted(row.rbegin(), row.rend());
            mask.insert(mask.end(), row.begin(), row.end());
            splits.push_back(info_.prompts[static_cast<std::size_t>(p)].split);
        }
        if (allLeading)
            file_.writeIntegers("/prompts/length", {prompts}, lengths);
        else
            file_.writeBytes("/prompts/mask", {prompts, positions}, mask);
        if (std::any_of(splits.begin(), splits.end(), [](const std::string& split) { return !split.empty(); }))
            file_.writeTexts("/prompts/split", splits);
    }

    HeadSource& source_;
    const RepackOptions& options_;
    const analysis::DumpInfo& info_;
    std::set<int> leftOut_;
    Hdf5Writer& file_;
    const RunControl& control_;
    std::vector<analysis::Warning>& warnings_;
    std::optional<kernels::FormatError> damage_;  ///< the first of the tensor at hand
    PromptIndex firstPrompt_{0};                  ///< of those that are written
};

/// Format 1 cannot say of one layer that it lacks a prompt.
std::set<int> promptsToLeaveOut(const analysis::DumpInfo& info, std::vector<analysis::Warning>& warnings) {
    std::set<int> leftOut;
    for (std::size_t p = 0; p < info.prompts.size(); ++p)
        if (info.prompts[p].leftOut) leftOut.insert(static_cast<int>(p));
    if (!leftOut.empty())
        warnings.push_back({"repack_left_out", "/prompts",
                            fmt::format("{} prompt(s) are left out of the dump as it is read; they keep their number, "
                                        "with length 0 and without data; the first: {}",
                                        leftOut.size(), *leftOut.begin())});
    for (const LayerInfo& layer : info.layers) {
        if (layer.missingPrompts.empty()) continue;
        leftOut.insert(layer.missingPrompts.begin(), layer.missingPrompts.end());
        warnings.push_back({"repack_left_out", fmt::format("layer {}", layer.layer.value),
                            fmt::format("{} prompt(s) that this layer lacks are left out of all layers, with length 0 "
                                        "and without data; the first: {}",
                                        layer.missingPrompts.size(), layer.missingPrompts.front())});
    }
    return leftOut;
}

void noteExpandedHeads(const analysis::DumpInfo& info, std::vector<analysis::Warning>& warnings) {
    for (const LayerInfo& layer : info.layers)
        if (layer.storedKvHeads > 0 && layer.storedKvHeads != layer.nKvHeads)
            warnings.push_back({"repack_repeated", fmt::format("layer {}", layer.layer.value),
                                fmt::format("{} key/value heads in strided order are written once for each of the {} "
                                            "query heads",
                                            layer.storedKvHeads, layer.nHeads)});
}

std::int64_t sizeOf(const std::filesystem::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error)
        throw kernels::FileError(
            {printable(path.string(), 1000), "/", "cannot be found after it was written: " + error.message(), ""});
    return static_cast<std::int64_t>(bytes);
}

}  // namespace

RepackResult repackDump(const std::filesystem::path& path, HeadSource& source, const RunControl& control,
                        const RepackOptions& options) {
    RepackResult result;
    const analysis::DumpInfo& info = source.info();
    std::error_code error;
    if (std::filesystem::equivalent(info.path, path, error))
        throw kernels::ArgumentError(
            fmt::format("{}: this is the dump itself; give the new file another name", printable(path.string(), 1000)));
    std::set<int> leftOut = promptsToLeaveOut(info, result.warnings);
    if (leftOut.size() >= info.prompts.size())
        throw kernels::ArgumentError(
            fmt::format("{}: there is no prompt that every layer has", printable(info.path, 1000)));
    noteExpandedHeads(info, result.warnings);
    writeFileAtomically(path, [&](const std::filesystem::path& part) {
        Hdf5Writer file(part, path);
        DumpRepacking(source, options, leftOut, file, control, result.warnings).write();
        file.close();
        control.throwIfCancelled();
    });
    result.bytes = sizeOf(path);
    return result;
}

}  // namespace dimscope::io
