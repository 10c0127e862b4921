// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/provenance.h"
#include "kernels/matrix.h"
#include "kernels/rotary.h"
#include "kernels/run_control.h"

namespace dimscope::analysis {

using kernels::HeadIndex;
using kernels::Index;
using kernels::KvHeadIndex;
using kernels::LayerIndex;
using kernels::PromptIndex;
using kernels::RunControl;

/// A number that does not exist: undefined or left out.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What one layer of a dump holds. Sizes in elements, scale in 1/logit units.
struct LayerInfo {
    LayerIndex layer;
    int nHeads = 0, nKvHeads = 0;     ///< query head h reads key/value head h / (nHeads / nKvHeads)
    int storedKvHeads = 0;            ///< of the file, where that differs: gqa="strided" is presented as one per head
    Index headDim = 0, valueDim = 0;  ///< valueDim 0: no v
    Index positions = 0;              ///< N
    int prompts = 0;                  ///< P
    double scale = 0.0;
    bool causal = true;
    Index window = 0;                 ///< 0: none
    double softcap = 0.0;             ///< 0: none
    std::string rope = "post";        ///< "post", "pre", "none"
    std::string ropeLayout = "half";  ///< "half", "interleaved"
    Index rotaryDim = 0;              ///< 0: all of headDim
    double ropeTheta = 0.0;           ///< 0: not stated
    std::string encoding;             ///< of q: "float16", "float32", "float64", "bf16", "fp8_e4m3fn", "int8", ...
    bool rotated = false;             ///< RoPE is applied to q and k when they are read
    std::vector<int> missingPrompts;  ///< prompts that this layer lacks
    kernels::PositionRange queries;   ///< positions that have a query; the others are keys alone

    /// As stated; all pairs of dimensions where the layer names no number.
    kernels::RotaryForm rotaryForm() const {
        return {ropeTheta, ropeLayout, rotaryDim > 0 ? rotaryDim : headDim / 2 * 2};
    }
    /// Whether each of the positions has a query.
    bool hasEveryQuery() const { return queries.holdsAll(positions); }
    int kvHeadsOfFile() const { return storedKvHeads > 0 ? storedKvHeads : nKvHeads; }
    bool hasValue = false, hasOutput = false, hasOutputProjection = false, hasSink = false;
};

struct PromptInfo {
    Index validPositions = 0;
    std::string split;     ///< "calibration", "train", "validation", "evaluation" or ""
    bool leftOut = false;  ///< no valid position, or never written
};

/// How a file was read where its format leaves a choice, and what that rests on.
struct ReadingNote {
    std::string place, decision, evidence;
};

struct DumpInfo {
    std::string path;
    std::string format;  ///< "attn-dump 1"
    std::string model, revision, tokenizer, createdBy, createdAt, promptSource;
    DumpIdentity identity;
    std::vector<LayerInfo> layers;  ///< ascending
    std::vector<PromptInfo> prompts;
    std::vector<Warning> warnings;  ///< what was odd about the file
    std::vector<ReadingNote> readings;
    /// What was left out of it on request: part of every result's selection.
    std::vector<std::pair<std::string, ParameterValue>> exclusions;

    /// Positions that have a query, the same in all layers.
    kernels::PositionRange queries() const {
        return layers.empty() ? kernels::PositionRange{} : layers.front().queries;
    }
    /// Whether a prompt of which these positions are valid, (N), has a query.
    bool hasQuery(std::span<const std::uint8_t> valid) const {
        const auto [first, end] = queries();
        for (Index i = first; i < std::min(end, std::ssize(valid)); ++i)
            if (valid[static_cast<std::size_t>(i)] != 0) return true;
        return false;
    }
    const LayerInfo* find(LayerIndex layer) const {
        for (const LayerInfo& info : layers)
            if (info.layer == layer) return &info;
        return nullptr;
    }
};

enum class TensorKind { Query, Key, Value, Output };

/// One head of one prompt, as stored, decoded to float (float16, bf16, float32) or double (float64).
struct LoadedTensor {
    kernels::Tensor values;               ///< (positions, head_dim or value_dim)
    Index nonFinite = 0;                  ///< NaN and Inf among valid positions
    Index firstRow = 0, firstColumn = 0;  ///< place of the first one
};

/// The residual stream that enters a block, for one prompt: every position, or where the dump has no more than them its
/// magnitudes over the prompt's positions.
struct HiddenState {
    std::optional<LoadedTensor> positions;  ///< (positions, model_dim)
    std::vector<double> meanAbs, maxAbs;    ///< (model_dim); empty where the dump has none
};

/// What is in a dump, and one head at a time. Implemented by the file reader and by made-up data.
/// Calls may come from any thread, one at a time per source unless it says otherwise.
class HeadSource {
public:
    virtual ~HeadSource() = default;
    virtual const DumpInfo& info() const = 0;

    /// `head` is a query head for Query and Output, a key/value head for Key and Value.
    /// Throws FormatError where the layer, head or tensor does not exist or cannot be read; Cancelled.
    virtual std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                                     const RunControl& control) = 0;
    /// (positions), 1 = real token; null: all positions are valid.
    virtual std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex prompt) = 0;
    /// Learned sink logit of a query head; nullopt where the layer has none.
    virtual std::optional<double> sink(LayerIndex layer, HeadIndex head) = 0;
    /// (model_dim, n_heads * value_dim); null where the layer has none.
    virtual std::shared_ptr<const kernels::Matrix<double>> outputProjection(LayerIndex layer,
                                                                            const RunControl& control) = 0;
    /// Null where the layer has neither the residual stream nor a summary of it.
    virtual std::shared_ptr<const HiddenState> hiddenState(LayerIndex, PromptIndex, const RunControl&) {
        return nullptr;
    }
};

}  // namespace dimscope::analysis
