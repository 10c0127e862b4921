// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/stored_array.h"
#include "kernels/indices.h"

namespace dimscope::io {

/// What one axis of an array counts. HeadDim: head and dimension in one axis, head slow. Fused: q, k and v stacked.
enum class AxisRole { Prompt, Layer, Head, Position, Dim, HeadDim, Hidden, Fused };
using Axes = std::vector<AxisRole>;
using Sizes = std::vector<kernels::Index>;

/// "prompt head pos dim": the words of the attribute `axes` (formats.md, section 4).
std::string axesText(const Axes& axes);
/// Throws FormatError for an unknown or repeated word, and where the number of words is not `rank`.
Axes axesFromText(const std::string& text, std::size_t rank, const FilePlace& place);
/// From the labels that other programs give axes ("batch", "seq", "channel"); nothing where one is not known.
std::optional<Axes> axesFromLabels(const std::vector<std::string>& labels);

/// Sizes of a tensor by what they count; 1 where it has no such axis.
struct TensorSizes {
    kernels::Index prompts = 1, layers = 1, heads = 1, positions = 1, dim = 1;
};

/// `headDim`: splits a HeadDim axis; 0: not known, then `heads` splits it.
TensorSizes sizesOf(const Sizes& shape, const Axes& axes, kernels::Index headDim, kernels::Index heads);

/// What is known about the tensors of a layer before their axes are.
struct AxisHints {
    bool layerNamed = false, promptNamed = false, headNamed = false;  ///< by the names: no axis counts them
    bool positionsFirst = false;                                      ///< by the names' family
    bool reversed = false;                                            ///< by the program that wrote the file
    bool formatStated = false;                                        ///< the file says that it is an attn-dump
    bool fewerQueries = false;                                        ///< q may have fewer positions than k
    kernels::Index nHeads = 0, nKvHeads = 0, headDim = 0;             ///< 0: not stated
    kernels::Index prompts = 0, positions = 0;                        ///< of /prompts; 0: not known
};

struct AxisDecision {
    Axes axes;
    std::string evidence;  ///< in words: "the axis that differs between q and k counts heads"
    bool assumed = false;  ///< plausible, not proven: deserves a warning
};

/// Finds the one order of axes in which q, k and v (empty: none) fit together. Where nothing fits, the format's own
/// order, so that the checks that follow name what is wrong. Throws FormatError where two readings are left, naming
/// both, and where only n_heads or head_dim would tell.
AxisDecision decideAxes(const Sizes& q, const Sizes& k, const Sizes& v, const AxisHints& hints, const FilePlace& place);

}  // namespace dimscope::io
