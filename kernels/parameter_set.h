// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "kernels/indices.h"

namespace dimscope::kernels {

/// A dense array of any rank as it stands in a parameter file; int32 values are held exactly.
struct ParameterArray {
    std::vector<Index> shape;
    std::vector<double> values;  ///< row major
};

/// Arrays and attributes of one kernel in one layer, by name ("w", "tau", ...).
struct ParameterGroup {
    std::map<std::string, ParameterArray> arrays;
    std::map<std::string, std::variant<double, std::string>> attributes;
};

/// Content of a kernel-parameter file (format 2), not yet interpreted: file reading knows no kernel,
/// kernels know no file. Absent arrays have an empty shape.
struct ParameterSet {
    std::string name;                                                    ///< file name, for messages
    std::map<LayerIndex, std::map<std::string, ParameterGroup>> layers;  ///< layer -> kernel group -> content
    ParameterArray bootstrapIndices;                                     ///< [B, P]
    ParameterArray positions;                                            ///< [P, R]
    std::map<LayerIndex, ParameterArray> subsetDraws;                    ///< layer -> [B, Hq, n], -1 pads
};

}  // namespace dimscope::kernels
