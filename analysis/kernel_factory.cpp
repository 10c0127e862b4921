// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/grouping.h"
#include "analysis/other_kernels.h"
#include "analysis/parameter_reader.h"
#include "analysis/warning_list.h"
#include "kernels/attention_math.h"
#include "kernels/error.h"
#include "kernels/kernel_catalog.h"
#include "kernels/random_features.h"

namespace dimscope::analysis {
namespace {

using kernels::ParameterArray;

std::vector<int> integers(const std::vector<double>& values) {
    std::vector<int> out;
    for (const double v : values) out.push_back(static_cast<int>(std::lround(v)));
    return out;
}

kernels::Performer::Shift performerShift(const ParameterReader* file, const KernelRequest& r) {
    using Shift = kernels::Performer::Shift;
    return chosen(file, r, "shift") == "projection" ? Shift::Projection : Shift::LogFeature;
}

kernels::KernelSpec performerFrom(const ParameterReader& file, const KernelRequest& r) {
    const ParameterArray& w = file.require("w", {-1, r.heads(), -1, r.d()});
    const Index block = w.shape[2] * r.d();
    const Index offset = (file.seedEntry(w, r.seed) * r.heads() + r.head.value) * block;
    kernels::Performer spec;
    spec.projection = std::make_shared<kernels::Matrix<double>>(w.shape[2], r.d(), arrayPart(w, offset, block));
    spec.epsilon = file.number("eps", r.setting("epsilon"));
    spec.shift = performerShift(&file, r);
    return spec;
}

/// One draw per layer, in either SpectraFormer kernel.
template <class Spec>
void readFastFood(const ParameterReader& file, const KernelRequest& r, Spec& spec) {
    const auto row = [&](const char* name) {
        const ParameterArray& array = file.require(name, {-1, r.d()});
        return arrayPart(array, file.seedEntry(array, r.seed) * r.d(), r.d());
    };
    spec.b = std::make_shared<std::vector<double>>(row("b"));
    spec.g = std::make_shared<std::vector<double>>(row("g"));
    spec.s = std::make_shared<std::vector<double>>(row("s"));
    spec.permutation = std::make_shared<std::vector<int>>(integers(row("perm")));
}

double calibratedPhi(const ParameterReader* file, const KernelRequest& r) {
    if (!file || (!file->find("a") && r.settings.isGiven(r.kernel, "phi"))) return r.setting("phi");
    return file->require("a", {r.heads()}).values[static_cast<std::size_t>(r.head.value)];
}

/// Statistic, scaling and constants of the SpectraFormer of the published code.
void finish(const ParameterReader* file, const KernelRequest& r, kernels::SpectraFormer& spec) {
    using kernels::SpectraFormer;
    spec.epsilon = file ? file->number("eps", r.setting("epsilon")) : r.setting("epsilon");
    const std::string statistic = chosen(file, r, "statistic");
    if (statistic == "sequence") spec.statistic = SpectraFormer::Statistic::Sequence;
    if (statistic == "calibrated") spec.statistic = SpectraFormer::Statistic::Calibrated;
    if (chosen(file, r, "scaling") == "single") spec.scaling = SpectraFormer::Scaling::Single;
    if (spec.statistic == SpectraFormer::Statistic::Calibrated) spec.phi = calibratedPhi(file, r);
}

/// The same for the estimator.
void finish(const ParameterReader* file, const KernelRequest& r, kernels::SpectraFormerUnbiased& spec) {
    if (chosen(file, r, "statistic") != "calibrated") return;
    spec.statistic = kernels::SpectraFormerUnbiased::Statistic::Calibrated;
    spec.phi = calibratedPhi(file, r);
}

template <class Spec>
kernels::KernelSpec fastFoodFrom(const ParameterReader& file, const KernelRequest& r) {
    Spec spec;
    readFastFood(file, r, spec);
    finish(&file, r, spec);
    return spec;
}

kernels::DiJiang::Orientation orientation(const ParameterReader* file, const KernelRequest& r) {
    using Orientation = kernels::DiJiang::Orientation;
    return chosen(file, r, "orientation") == "inverse" ? Orientation::Inverse : Orientation::Forward;
}

kernels::KernelSpec diJiangFrom(const ParameterReader& file, const KernelRequest& r) {
    kernels::DiJiang spec;
    const ParameterArray& t = file.require("t", {-1, r.d()});
    spec.t = std::make_shared<std::vector<double>>(arrayPart(t, file.seedEntry(t, r.seed) * r.d(), r.d()));
    if (const ParameterArray* theta = file.find("theta")) {
        const bool perSeed = theta->shape.size() == 3;
        file.check("theta", *theta,
                   perSeed ? std::vector<Index>{-1, r.heads(), r.d()} : std::vector<Index>{r.heads(), r.d()});
        const Index seed = perSeed ? file.seedEntry(*theta, r.seed) : 0;
        spec.theta =
            std::make_shared<std::vector<double>>(arrayPart(*theta, (seed * r.heads() + r.head.value) * r.d(), r.d()));
    }
    spec.orientation = orientation(&file, r);
    return spec;
}

kernels::KernelSpec oalFrom(const ParameterReader& file, const KernelRequest& r) {
    const ParameterArray& label = file.require("label", {r.heads(), r.d()});
    const ParameterArray& factor = file.require("l", {r.heads(), -1});
    kernels::Oal spec;
    spec.label = integers(arrayPart(label, r.head.value * r.d(), r.d()));
    const int largest = *std::max_element(spec.label.begin(), spec.label.end());
    spec.groups = largest + 1;
    if (file.find("groups"))
        spec.groups =
            static_cast<int>(file.require("groups", {r.heads()}).values[static_cast<std::size_t>(r.head.value)]);
    const int length = spec.groups >= 1 ? kernels::packedLength(spec.groups + 1) : 0;
    if (spec.groups <= largest || length > factor.shape[1])
        file.refuse(fmt::format("head {}: {} groups need labels 0..{} and {} factors; there is label {} and {} factors",
                                r.head.value, spec.groups, spec.groups - 1, length, largest, factor.shape[1]));
    spec.factor = arrayPart(factor, r.head.value * factor.shape[1], length);
    spec.epsilon = file.number("eps", r.setting("epsilon"));
    return spec;
}

kernels::KernelSpec globalFrom(const ParameterReader& file, const KernelRequest& r) {
    const ParameterArray& l = file.require("l", {r.heads(), 3});
    kernels::GlobalQuadratic spec;
    std::copy_n(l.values.begin() + r.head.value * 3, 3, spec.factor.begin());
    spec.epsilon = file.number("eps", r.setting("epsilon"));
    return spec;
}

kernels::KernelSpec taylorShiftFrom(const ParameterReader& file, const KernelRequest& r) {
    kernels::TaylorShift spec{r.setting("tau")};
    if (file.find("tau")) spec.tau = file.require("tau", {r.heads()}).values[static_cast<std::size_t>(r.head.value)];
    return spec;
}

/// Packed (l00, l10, l11) with eps + |L^T (1, s)|^2 = 1 + s + s^2/2 exactly (section 5.3); needs eps <= 1/2.
std::array<double, 3> taylorFactor(double epsilon) {
    const double l00 = std::sqrt(1.0 - epsilon);
    const double l10 = 0.5 / l00;
    return {l00, l10, std::sqrt(0.5 - l10 * l10)};
}

/// The Taylor start embedded in G groups: every group's row is (l10, l11, 0, ..), so the kernel equals taylor.
kernels::Oal taylorOal(std::vector<int> label, double epsilon) {
    kernels::Oal spec;
    spec.groups = *std::max_element(label.begin(), label.end()) + 1;
    spec.label = std::move(label);
    spec.epsilon = epsilon;
    spec.factor.assign(static_cast<std::size_t>(kernels::packedLength(spec.groups + 1)), 0.0);
    const std::array<double, 3> start = taylorFactor(epsilon);
    spec.factor[0] = start[0];
    for (int g = 1; g <= spec.groups; ++g) {
        spec.factor[static_cast<std::size_t>(kernels::packedIndex(g, 0))] = start[1];
        spec.factor[static_cast<std::size_t>(kernels::packedIndex(g, 1))] = start[2];
    }
    return spec;
}

template <class Spec>
kernels::KernelSpec drawnFastFood(const KernelRequest& r) {
    kernels::FastFoodDraw draw = kernels::fastFoodDraw(static_cast<int>(r.d()), r.key(), r.layer.layer.value);
    Spec spec;
    spec.b = std::make_shared<std::vector<double>>(std::move(draw.b));
    spec.g = std::make_shared<std::vector<double>>(std::move(draw.g));
    spec.s = std::make_shared<std::vector<double>>(std::move(draw.s));
    spec.permutation = std::make_shared<std::vector<int>>(std::move(draw.permutation));
    finish(nullptr, r, spec);
    return spec;
}

kernels::KernelSpec drawnPerformer(const KernelRequest& r) {
    kernels::Performer spec;
    spec.projection = std::make_shared<kernels::Matrix<double>>(kernels::performerProjection(
        r.wholeSetting("features"), static_cast<int>(r.d()), r.key(), r.layer.layer.value, r.head.value));
    spec.epsilon = r.setting("epsilon");
    spec.shift = performerShift(nullptr, r);
    return spec;
}

kernels::KernelSpec drawnDiJiang(const KernelRequest& r) {
    kernels::DiJiang spec;
    spec.t = std::make_shared<std::vector<double>>(
        kernels::diJiangDraw(static_cast<int>(r.d()), r.key(), r.layer.layer.value));
    spec.orientation = orientation(nullptr, r);
    return spec;
}

kernels::KernelSpec readFrom(const ParameterReader& file, const std::string& kernel, const KernelRequest& request) {
    if (kernel == "performer") return performerFrom(file, request);
    if (kernel == "spectraformer") return fastFoodFrom<kernels::SpectraFormer>(file, request);
    if (kernel == "spectraformer_unbiased") return fastFoodFrom<kernels::SpectraFormerUnbiased>(file, request);
    if (kernel == "dijiang") return diJiangFrom(file, request);
    if (kernel == "taylorshift") return taylorShiftFrom(file, request);
    if (kernel == "global") return globalFrom(file, request);
    return oalFrom(file, request);
}

}  // namespace

std::string parameterGroupName(const std::string& kernel) { return kernel == "zeros_sm" ? "zeros" : kernel; }

KernelFactory::KernelFactory(KernelSettings settings, std::shared_ptr<const kernels::ParameterSet> parameters)
    : settings_(std::move(settings)), parameters_(std::move(parameters)) {}

void KernelFactory::setGroups(LayerIndex layer, HeadIndex head, std::vector<int> labels) {
    groups_[{layer, head}] = std::move(labels);
}

void KernelFactory::setGroups(const GroupingResult& grouping) {
    for (const HeadGrouping& head : grouping.heads)
        if (head.usable) setGroups(head.layer, head.head, head.labels());
}

const kernels::ParameterGroup* KernelFactory::group(const std::string& name, LayerIndex layer) const {
    if (!parameters_) return nullptr;
    const auto found = parameters_->layers.find(layer);
    if (found == parameters_->layers.end()) return nullptr;
    const auto kernel = found->second.find(parameterGroupName(name));
    return kernel == found->second.end() ? nullptr : &kernel->second;
}

int KernelFactory::drawCount(const std::string& kernel, int seeds) const {
    const kernels::KernelDescriptor* descriptor = kernels::findKernel(kernel);
    return descriptor && descriptor->hasDraw ? seeds : 1;
}

std::string KernelFactory::origin(const std::string& kernel, LayerIndex layer) const {
    const kernels::KernelDescriptor* descriptor = kernels::findKernel(kernel);
    if (!descriptor || (!descriptor->trained && !descriptor->hasDraw)) return "none";
    return group(kernel, layer) ? "file" : "start";
}

int KernelFactory::drawsInFile(const std::string& kernel, LayerIndex layer) const {
    const kernels::KernelDescriptor* descriptor = kernels::findKernel(kernel);
    const kernels::ParameterGroup* found = descriptor && descriptor->hasDraw ? group(kernel, layer) : nullptr;
    if (found == nullptr) return 0;
    for (const char* drawn : {"w", "b", "t", "s1"})
        if (const auto array = found->arrays.find(drawn); array != found->arrays.end() && !array->second.shape.empty())
            return static_cast<int>(array->second.shape.front());
    return 0;
}

kernels::KernelSpec KernelFactory::make(const std::string& kernel, const LayerInfo& layer, HeadIndex head, int seed,
                                        std::vector<Warning>& warnings) const {
    const KernelRequest request{kernel, settings_, layer, head, seed};
    if (!kernels::findKernel(kernel)) throw kernels::ArgumentError(fmt::format("unknown kernel '{}'", kernel));
    if (kernel == "softmax") return kernels::Softmax{};
    if (kernel == "taylor") return kernels::Taylor{};
    if (kernel == "uniform") return kernels::Uniform{};
    if (kernel == "zero") return kernels::Zero{};
    if (kernel == "first_value") return kernels::FirstValue{};
    std::optional<ParameterReader> file;
    if (const kernels::ParameterGroup* found = group(kernel, layer.layer)) {
        file.emplace(parameters_->name, layer.layer, parameterGroupName(kernel), *found);
        warnAboutOverridden(*file, request, warnings);
    } else {
        warnAboutStart(kernel, layer.layer, warnings);
    }
    if (const auto spec = otherKernel(kernel, file ? &*file : nullptr, request)) return *spec;
    return file ? readFrom(*file, kernel, request) : startOf(kernel, request);
}

void KernelFactory::warnAboutStart(const std::string& kernel, LayerIndex layer, std::vector<Warning>& warnings) const {
    const kernels::KernelDescriptor& descriptor = *kernels::findKernel(kernel);
    if (!parameters_ || (!descriptor.trained && !descriptor.hasDraw)) return;
    const Warning missing{"default-parameters", fmt::format("layer {} {}", layer.value, kernel),
                          fmt::format("{} holds no parameters for it; the untrained start is used", parameters_->name)};
    addOnce(missing, warnings);
}

void KernelFactory::warnAboutOverridden(const ParameterReader& file, const KernelRequest& request,
                                        std::vector<Warning>& warnings) const {
    for (const KernelSettings::Entry& entry : settings_.given()) {
        if (entry.kernel != request.kernel) continue;
        const std::string& stored = kernels::findParameter(entry.kernel, entry.parameter)->inFile;
        if (!file.holds(stored.empty() ? entry.parameter : stored)) continue;
        const Warning overridden{
            "setting-overridden", fmt::format("layer {} {}", request.layer.layer.value, request.kernel),
            fmt::format("{} is not used: {} holds its own", settingText(entry), parameters_->name)};
        addOnce(overridden, warnings);
    }
}

kernels::KernelSpec KernelFactory::startOf(const std::string& kernel, const KernelRequest& request) const {
    if (kernel == "performer") return drawnPerformer(request);
    if (kernel == "spectraformer") return drawnFastFood<kernels::SpectraFormer>(request);
    if (kernel == "spectraformer_unbiased") return drawnFastFood<kernels::SpectraFormerUnbiased>(request);
    if (kernel == "dijiang") return drawnDiJiang(request);
    if (kernel == "taylorshift") return kernels::TaylorShift{request.setting("tau")};
    const double epsilon = request.setting("epsilon");
    if (kernel == "global") return kernels::GlobalQuadratic{taylorFactor(epsilon), epsilon};
    const auto labels = groups_.find({request.layer.layer, request.head});
    const auto dim = static_cast<std::size_t>(request.d());
    return taylorOal(labels != groups_.end() ? labels->second : std::vector<int>(dim, 0), epsilon);
}

}  // namespace dimscope::analysis
