// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/other_kernels.h"

#include <cmath>

#include "kernels/random_features.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::Matrix;
using kernels::ParameterArray;

/// The matrix of one seed and head in [S, Hq, rows, cols].
std::shared_ptr<const Matrix<double>> drawnMatrix(const ParameterReader& file, const ParameterArray& array,
                                                  const KernelRequest& r) {
    const Index rows = array.shape[2], cols = array.shape[3];
    const Index offset = (file.seedEntry(array, r.seed) * r.heads() + r.head.value) * rows * cols;
    return std::make_shared<Matrix<double>>(rows, cols, arrayPart(array, offset, rows * cols));
}

/// The head's row of an optional [Hq, D]; null without it.
std::shared_ptr<const std::vector<double>> headRow(const ParameterReader* file, const char* name,
                                                   const KernelRequest& r) {
    if (!file || !file->find(name)) return nullptr;
    const ParameterArray& array = file->require(name, {r.heads(), r.d()});
    return std::make_shared<std::vector<double>>(arrayPart(array, r.head.value * r.d(), r.d()));
}

/// The head's entry of [Hq].
double requiredNumber(const ParameterReader& file, const char* name, const KernelRequest& r) {
    return file.require(name, {r.heads()}).values[static_cast<std::size_t>(r.head.value)];
}

/// The head's entry of an optional [Hq], else the setting of the same name.
double headNumber(const ParameterReader* file, const char* name, const KernelRequest& r) {
    return file && file->find(name) ? requiredNumber(*file, name, r) : r.setting(name);
}

/// An attribute of the file, else the setting of the same name.
double number(const ParameterReader* file, const char* name, const KernelRequest& r) {
    return file ? file->number(name, r.setting(name)) : r.setting(name);
}

int integer(const ParameterReader* file, const char* name, const KernelRequest& r) {
    return file ? file->integer(name, r.wholeSetting(name)) : r.wholeSetting(name);
}

/// A file that holds the group holds both gates.
double gate(const ParameterReader* file, const char* name, const KernelRequest& r) {
    return file ? requiredNumber(*file, name, r) : r.setting(name);
}

KernelSpec zerosSm(const ParameterReader* file, const KernelRequest& r) {
    return kernels::ZerosSm{gate(file, "sigma1", r), gate(file, "sigmah", r), headNumber(file, "sigma0", r)};
}

KernelSpec linearZeros(const ParameterReader* file, const KernelRequest& r) {
    return kernels::LinearZeros{gate(file, "sigma1", r), gate(file, "sigmah", r), headNumber(file, "sigma0", r),
                                headRow(file, "mu", r), headNumber(file, "tau", r)};
}

KernelSpec cosFormer(const ParameterReader* file, const KernelRequest& r) {
    return kernels::CosFormer{number(file, "m", r)};
}

KernelSpec rfa(const ParameterReader* file, const KernelRequest& r) {
    kernels::Rfa spec;
    spec.floor = number(file, "floor", r);
    if (file)
        spec.projection = drawnMatrix(*file, file->require("w", {-1, r.heads(), -1, r.d()}), r);
    else
        spec.projection = std::make_shared<Matrix<double>>(kernels::rfaProjection(
            r.wholeSetting("features"), static_cast<int>(r.d()), r.key(), r.layer.layer.value, r.head.value));
    return spec;
}

KernelSpec hedgehog(const ParameterReader* file, const KernelRequest& r) {
    using Variant = kernels::Hedgehog::Variant;
    kernels::Hedgehog spec;
    spec.variant = chosen(file, r, "variant") == "fla" ? Variant::Fla : Variant::Lolcats;
    if (!file) return spec;
    const auto map = [&](const char* name) -> std::shared_ptr<const Matrix<double>> {
        if (!file->find(name)) return nullptr;
        const ParameterArray& array = file->require(name, {r.heads(), r.d(), r.d()});
        const Index size = r.d() * r.d();
        return std::make_shared<Matrix<double>>(r.d(), r.d(), arrayPart(array, r.head.value * size, size));
    };
    const auto shared = map("w");
    spec.query = file->find("w_q") ? map("w_q") : shared;
    spec.key = file->find("w_k") ? map("w_k") : shared;
    return spec;
}

KernelSpec reBased(const ParameterReader* file, const KernelRequest& r) {
    return kernels::ReBased{headRow(file, "gamma", r), headRow(file, "beta", r)};
}

KernelSpec power(const ParameterReader* file, const KernelRequest& r) { return kernels::Power{integer(file, "p", r)}; }

KernelSpec polySketch(const ParameterReader* file, const KernelRequest& r) {
    kernels::PolySketch spec;
    if (file) {
        const ParameterArray& s1 = file->require("s1", {-1, r.heads(), r.d(), -1});
        const ParameterArray& s2 = file->require("s2", s1.shape);
        spec.s1 = drawnMatrix(*file, s1, r);
        spec.s2 = drawnMatrix(*file, s2, r);
        return spec;
    }
    kernels::SketchDraw draw = kernels::polySketchDraw(static_cast<int>(r.d()), r.wholeSetting("r"), r.key(),
                                                       r.layer.layer.value, r.head.value);
    spec.s1 = std::make_shared<Matrix<double>>(std::move(draw.s1));
    spec.s2 = std::make_shared<Matrix<double>>(std::move(draw.s2));
    return spec;
}

KernelSpec lolcats(const ParameterReader* file, const KernelRequest& r) {
    return kernels::Lolcats{integer(file, "window", r), number(file, "sigma", r)};
}

/// gamma_h = 1 - 2^(-5 - h) by query head number.
KernelSpec retNet(const ParameterReader* file, const KernelRequest& r) {
    return kernels::RetNet{1.0 - std::exp2(-5.0 - r.head.value), headNumber(file, "scale", r)};
}

}  // namespace

std::optional<KernelSpec> otherKernel(const std::string& kernel, const ParameterReader* file,
                                      const KernelRequest& request) {
    if (kernel == "elu") return kernels::Elu{};
    if (kernel == "based") return kernels::Based{};
    if (kernel == "zeros_sm") return zerosSm(file, request);
    if (kernel == "linear_zeros") return linearZeros(file, request);
    if (kernel == "cosformer") return cosFormer(file, request);
    if (kernel == "rfa") return rfa(file, request);
    if (kernel == "hedgehog") return hedgehog(file, request);
    if (kernel == "rebased") return reBased(file, request);
    if (kernel == "power") return power(file, request);
    if (kernel == "polysketch") return polySketch(file, request);
    if (kernel == "lolcats") return lolcats(file, request);
    if (kernel == "retnet") return retNet(file, request);
    return std::nullopt;
}

}  // namespace dimscope::analysis
