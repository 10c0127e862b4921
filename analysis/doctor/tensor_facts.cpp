// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/tensor_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dimscope::analysis {
namespace {

constexpr double kLargestFloat16 = 65504.0;

std::uint64_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

constexpr int mantissaOf(float) { return 23; }
constexpr int mantissaOf(double) { return 52; }

template <class T>
int usedBits(T value) {
    const int stored = mantissaOf(value);
    const std::uint64_t leading = std::uint64_t{1} << stored;
    const std::uint64_t mantissa = (bitsOf(value) & (leading - 1)) | leading;
    return stored + 1 - std::countr_zero(mantissa);
}

/// Two multiplicative hashes with different odd factors.
void addBits(std::uint64_t bits, std::array<std::uint64_t, 2>& fingerprint) {
    fingerprint[0] = std::rotl((fingerprint[0] ^ bits) * 0x9E3779B97F4A7C15ULL, 29);
    fingerprint[1] = std::rotl((fingerprint[1] + bits) * 0xC2B2AE3D27D4EB4FULL, 31) ^ bits;
}

template <class T>
void addValue(T value, PromptIndex prompt, Index row, Index column, TensorFacts& facts) {
    ++facts.values;
    addBits(bitsOf(value), facts.fingerprint);
    if (value == T{0}) return;
    facts.allZero = false;
    if (!std::isfinite(value)) {
        if (facts.firstRow < 0) {
            facts.firstPrompt = prompt;
            facts.firstRow = row;
            facts.firstColumn = column;
        }
        ++(std::isnan(value) ? facts.nans : facts.infinities);
        return;
    }
    if (std::abs(static_cast<double>(value)) == kLargestFloat16) ++facts.saturated;
    facts.mantissaBits = std::max(facts.mantissaBits, usedBits(value));
}

template <class T>
bool sameRow(const kernels::Matrix<T>& m, Index a, Index b) {
    return std::equal(m.row(a), m.row(a) + m.cols(), m.row(b), [](T x, T y) { return bitsOf(x) == bitsOf(y); });
}

template <class T>
bool isZeroRow(const kernels::Matrix<T>& m, Index i) {
    return std::all_of(m.row(i), m.row(i) + m.cols(), [](T x) { return x == T{0}; });
}

/// Length of the run that begins with rows.front().
template <class T, class Iterator>
Index runFrom(const kernels::Matrix<T>& m, Iterator first, Iterator last) {
    if (first == last) return 0;
    const auto end = std::find_if(first, last, [&](Index i) { return !sameRow(m, *first, i); });
    const auto run = static_cast<Index>(end - first);
    return run > 1 || isZeroRow(m, *first) ? run : 0;
}

}  // namespace

void addFacts(const LoadedTensor& tensor, PromptIndex prompt, Validity valid, Index length,
              const kernels::PositionRange& present, TensorFacts& facts) {
    std::visit(
        [&](const auto& m) {
            for (Index i = 0; i < std::min(length, m.rows()); ++i) {
                if (!present.holds(i) || !isReal(valid, i)) continue;
                for (Index c = 0; c < m.cols(); ++c) addValue(m(i, c), prompt, i, c, facts);
            }
        },
        tensor.values);
}

EdgeRuns edgeRuns(const LoadedTensor& keys, Validity valid, Index length) {
    return std::visit(
        [&](const auto& m) {
            std::vector<Index> rows;
            for (Index i = 0; i < std::min(length, m.rows()); ++i)
                if (isReal(valid, i)) rows.push_back(i);
            return EdgeRuns{runFrom(m, rows.begin(), rows.end()), runFrom(m, rows.rbegin(), rows.rend()),
                            static_cast<Index>(rows.size())};
        },
        keys.values);
}

}  // namespace dimscope::analysis
