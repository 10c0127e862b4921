// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <random>

#include "kernels/attention_math.h"
#include "kernels/backend_registry.h"
#include "kernels/cpu/operator/sequence.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {

using namespace kernels;

struct LayerShape {
    Index heads = 6, kvHeads = 2, rows = 1, headDim = 8, valueDim = 5;
};

/// Seeded heads of a layer, stored as (rows, heads, dim) so that every head is strided; outputs start poisoned.
class OwnedLayer {
public:
    OwnedLayer(const LayerShape& shape, std::uint64_t seed, float spread = 1.0F, float keyMean = 0.0F)
        : shape_(shape),
          query_(shape.rows, shape.heads * shape.headDim),
          key_(shape.rows, shape.kvHeads * shape.headDim),
          value_(shape.rows, shape.kvHeads * shape.valueDim),
          output_(shape.rows, shape.heads * (shape.valueDim + 1)) {
        std::mt19937_64 generator(seed);
        std::normal_distribution<float> normal(0.0F, spread);
        for (float& x : query_.values()) x = normal(generator);
        for (float& x : key_.values()) x = normal(generator) + keyMean;
        for (float& x : value_.values()) x = normal(generator);
        for (float& x : output_.values()) x = kPoison;
    }

    /// Heads of the positions [first, first + count).
    cpu::SequenceHeads heads(Index first, Index count) {
        cpu::SequenceHeads heads;
        heads.scale = scale();
        const Index d = shape_.headDim, v = shape_.valueDim;
        for (Index h = 0; h < shape_.heads; ++h) {
            heads.query.push_back({query_.row(first) + h * d, count, d, query_.cols()});
            heads.output.push_back({output_.row(first) + h * (v + 1), count, v, output_.cols()});
        }
        for (Index h = 0; h < shape_.kvHeads; ++h) {
            heads.key.push_back({key_.row(first) + h * d, count, d, key_.cols()});
            heads.value.push_back({value_.row(first) + h * v, count, v, value_.cols()});
        }
        return heads;
    }
    cpu::SequenceHeads heads() { return heads(0, shape_.rows); }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(shape_.headDim)); }

    Matrix<double> output(Index head, const std::vector<Index>& rows) const {
        Matrix<double> out(static_cast<Index>(rows.size()), shape_.valueDim);
        for (std::size_t n = 0; n < rows.size(); ++n)
            for (Index c = 0; c < shape_.valueDim; ++c)
                out(static_cast<Index>(n), c) = static_cast<double>(output_(rows[n], head * (shape_.valueDim + 1) + c));
        return out;
    }
    /// The column behind each head's output belongs to nobody.
    bool nothingBesideTheOutput() const {
        for (Index r = 0; r < shape_.rows; ++r)
            for (Index h = 1; h <= shape_.heads; ++h)
                if (output_(r, h * (shape_.valueDim + 1) - 1) != kPoison) return false;
        return true;
    }
    Matrix<double> oracle(const KernelSpec& spec, Index head, const std::vector<Index>& rows) {
        const cpu::SequenceHeads all = heads();
        const auto kv = static_cast<std::size_t>(head / (shape_.heads / shape_.kvHeads));
        HeadInputs inputs{all.query[static_cast<std::size_t>(head)], all.key[kv], all.value[kv], {}, scale(), 0.0, {}};
        const std::vector<KernelSpec> specs{spec};
        const std::vector<RowsJob> jobs{{inputs, rows, specs}};
        return makeBackend("reference")->attendRows(jobs, {}).front().front().values;
    }
    Matrix<float>& queries() { return query_; }
    Matrix<float>& values() { return value_; }
    Matrix<float>& keys() { return key_; }
    Matrix<float>& outputs() { return output_; }
    const LayerShape& shape() const { return shape_; }

private:
    static constexpr float kPoison = 12345.0F;
    LayerShape shape_;
    Matrix<float> query_, key_, value_, output_;
};

/// Seeded factors; group g > 0 has about two dimensions.
inline std::vector<Oal> seededSpecs(const LayerShape& shape, int groups, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::vector<Oal> specs;
    for (Index h = 0; h < shape.heads; ++h) {
        Oal spec;
        spec.groups = groups;
        spec.label.assign(static_cast<std::size_t>(shape.headDim), 0);
        for (int g = 1; g < groups; ++g)
            for (int n = 0; n < 2; ++n) spec.label[generator() % static_cast<std::uint64_t>(shape.headDim)] = g;
        for (int n = 0; n < packedLength(groups + 1); ++n) spec.factor.push_back(0.5 * normal(generator));
        spec.factor[0] = 1.0;
        specs.push_back(spec);
    }
    return specs;
}

inline std::vector<Index> someRows(Index rows) {
    if (rows <= 600) return allRows(rows);
    std::vector<Index> some{0, 15, 16, 700, 1023, 1024, 1040, 1087, 1088, 1500, 2047, 2048};  // around chunk and slab
    std::erase_if(some, [&](Index row) { return row >= rows - 2; });
    some.insert(some.end(), {rows - 2, rows - 1});
    return some;
}

}  // namespace dimscope::tests
