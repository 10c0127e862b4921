// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "analysis/calibration/prompt_tensors.h"
#include "kernels/kernel_spec.h"

namespace dimscope::analysis {

/// kappa_ij = a(P_q q_i).a(P_k k_j): a fixed function of learned linear maps. Key features change with the parameters,
/// so unlike a LinearKernel nothing about keys and values can be summed beforehand.
class FeatureMap {
public:
    /// (outputs, head_dim) each; the same one twice where queries and keys share it.
    struct Maps {
        Eigen::MatrixXd query, key;
    };
    virtual ~FeatureMap() = default;
    virtual kernels::Index parameters() const = 0;
    virtual Maps maps(const Eigen::VectorXd& theta) const = 0;
    /// Derivative of a loss with respect to theta from that with respect to the maps.
    virtual Eigen::VectorXd slopes(const Eigen::VectorXd& theta, const Maps& ofMaps) const = 0;
    /// What the features of a position depend on beside z: (rows), or empty.
    virtual Eigen::VectorXd sharpness(const PromptTensors& prompt) const = 0;
    /// (rows, features) of z, (rows, outputs).
    virtual Eigen::MatrixXd features(const Eigen::MatrixXd& z, const Eigen::VectorXd& sharpness) const = 0;
    /// Derivative of a loss with respect to z from that with respect to the features.
    virtual Eigen::MatrixXd slopesOfInputs(const Eigen::MatrixXd& z, const Eigen::VectorXd& sharpness,
                                           const Eigen::MatrixXd& features,
                                           const Eigen::MatrixXd& ofFeatures) const = 0;
};

/// theta = (B, G, S), one set for queries and keys (section 2.2); `scale` is that of the logit.
std::unique_ptr<FeatureMap> spectraFormerMap(const kernels::SpectraFormer& spec, double scale);
Eigen::VectorXd spectraFormerParameters(const kernels::SpectraFormer& spec);
kernels::SpectraFormer withParameters(kernels::SpectraFormer spec, const Eigen::VectorXd& theta);

/// theta = (w_q, w_k), each row by row (section 9).
std::unique_ptr<FeatureMap> hedgehogMap(const kernels::Hedgehog& spec, kernels::Index headDim);
Eigen::VectorXd hedgehogParameters(const kernels::Hedgehog& spec, kernels::Index headDim);
kernels::Hedgehog withParameters(kernels::Hedgehog spec, const Eigen::VectorXd& theta, kernels::Index headDim);

}  // namespace dimscope::analysis
