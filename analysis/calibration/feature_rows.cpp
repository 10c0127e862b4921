// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/feature_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Index;

constexpr std::size_t kRowsAtATime = 64;  // rows at a time: wide enough for products, narrow enough for early rows

struct Features {
    MatrixXd z, values;  // (rows, outputs), (rows, features)
    VectorXd sharpness;  // (rows) or empty
};

Features featuresOf(const FeatureMap& map, const MatrixXd& matrix, MatrixXd x, VectorXd sharpness) {
    Features out{x * matrix.transpose(), {}, std::move(sharpness)};
    out.values = map.features(out.z, out.sharpness);
    return out;
}

/// Some query rows against the first `keys` keys.
struct Block {
    Features query;
    MatrixXd input, exact;  // (block, head_dim), (block, value_dim)
    MatrixXd visible;       // (block, keys): 1 where the query sees the key
    MatrixXd output;        // (block, value_dim) of the kernel
    VectorXd mass;          // (block): sums of its weights
};

Index keysOf(const FeatureRows& rows, std::size_t ordinal) {
    return rows.prompt->causal ? rows.rows[ordinal] + 1 : rows.prompt->key.rows();
}

Features keyFeatures(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows, Index keys) {
    return featuresOf(map, maps.key, rows.prompt->key.topRows(keys),
                      rows.sharpness.size() > 0 ? VectorXd(rows.sharpness.head(keys)) : VectorXd());
}

void evaluate(Block& block, const Features& key, const PromptTensors& prompt, Index keys) {
    const MatrixXd weights = (block.query.values * key.values.topRows(keys).transpose()).cwiseProduct(block.visible);
    const MatrixXd sums = weights * prompt.valueAndOne.topRows(keys);
    block.mass = sums.col(prompt.valueDim());
    block.output = sums.leftCols(prompt.valueDim()).array().colwise() / block.mass.array();
}

Block blockOf(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows, const Features& key,
              std::span<const std::size_t> chosen) {
    const PromptTensors& prompt = *rows.prompt;
    const auto count = static_cast<Index>(chosen.size());
    Index keys = 0;
    for (const std::size_t ordinal : chosen) keys = std::max(keys, keysOf(rows, ordinal));
    Block block;
    block.input.resize(count, prompt.query.cols());
    block.exact.resize(count, prompt.valueDim());
    block.visible = MatrixXd::Zero(count, keys);
    VectorXd sharpness(rows.sharpness.size() > 0 ? count : 0);
    for (Index n = 0; n < count; ++n) {
        const std::size_t ordinal = chosen[static_cast<std::size_t>(n)];
        const Index i = rows.rows[ordinal];
        block.input.row(n) = prompt.query.row(i);
        block.exact.row(n) = rows.exact.row(static_cast<Index>(ordinal));
        if (sharpness.size() > 0) sharpness[n] = rows.sharpness[i];
        const PromptTensors::Visible seen = prompt.visible(i);
        block.visible.row(n).segment(seen.first, seen.count) = seen.mask.transpose();
    }
    block.query = featuresOf(map, maps.query, block.input, std::move(sharpness));
    evaluate(block, key, prompt, keys);
    return block;
}

}  // namespace

FeatureRows featureRows(const FeatureMap& map, const PromptTensors& prompt, std::span<const Index> rows,
                        const kernels::RunControl& control) {
    FeatureRows out{&prompt, map.sharpness(prompt), {}, MatrixXd(static_cast<Index>(rows.size()), prompt.valueDim())};
    for (const Index i : rows) {
        control.throwIfCancelled();
        const PromptTensors::Visible keys = prompt.visible(i);
        if (!(keys.mask.sum() > 0.0)) continue;
        const VectorXd exact = prompt.exactRow(i, keys);
        if (!exact.allFinite()) continue;
        out.exact.row(static_cast<Index>(out.rows.size())) = exact;
        out.rows.push_back(i);
    }
    out.exact.conservativeResize(static_cast<Index>(out.rows.size()), Eigen::NoChange);
    return out;
}

double squaredError(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows) {
    if (rows.rows.empty()) return 0.0;
    const Features key = keyFeatures(map, maps, rows, keysOf(rows, rows.rows.size() - 1));
    double sum = 0.0;
    for (std::size_t first = 0; first < rows.rows.size(); first += kRowsAtATime) {
        std::vector<std::size_t> chosen;
        for (std::size_t n = first; n < std::min(first + kRowsAtATime, rows.rows.size()); ++n) chosen.push_back(n);
        const Block block = blockOf(map, maps, rows, key, chosen);
        if (!(block.mass.minCoeff() > 0.0)) return std::numeric_limits<double>::infinity();
        sum += (block.output - block.exact).squaredNorm();
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

void addSlopes(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows,
               std::span<const std::size_t> chosen, FeatureMap::Maps& slopes) {
    if (chosen.empty()) return;
    Index keys = 0;
    for (const std::size_t ordinal : chosen) keys = std::max(keys, keysOf(rows, ordinal));
    const Features key = keyFeatures(map, maps, rows, keys);
    const Block block = blockOf(map, maps, rows, key, chosen);
    const PromptTensors& prompt = *rows.prompt;

    // Section 0: with g = dLoss / dy, dLoss / dkappa_ij = g.(v_j - y_i) / sum_j kappa_ij.
    const MatrixXd ofOutput = 2.0 * (block.output - block.exact);
    const VectorXd along = ofOutput.cwiseProduct(block.output).rowwise().sum();
    MatrixXd ofKappa = ofOutput * prompt.valueAndOne.topRows(keys).leftCols(prompt.valueDim()).transpose();
    ofKappa.colwise() -= along;
    ofKappa.array().colwise() /= block.mass.array();
    ofKappa = ofKappa.cwiseProduct(block.visible);

    const MatrixXd ofQuery =
        map.slopesOfInputs(block.query.z, block.query.sharpness, block.query.values, ofKappa * key.values);
    const MatrixXd ofKey =
        map.slopesOfInputs(key.z, key.sharpness, key.values, ofKappa.transpose() * block.query.values);
    slopes.query.noalias() += ofQuery.transpose() * block.input;
    slopes.key.noalias() += ofKey.transpose() * prompt.key.topRows(keys);
}

}  // namespace dimscope::analysis
