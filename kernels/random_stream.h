// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace dimscope::kernels {

/// What a stream of random numbers is for; streams of different purposes never overlap.
enum class RandomPurpose : std::uint32_t {
    PerformerDirections = 1,
    PerformerNorms = 2,
    SpectraFormer = 3,
    DiJiang = 4,
    QueryRows = 5,
    Bootstrap = 6,
    SequenceBootstrap = 7,
    RandomSubsets = 8,
    GaussianControl = 9,
    DoseOrders = 14,
    Rfa = 16,
    PolySketch = 17,
    CalibrationStarts = 30,
    CalibrationBatches = 31,
    BenchTensors = 40,
    BudgetPartitions = 15,
    SyntheticSequences = 50,
};

/// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011) keyed by seed, purpose, layer and head: the same
/// draw on every backend and thread count. Not thread-safe; make one per use.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, RandomPurpose purpose, int layer = 0, int head = 0);

    std::uint64_t next64();
    double uniform();  ///< [0, 1), 53 bits
    double normal();   ///< N(0, 1), Box-Muller
    /// Uniform in [0, bound), without bias. bound >= 1.
    std::uint64_t below(std::uint64_t bound);

private:
    void refill();
    std::array<std::uint32_t, 2> key_{};
    std::array<std::uint32_t, 4> counter_{};
    std::array<std::uint64_t, 2> block_{};
    int left_ = 0;
    double spareNormal_ = 0.0;
    bool hasSpare_ = false;
};

}  // namespace dimscope::kernels
