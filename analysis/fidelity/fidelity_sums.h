// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/error_sums.h"
#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Sums over sampled weight rows p of exact attention and w of a kernel.
struct WeightSums {
    double rows = 0.0;
    double divergence = 0.0;      ///< sum p log(p / w) over the rows where it is defined
    double divergenceRows = 0.0;  ///< rows where w > 0 wherever p > 0
    double variation = 0.0;       ///< sum |p - w| / 2
    double topAgreement = 0.0;    ///< rows where w is largest at the key where p is, and there alone
    void operator+=(const WeightSums& other);
};

/// Everything that the fidelity of one kernel on one head is made from; additive over prompts and draws.
struct HeadFidelitySums {
    ErrorSums before;                    ///< |w - y|^2 and |y|^2 over rows and value coordinates, w the kernel's output
    double kernelEnergy = 0.0;           ///< |w|^2
    double product = 0.0;                ///< w.y
    double rows = 0.0;                   ///< counted once per draw
    std::vector<double> outputSum = {};  ///< (value_dim) y, counted once per draw
    ErrorSums after;                     ///< |W_h (w - y)|^2 of this head alone, and |sum_h W_h y_h|^2
    WeightSums weights;
    double badRows = 0.0;  ///< (row, draw) left out
    void operator+=(const HeadFidelitySums& other);
};

/// Sums of one kernel over the heads of one layer and prompt.
struct MethodFidelitySums {
    std::vector<HeadFidelitySums> heads;  ///< in the order of the layer's heads
    ErrorSums joint;                      ///< after W_o, all heads replaced; rows that are bad in no head
    double singles = 0.0;                 ///< sum over heads of |W_h e_h|^2 over the rows of `joint`
    /// (rows) of this cell, summed over usable heads and draws, where rows were sampled: what the sampling error is
    /// taken from. Empty where all rows are there.
    std::vector<double> rowError = {}, rowEnergy = {}, rowErrorAfter = {}, rowEnergyAfter = {};
};

/// The part of a comparison that is computed at a time and without the others: one layer of one prompt.
struct FidelityCell {
    LayerIndex layer;
    PromptIndex prompt;
    double rowShare = 1.0;                    ///< evaluated rows / valid rows
    bool hasAfter = false;                    ///< W_o is there and all heads are selected and usable
    std::vector<std::uint8_t> usable;         ///< (heads) 0: values that are not finite
    std::vector<MethodFidelitySums> methods;  ///< in the order of FidelitySums::methods
    std::vector<Warning> warnings;            ///< about this cell alone
};

/// A kernel, untrained or with the parameters of a file.
struct FidelityMethod {
    std::string kernel;
    bool calibrated = false;
    std::string path;  ///< "state": linear time; "pairwise": row by row
    friend bool operator==(const FidelityMethod&, const FidelityMethod&) = default;
};

struct FidelityLayer {
    LayerIndex layer;
    std::vector<HeadIndex> heads;
};

/// All cells of a comparison, or those that one machine has.
struct FidelitySums {
    std::vector<FidelityMethod> methods;
    std::vector<FidelityLayer> layers;
    std::vector<PromptIndex> prompts;
    std::vector<FidelityCell> cells;  ///< layer by layer, prompts within
    std::vector<Warning> warnings;    ///< about the run as a whole
    bool complete = true;             ///< false: cells are another shard's
};

}  // namespace dimscope::analysis
