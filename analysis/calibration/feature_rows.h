// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "analysis/calibration/feature_map.h"
#include "kernels/run_control.h"

namespace dimscope::analysis {

/// Query rows of one head of one prompt, with what a fit compares them with; the tensors outlive it.
struct FeatureRows {
    const PromptTensors* prompt = nullptr;
    Eigen::VectorXd sharpness;         ///< (positions) of FeatureMap::sharpness, or empty
    std::vector<kernels::Index> rows;  ///< ascending
    Eigen::MatrixXd exact;             ///< (rows, value_dim)
};

/// Rows that see no key, or whose exact output is not finite, are left out. Throws Cancelled.
FeatureRows featureRows(const FeatureMap& map, const PromptTensors& prompt, std::span<const kernels::Index> rows,
                        const kernels::RunControl& control);

/// Sum of squared errors over rows and value coordinates; infinite where a denominator is not positive.
double squaredError(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows);

/// Adds the derivative of the squared error of some rows (their ordinals) with respect to the maps. Costs about three
/// evaluations of those rows and of the features of every key before the last.
void addSlopes(const FeatureMap& map, const FeatureMap::Maps& maps, const FeatureRows& rows,
               std::span<const std::size_t> chosen, FeatureMap::Maps& slopes);

}  // namespace dimscope::analysis
