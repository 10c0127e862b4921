// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/head_source.h"
#include "analysis/kernel_settings.h"
#include "kernels/kernel_spec.h"
#include "kernels/parameter_set.h"

namespace dimscope::analysis {

class ParameterReader;
struct GroupingResult;
struct KernelRequest;

/// Name of a kernel's group in a parameter file.
std::string parameterGroupName(const std::string& kernel);

/// Makes the kernel of one head: draws keyed by (seed, layer, head), parameters of a file where it has them,
/// the stated start with the settings otherwise. The file wins over a setting, because it was made for exactly this
/// layer and what it holds fits together; a warning says so. Same arguments give the same kernel on every backend and
/// thread count.
class KernelFactory {
public:
    explicit KernelFactory(KernelSettings settings = {},
                           std::shared_ptr<const kernels::ParameterSet> parameters = nullptr);

    const KernelSettings& settings() const { return settings_; }
    /// Group labels used by "oal" where the parameter file has none: from the dump's own grouping.
    void setGroups(LayerIndex layer, HeadIndex head, std::vector<int> labels);
    /// The same of every usable head of a grouping.
    void setGroups(const GroupingResult& grouping);

    /// Number of different kernels over `seeds` (1 for a kernel without a draw).
    int drawCount(const std::string& kernel, int seeds) const;
    /// Draws of a random kernel that the parameter file holds for a layer; 0: none.
    int drawsInFile(const std::string& kernel, LayerIndex layer) const;
    /// `seed`: with a parameter file that has draws, entry of its S axis; else the seed of the draw.
    /// Throws ArgumentError (unknown name, no such seed), ShapeError (parameters that do not fit the layer or a
    /// head dimension that the kernel cannot have).
    kernels::KernelSpec make(const std::string& kernel, const LayerInfo& layer, HeadIndex head, int seed,
                             std::vector<Warning>& warnings) const;
    /// "file", "start", "none": where the parameters of a kernel come from in a layer.
    std::string origin(const std::string& kernel, LayerIndex layer) const;
    /// Null without a parameter file.
    const std::shared_ptr<const kernels::ParameterSet>& parameters() const { return parameters_; }

private:
    const kernels::ParameterGroup* group(const std::string& name, LayerIndex layer) const;
    void warnAboutStart(const std::string& kernel, LayerIndex layer, std::vector<Warning>& warnings) const;
    void warnAboutOverridden(const ParameterReader& file, const KernelRequest& request,
                             std::vector<Warning>& warnings) const;
    kernels::KernelSpec startOf(const std::string& kernel, const KernelRequest& request) const;
    KernelSettings settings_;
    std::shared_ptr<const kernels::ParameterSet> parameters_;
    std::map<std::pair<LayerIndex, HeadIndex>, std::vector<int>> groups_;
};

}  // namespace dimscope::analysis
