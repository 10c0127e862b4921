// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/head_source.h"
#include "analysis/kernel_settings.h"
#include "kernels/parameter_set.h"

namespace dimscope::analysis {

/// What a kernel is made for, and with which settings.
struct KernelRequest {
    const std::string& kernel;
    const KernelSettings& settings;
    const LayerInfo& layer;
    HeadIndex head;
    int seed;
    double setting(const char* parameter) const { return settings.value(kernel, parameter); }
    int wholeSetting(const char* parameter) const { return static_cast<int>(setting(parameter)); }
    Index d() const { return layer.headDim; }
    Index heads() const { return layer.nHeads; }
    std::uint64_t key() const { return static_cast<std::uint64_t>(seed); }
};

/// Arrays and attributes of one kernel in one layer of a parameter file, read with their expected shapes. The group
/// outlives it.
class ParameterReader {
public:
    ParameterReader(const std::string& file, LayerIndex layer, const std::string& kernel,
                    const kernels::ParameterGroup& group);

    /// Null where there is none.
    const kernels::ParameterArray* find(const std::string& name) const;
    /// Throws ShapeError where it is missing or has another shape; -1 stands for any size.
    const kernels::ParameterArray& require(const std::string& name, const std::vector<Index>& shape) const;
    void check(const std::string& name, const kernels::ParameterArray& array, const std::vector<Index>& shape) const;
    double number(const std::string& name, double otherwise) const;
    /// An attribute that must be whole.
    int integer(const std::string& name, int otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    /// Whether it holds an array or attribute of this name.
    bool holds(const std::string& name) const;
    [[noreturn]] void refuse(const std::string& why) const;
    /// Entry of the leading seed axis.
    Index seedEntry(const kernels::ParameterArray& array, int seed) const;

private:
    std::string place_;
    const kernels::ParameterGroup& group_;
};

/// The choice that the attribute `parameter` of the file makes, else the settings. Throws ShapeError for one that the
/// catalogue does not know.
std::string chosen(const ParameterReader* file, const KernelRequest& request, const char* parameter);

/// `count` values of an array from `offset` on.
std::vector<double> arrayPart(const kernels::ParameterArray& array, Index offset, Index count);

}  // namespace dimscope::analysis
