// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/synthetic_sequences.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

using kernels::Matrix;

constexpr Index kSyntheticDim = 8;  // of queries, keys and values; at least as many as positions

bool isFromMean(const SyntheticSequence& sequence) { return sequence.name == "difference-from-mean"; }

/// 1 at even distances of two positions, -1 at odd ones.
double signAt(Index distance) { return distance % 2 == 0 ? 1.0 : -1.0; }

/// k_j = e_j where every position is told apart, else +-e_1: positions of both signs take turns.
Matrix<double> keysOf(const SyntheticSequence& sequence) {
    Matrix<double> keys(sequence.positions, kSyntheticDim);
    for (Index j = 0; j < keys.rows(); ++j) {
        if (isFromMean(sequence))
            keys(j, j) = 1.0;
        else
            keys(j, 0) = signAt(j);
    }
    return keys;
}

/// q_t = t k_t: the logits are t times 1 at t (and 0 before it), or t times the signs.
Matrix<double> queriesOf(const SyntheticSequence& sequence) {
    Matrix<double> queries = keysOf(sequence);
    for (Index i = 0; i < queries.rows(); ++i)
        for (Index r = 0; r < queries.cols(); ++r) queries(i, r) *= static_cast<double>(i + 1);
    return queries;
}

Matrix<double> seededValues(Index positions, std::uint64_t seed, int prompt) {
    kernels::RandomStream random(seed, kernels::RandomPurpose::SyntheticSequences, 0, prompt);
    Matrix<double> values(positions, kSyntheticDim);
    for (double& x : values.values()) x = (static_cast<double>(random.below(65)) - 32.0) / 16.0;
    for (Index j = 0; j < positions; ++j) values(j, kSyntheticDim - 1) = 1.0;
    return values;
}

/// As syntheticSequences() spells them out.
Matrix<double> targetsOf(const SyntheticSequence& sequence, const Matrix<double>& values) {
    Matrix<double> targets(values.rows(), values.cols());
    for (Index i = 0; i < values.rows(); ++i)
        for (Index c = 0; c < values.cols(); ++c) {
            double sum = 0.0, signedSum = 0.0;
            for (Index j = 0; j <= i; ++j) {
                sum += values(j, c);
                signedSum += signAt(i - j) * values(j, c);
            }
            const double mean = sum / static_cast<double>(i + 1);
            targets(i, c) = isFromMean(sequence) ? values(i, c) - mean : signedSum - (i % 2 == 0 ? mean : 0.0);
        }
    return targets;
}

const SyntheticSequence& sequenceNamed(const std::string& name) {
    std::string names;
    for (const SyntheticSequence& sequence : syntheticSequences()) {
        if (sequence.name == name) return sequence;
        names += (names.empty() ? "" : ", ") + sequence.name;
    }
    throw kernels::ArgumentError(fmt::format("there is no synthetic sequence '{}'; there are {}", name, names));
}

}  // namespace

const std::vector<SyntheticSequence>& syntheticSequences() {
    static const std::vector<SyntheticSequence> kSequences = {
        {"two-token-difference", "Two-token difference", "v_2 - v_1", 2, 8},
        {"difference-from-mean", "Difference from the mean", "v_t - mean(v_1 .. v_t)", 8, 4},
        {"alternating-differences", "Alternating differences", "v_t - v_(t-1) + v_(t-2) - .., for odd t less the mean",
         8, 4}};
    return kSequences;
}

SyntheticSource::SyntheticSource(const std::string& name, std::uint64_t seed) : sequence_(sequenceNamed(name)) {
    info_.path = name;
    info_.format = "attn-dump 1";
    info_.model = "synthetic: " + name;
    info_.identity.name = name;
    LayerInfo layer;
    layer.layer = LayerIndex{0};
    layer.nHeads = layer.nKvHeads = 1;
    layer.headDim = layer.valueDim = kSyntheticDim;
    layer.positions = sequence_.positions;
    layer.prompts = sequence_.prompts;
    layer.scale = 1.0;
    layer.rope = "none";
    layer.encoding = "float64";
    layer.hasValue = true;
    info_.layers.push_back(layer);
    for (int p = 0; p < sequence_.prompts; ++p) {
        info_.prompts.push_back({sequence_.positions, "", false});
        Matrix<double> values = seededValues(sequence_.positions, seed, p);
        targets_.push_back(targetsOf(sequence_, values));
        const auto keep = [&](TensorKind kind, Matrix<double> tensor) {
            tensors_[{kind, p}] = std::make_shared<const LoadedTensor>(LoadedTensor{std::move(tensor)});
        };
        keep(TensorKind::Query, queriesOf(sequence_));
        keep(TensorKind::Key, keysOf(sequence_));
        keep(TensorKind::Value, std::move(values));
    }
}

std::shared_ptr<const LoadedTensor> SyntheticSource::load(TensorKind kind, LayerIndex, PromptIndex prompt, int,
                                                          const RunControl&) {
    return tensors_.at({kind, prompt.value});
}

}  // namespace dimscope::analysis
