// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/indices.h"

namespace dimscope::kernels {

/// The first keys of a prompt and the latest ones up to the query are kept exact, a kernel stands for the rest
/// (section 13.6): y = (A + g B/b) / (a + g), A and a from exp(s - max s) over the exact keys, B/b the kernel's output
/// over the others.
struct ExactPart {
    Index first = 0;    ///< valid positions from the start of the prompt
    Index window = 0;   ///< positions up to the query, itself included
    double gate = 1.0;  ///< g >= 0; 0: exact keys alone; infinite: the kernel's rest alone

    bool empty() const { return first == 0 && window == 0; }
};

/// How a kernel is evaluated besides its own formula. Exact attention is the same whatever stands here.
struct Evaluation {
    ExactPart exact = {};
    /// (head_dim) subtracted from every key that the kernel sees (section 13.9); null: none.
    std::shared_ptr<const std::vector<double>> keyMean = {};
    /// (head_dim) 1: the kernel approximates this dimension, 0: its exponential is exact (section 7); null: all 1.
    std::shared_ptr<const std::vector<std::uint8_t>> approximated = {};

    bool plain() const { return exact.empty() && !keyMean && !approximated; }
};

}  // namespace dimscope::kernels
