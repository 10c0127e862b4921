// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/indices.h"

namespace dimscope::io {

enum class NumberEncoding {
    Float16,
    BFloat16,
    Float32,
    Float64,
    Float8E4M3,  ///< E4M3FN: no infinities, 448 is the largest (Micikevicius et al. 2022, arXiv:2209.05433)
    Float8E5M2,
    Integer,    ///< of 1, 2, 4 or 8 bytes, to be multiplied by a scale factor
    Converted,  ///< any other float: the file's own library converts it to double
};

/// How the numbers of a tensor stand in the file.
struct NumberFormat {
    NumberEncoding encoding = NumberEncoding::Float32;
    bool bigEndian = false;
    std::size_t integerBytes = 0;
    bool isSigned = false;

    std::size_t bytes() const;  ///< per number
    /// Whether float would lose something.
    bool needsDouble() const;
    std::string name() const;  ///< "float16", "bf16", "float32", "float64", "fp8_e4m3fn", "fp8_e5m2", "int8", ...
};

/// Stored bytes to numbers, without loss (float64 to float excepted). `raw` holds out.size() numbers.
/// Our own loops, because HDF5 converts float16 and bf16 one number at a time (users report 35 times slower).
void decodeNumbers(NumberFormat format, std::span<const std::byte> raw, std::span<float> out);
void decodeNumbers(NumberFormat format, std::span<const std::byte> raw, std::span<double> out);

/// Numbers in a row that are NaN or infinite.
kernels::Index countNonFinite(std::span<const float> values);
kernels::Index countNonFinite(std::span<const double> values);

}  // namespace dimscope::io
