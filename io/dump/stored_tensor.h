// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "io/dump/array_file.h"
#include "io/dump/axis_reading.h"
#include "io/dump/number_decoding.h"

namespace dimscope::io {

/// One axis of an array, and where on it a tensor lies. Head: head h is at offset + h * stride. HeadDim: the
/// dimensions of head h begin there. Layer and Fused: at offset. The others begin at 0.
struct ArrayAxis {
    AxisRole role = AxisRole::Prompt;
    kernels::Index offset = 0, stride = 1;
};

/// An array that holds a tensor, or one prompt or head of it.
struct TensorPart {
    ArrayRef array;
    std::vector<ArrayAxis> axes;
    int prompt = -1, head = -1;    ///< the one that it holds; -1: all of them
    kernels::Index positions = 0;  ///< rows of a matrix in it
    kernels::Index firstRow = 0;   ///< of the tensor's matrix that the first of them is
    kernels::Index slabRows = 0;   ///< rows that are read at once
    std::size_t cacheBytes = 0;    ///< for chunks that hold several heads; 0: one chunk is enough
};

/// What it takes to read a tensor of a dump later: where it is, its shape, how its numbers are written.
struct StoredTensor {
    std::string path;  ///< "/layers/05/q", of its first part
    Sizes shape;       ///< as the format has it: [P, H, N, D] for q, k, v, o
    NumberFormat format;
    std::vector<double> scaleFactors;  ///< one for all, one per head, or empty (1)
    kernels::Index headModulus = 0;    ///< > 0: head h is the stored head h mod this (gqa="strided")
    std::vector<TensorPart> parts;

    double scaleFactor(kernels::Index head) const;
    /// Throws FormatError where no part holds it.
    const TensorPart& part(int prompt, kernels::Index head, const FilePlace& place) const;
    bool hasPrompt(int prompt) const;
};

/// "[4, 9, 512, 64]"
std::string shapeText(const Sizes& shape);

Sizes shapeOf(const StoredArray& array);

/// Checks what metadata can tell about any array that is to be read as numbers: not empty, no overflow, declared
/// against stored bytes. Throws FormatError.
void checkArray(const StoredArray& array);

/// Whole chunks, about 32 MiB at a time, and a cache that keeps the chunks of one matrix where they hold its neighbours
/// too. `columns`: of a matrix.
void planReading(const ArrayLayout& layout, kernels::Index columns, TensorPart& part);

}  // namespace dimscope::io
