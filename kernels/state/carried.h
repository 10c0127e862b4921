// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "kernels/sequence.h"
#include "kernels/state/feature_sums.h"
#include "kernels/state/linear_zeros_form.h"

namespace dimscope::kernels::state {

/// Everything between two stretches of one query head.
template <class T>
struct Carried {
    Index positions = 0;
    FeatureSums<T> sums;
    Tokens<T> latest;               ///< tokens not absorbed yet, or inside a window
    Tokens<T> first;                ///< the first keys of an exact part
    Index validSeen = 0;            ///< valid tokens so far, as far as the first keys need it
    std::optional<Index> firstEnd;  ///< position behind the first keys, once they are all there
    Index restSeen = 0;             ///< keys absorbed
    RadialState radial;             ///< of linear_zeros
};

struct SequenceContent {
    std::string kernel;
    ExactPart exact;
    Index headDim = 0, valueDim = 0;
    std::variant<Carried<float>, Carried<double>> carried;
};

}  // namespace dimscope::kernels::state
