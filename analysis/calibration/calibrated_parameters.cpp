// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include "analysis/calibration/calibration.h"
#include "kernels/error.h"

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

/// One kernel of all heads of a layer; a fitted head tells which.
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
    /// One draw per layer; where only some heads were fitted, the others have those parameters too.
    ParameterGroup operator()(const kernels::SpectraFormer& first) const {
        using kernels::SpectraFormer;
        ParameterGroup group;
        group.arrays["b"] = paddedRows({*first.b});
        group.arrays["g"] = paddedRows({*first.g});
        group.arrays["s"] = paddedRows({*first.s});
        group.arrays["perm"] = paddedRows({Row(first.permutation->begin(), first.permutation->end())});
        const bool single = first.scaling == SpectraFormer::Scaling::Single;
        group.attributes["scaling"] = std::string(single ? "single" : "upstream");
        group.attributes["eps"] = first.epsilon;
        group.attributes["statistic"] = std::string("position");
        if (first.statistic == SpectraFormer::Statistic::Sequence)
            group.attributes["statistic"] = std::string("sequence");
        if (first.statistic == SpectraFormer::Statistic::Calibrated) {
            group.attributes["statistic"] = std::string("calibrated");
            group.arrays["a"] = oneEach(partsOf<SpectraFormer>(heads, [](const auto& spec) { return spec.phi; }));
        }
        return group;
    }
    ParameterGroup operator()(const kernels::Hedgehog& first) const {
        using kernels::Hedgehog;
        ParameterGroup group;
        group.arrays["w_q"] = maps(&Hedgehog::query);
        group.arrays["w_k"] = maps(&Hedgehog::key);
        const bool fla = first.variant == Hedgehog::Variant::Fla;
        group.attributes["variant"] = std::string(fla ? "fla" : "lolcats");
        return group;
    }
    ParameterGroup operator()(const kernels::ZerosSm&) const { return gates<kernels::ZerosSm>(); }
    ParameterGroup operator()(const kernels::LinearZeros&) const {
        using kernels::LinearZeros;
        ParameterGroup group = gates<LinearZeros>();
        group.arrays["mu"] = paddedRows(partsOf<LinearZeros>(heads, [this](const LinearZeros& spec) {
            return spec.mu ? *spec.mu : Row(static_cast<std::size_t>(headDim), 0.0);
        }));
        group.arrays["tau"] = oneEach(partsOf<LinearZeros>(heads, [](const LinearZeros& spec) { return spec.tau; }));
        return group;
    }
    ParameterGroup operator()(const kernels::RetNet&) const {
        ParameterGroup group;
        group.arrays["scale"] =
            oneEach(partsOf<kernels::RetNet>(heads, [](const kernels::RetNet& spec) { return spec.scale; }));
        return group;
    }
    template <class Other>
    ParameterGroup operator()(const Other&) const {
        return {};
    }

private:
    template <class Spec>
    ParameterGroup gates() const {
        ParameterGroup group;
        group.arrays["sigma1"] = oneEach(partsOf<Spec>(heads, [](const Spec& spec) { return spec.sigma1; }));
        group.arrays["sigmah"] = oneEach(partsOf<Spec>(heads, [](const Spec& spec) { return spec.sigmah; }));
        group.arrays["sigma0"] = oneEach(partsOf<Spec>(heads, [](const Spec& spec) { return spec.sigma0; }));
        return group;
    }
    /// [Hq, D, D], the identity where a head has no map.
    ParameterArray maps(std::shared_ptr<const kernels::Matrix<double>> kernels::Hedgehog::*map) const {
        ParameterArray array{{static_cast<Index>(heads.size()), headDim, headDim}, {}};
        for (const KernelSpec& spec : heads) {
            const auto& matrix = std::get<kernels::Hedgehog>(spec).*map;
            for (Index r = 0; r < headDim; ++r)
                for (Index c = 0; c < headDim; ++c)
                    array.values.push_back(matrix ? (*matrix)(r, c) : (r == c ? 1.0 : 0.0));
        }
        return array;
    }
};

/// The head that stands for its layer where parameters are one set per layer.
const KernelSpec& firstFitted(const CalibrationResult& result, LayerIndex layer, const std::string& kernel) {
    for (const KernelFit& fit : result.fits)
        if (fit.layer == layer && fit.kernel == kernel) return fit.spec;
    throw kernels::ArgumentError("layer " + std::to_string(layer.value) + " has no fit of " + kernel);
}

/// Gates of all heads; 1 where none was fitted.
void addExactPart(const CalibrationResult& result, LayerIndex layer, const std::string& kernel, int heads,
                  ParameterGroup& group) {
    std::vector<double> gates;
    for (int h = 0; h < heads; ++h) {
        const KernelFit* fit = result.find(layer, HeadIndex{h}, kernel);
        gates.push_back(fit && fit->gate ? *fit->gate : 1.0);
    }
    group.arrays["gate"] = oneEach(gates);
    group.attributes["exact_first"] = static_cast<double>(result.params.exactPart.first);
    group.attributes["exact_window"] = static_cast<double>(result.params.exactPart.window);
}

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
        ParameterGroup& group = set.layers[layer][parameterGroupName(kernel)];
        group = std::visit(GroupOfHeads{heads, shape.headDim}, firstFitted(result, layer, kernel));
        if (!result.params.exactPart.empty()) addExactPart(result, layer, kernel, shape.nHeads, group);
    }
    return set;
}

}  // namespace dimscope::analysis
