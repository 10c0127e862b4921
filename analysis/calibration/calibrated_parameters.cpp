// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include "analysis/calibration/calibration.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::ParameterArray;
using kernels::ParameterGroup;

/// Rows of different length side by side, each filled up with zeros.
ParameterArray paddedRows(const std::vector<std::vector<double>>& rows) {
    std::size_t width = 0;
    for (const std::vector<double>& row : rows) width = std::max(width, row.size());
    ParameterArray array{{static_cast<Index>(rows.size()), static_cast<Index>(width)}, {}};
    for (std::vector<double> row : rows) {
        row.resize(width, 0.0);
        array.values.insert(array.values.end(), row.begin(), row.end());
    }
    return array;
}

ParameterArray oneEach(const std::vector<double>& values) { return {{static_cast<Index>(values.size())}, values}; }

template <class Spec, class Part>
auto partsOf(const std::vector<KernelSpec>& heads, Part part) {
    std::vector<decltype(part(std::declval<const Spec&>()))> parts;
    for (const KernelSpec& spec : heads) parts.push_back(part(std::get<Spec>(spec)));
    return parts;
}

using Row = std::vector<double>;

/// One kernel of all heads of a layer; the first head tells which.
struct GroupOfHeads {
    const std::vector<KernelSpec>& heads;
    Index headDim;

    ParameterGroup operator()(const kernels::GlobalQuadratic& first) const {
        ParameterGroup group;
        group.arrays["l"] = paddedRows(partsOf<kernels::GlobalQuadratic>(
            heads, [](const auto& spec) { return Row(spec.factor.begin(), spec.factor.end()); }));
        group.attributes["eps"] = first.epsilon;
        return group;
    }
    ParameterGroup operator()(const kernels::Oal& first) const {
        using kernels::Oal;
        ParameterGroup group;
        group.arrays["label"] =
            paddedRows(partsOf<Oal>(heads, [](const Oal& spec) { return Row(spec.label.begin(), spec.label.end()); }));
        group.arrays["l"] = paddedRows(partsOf<Oal>(heads, [](const Oal& spec) { return spec.factor; }));
        group.arrays["groups"] =
            oneEach(partsOf<Oal>(heads, [](const Oal& spec) { return static_cast<double>(spec.groups); }));
        group.attributes["eps"] = first.epsilon;
        return group;
    }
    ParameterGroup operator()(const kernels::TaylorShift&) const {
        ParameterGroup group;
        group.arrays["tau"] =
            oneEach(partsOf<kernels::TaylorShift>(heads, [](const kernels::TaylorShift& spec) { return spec.tau; }));
        return group;
    }
    ParameterGroup operator()(const kernels::DiJiang& first) const {
        using kernels::DiJiang;
        ParameterGroup group;
        group.arrays["t"] = paddedRows({*first.t});  // one draw per layer
        group.arrays["theta"] = paddedRows(partsOf<DiJiang>(heads, [this](const DiJiang& spec) {
            return spec.theta ? *spec.theta : Row(static_cast<std::size_t>(headDim), 0.0);
        }));
        const bool inverse = first.orientation == DiJiang::Orientation::Inverse;
        group.attributes["orientation"] = std::string(inverse ? "inverse" : "forward");
        return group;
    }
    template <class Other>
    ParameterGroup operator()(const Other&) const {
        return {};
    }
};

}  // namespace

kernels::ParameterSet calibratedParameters(const CalibrationResult& result, const KernelFactory& factory,
                                           const DumpInfo& info) {
    std::set<std::pair<LayerIndex, std::string>> fitted;
    for (const KernelFit& fit : result.fits) fitted.emplace(fit.layer, fit.kernel);
    kernels::ParameterSet set;
    std::vector<Warning> given;  // when the kernels were made for their fits
    for (const auto& [layer, kernel] : fitted) {
        const LayerInfo& shape = *info.find(layer);
        std::vector<KernelSpec> heads;
        for (int h = 0; h < shape.nHeads; ++h) {
            const KernelFit* fit = result.find(layer, HeadIndex{h}, kernel);
            heads.push_back(fit ? fit->spec : factory.make(kernel, shape, HeadIndex{h}, 0, given));
        }
        set.layers[layer][kernel] = std::visit(GroupOfHeads{heads, shape.headDim}, heads.front());
    }
    return set;
}

}  // namespace dimscope::analysis
