// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/indices.h"

namespace dimscope::io {

enum class TensorRole { Query, Key, Value, Output, Projection, Sink, Hidden, HiddenMeanAbs, HiddenMaxAbs, Fused };

/// Order of the three tensors inside a fused one, by the family that its name belongs to.
enum class FusedOrder { Qkv, Kqv, PerHead };

/// What a name says about rotary positions.
enum class NamedRope { Unsaid, Before, After };

/// What the path of an array says about its content.
struct TensorName {
    TensorRole role = TensorRole::Query;
    FusedOrder order = FusedOrder::Qkv;
    NamedRope rope = NamedRope::Unsaid;
    bool positionsFirst = false;  ///< TransformerLens: [batch, pos, head, d_head]
    std::optional<kernels::Index> layer, head;
    std::optional<std::string> prompt;
    std::string family;  ///< words that belong to none of these: tensors of one dump have the same
};

/// Reads names as the common programs write them (Hugging Face, TransformerLens, GPT-2, GPT-NeoX, timm): any case;
/// ".", "_", "-", " " and "/" separate words alike. Nothing where the name is none of a tensor.
std::optional<TensorName> readTensorName(const std::string& path);

/// "q", "k", "qkv" as messages and the option --map spell a role.
std::string roleText(TensorRole role);
std::optional<TensorRole> roleFromText(const std::string& text);

}  // namespace dimscope::io
