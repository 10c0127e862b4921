// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "io/dump/attribute_scope.h"
#include "io/dump/number_decoding.h"
#include "io/hdf5_read.h"

namespace dimscope::io {

/// What it takes to read a tensor of a dump later: where it is, its shape, how its numbers are written.
struct StoredTensor {
    std::string path;  ///< "/layers/05/q"
    std::vector<kernels::Index> shape;
    NumberFormat format;
    std::vector<double> scaleFactors;  ///< one for all, one per head, or empty (1)
    kernels::Index slabRows = 0;       ///< rows of the last two axes that are read at once
    std::size_t cacheBytes = 0;        ///< for chunks that hold several heads; 0: the default is enough

    double scaleFactor(kernels::Index head) const;
};

/// "[4, 9, 512, 64]"
std::string shapeText(const std::vector<kernels::Index>& shape);

/// What a reader expects of a tensor: its axes, and how the format spells them (several spellings are the same to us).
struct TensorRules {
    std::vector<std::string> axes;  ///< first: the one that advice shows
    std::size_t rank = 4;
};

/// Checks everything that metadata can tell: rank, sizes, overflow, declared against stored bytes, axes, type,
/// encoding, scale factor. Throws FormatError. `outer`: attributes of the groups above.
StoredTensor describeTensor(const Hdf5Dataset& dataset, const TensorRules& rules, const AttributeScope& outer);

}  // namespace dimscope::io
