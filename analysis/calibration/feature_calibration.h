// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/feature_rows.h"
#include "analysis/calibration/head_rows.h"
#include "analysis/calibration/parameter_fit.h"

namespace dimscope::analysis {

/// Kernels of learned maps: SpectraFormer, of which the query heads of a layer share one set of parameters, and
/// Hedgehog.
bool hasFeatureMap(const kernels::KernelSpec& spec);

/// One fit of heads that share their parameters: the mean of their errors is what it lowers.
class FeatureCalibration {
public:
    struct Member {
        HeadIndex head;
        kernels::KernelSpec untrained;  ///< of one kernel in all members, with the same parameters
        const std::vector<HeadRows>* prompts;
    };
    /// Throws Cancelled.
    FeatureCalibration(const CalibrationParams& params, const LayerInfo& layer, const std::vector<Member>& members,
                       const RunControl& control);

    /// By Adam. One entry per member: its own errors, an equal part of the seconds.
    std::vector<KernelFit> fit(FitProgress& progress) const;

    /// Mean over members of the mean squared error.
    double mse(const Eigen::VectorXd& theta, RowsPart part) const;
    /// Gradient of it over some training rows of one prompt, the same of every member.
    Eigen::VectorXd gradient(const Eigen::VectorXd& theta, std::size_t sequence,
                             const std::vector<std::size_t>& rows) const;
    std::vector<FitStart> starts() const;

private:
    struct Prepared {
        std::unique_ptr<FeatureMap> map;
        std::vector<FeatureRows> train, validation, evaluation;  // by prompt
        const std::vector<FeatureRows>& of(RowsPart part) const;
    };
    double mseOf(const Prepared& member, const Eigen::VectorXd& theta, RowsPart part) const;
    BatchProblem problem() const;
    KernelFit described(std::size_t member, const FitResult& found, double seconds) const;

    const CalibrationParams& params_;
    const LayerInfo& layer_;
    std::vector<Member> members_;
    std::vector<Prepared> prepared_;  // by member
    double secondsBefore_ = 0.0;      // to prepare the rows
};

}  // namespace dimscope::analysis
