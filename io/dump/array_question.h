// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "io/dump/layer_arrays.h"

namespace dimscope::io {

// What a person is asked where the names of a file leave a choice. Candidates name every array that they mean, so that
// they stand for the same arrays wherever they are repeated; fields of compound arrays cannot be named, and then
// nothing is asked. Both throw AmbiguousReading, or FormatError where there is nothing to choose from.

/// Which of several complete sets of tensors is meant; each by its layers.
[[noreturn]] void askSet(const FilePlace& place, const std::vector<std::vector<LayerArrays>>& sets,
                         const std::string& cause, const std::string& advice);

/// Which of two arrays of one role, prompt and head is meant, in every layer that has both.
[[noreturn]] void askArray(const FilePlace& place, const std::vector<LayerArrays>& layers, TensorRole role,
                           const NamedArray& first, const NamedArray& second);

}  // namespace dimscope::io
