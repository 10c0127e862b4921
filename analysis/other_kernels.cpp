// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/other_kernels.h"

#include <cmath>

#include "kernels/random_features.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::Matrix;
using kernels::ParameterArray;

constexpr int kRfaRows = 64, kSketches = 16;  // as the published code has them

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

double headNumber(const ParameterReader* file, const char* name, const KernelRequest& r, double otherwise) {
    return file && file->find(name) ? requiredNumber(*file, name, r) : otherwise;
}

KernelSpec zerosSm(const ParameterReader* file, const KernelRequest& r) {
    if (!file) return kernels::ZerosSm{};
    return kernels::ZerosSm{requiredNumber(*file, "sigma1", r), requiredNumber(*file, "sigmah", r),
                            headNumber(file, "sigma0", r, 0.0)};
}

KernelSpec linearZeros(const ParameterReader* file, const KernelRequest& r) {
    if (!file) return kernels::LinearZeros{};
    return kernels::LinearZeros{requiredNumber(*file, "sigma1", r), requiredNumber(*file, "sigmah", r),
                                headNumber(file, "sigma0", r, 0.0), headRow(file, "mu", r),
                                headNumber(file, "tau", r, 0.0)};
}

KernelSpec cosFormer(const ParameterReader* file, const KernelRequest&) {
    kernels::CosFormer spec;
    if (file) spec.length = file->number("m", spec.length);
    return spec;
}

KernelSpec rfa(const ParameterReader* file, const KernelRequest& r) {
    kernels::Rfa spec;
    if (file) {
        spec.projection = drawnMatrix(*file, file->require("w", {-1, r.heads(), -1, r.d()}), r);
        spec.floor = file->number("floor", spec.floor);
        return spec;
    }
    spec.projection = std::make_shared<Matrix<double>>(
        kernels::rfaProjection(kRfaRows, static_cast<int>(r.d()), r.key(), r.layer.layer.value, r.head.value));
    return spec;
}

KernelSpec hedgehog(const ParameterReader* file, const KernelRequest& r) {
    kernels::Hedgehog spec;
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
    const std::string variant = file->text("variant", "lolcats");
    if (variant != "lolcats" && variant != "fla") file->refuse("variant '" + variant + "', expected lolcats or fla");
    spec.variant = variant == "fla" ? kernels::Hedgehog::Variant::Fla : kernels::Hedgehog::Variant::Lolcats;
    return spec;
}

KernelSpec reBased(const ParameterReader* file, const KernelRequest& r) {
    return kernels::ReBased{headRow(file, "gamma", r), headRow(file, "beta", r)};
}

KernelSpec power(const ParameterReader* file, const KernelRequest&) {
    kernels::Power spec;
    if (file) spec.exponent = file->integer("p", spec.exponent);
    return spec;
}

KernelSpec polySketch(const ParameterReader* file, const KernelRequest& r) {
    kernels::PolySketch spec;
    if (file) {
        const ParameterArray& s1 = file->require("s1", {-1, r.heads(), r.d(), -1});
        const ParameterArray& s2 = file->require("s2", s1.shape);
        spec.s1 = drawnMatrix(*file, s1, r);
        spec.s2 = drawnMatrix(*file, s2, r);
        return spec;
    }
    kernels::SketchDraw draw =
        kernels::polySketchDraw(static_cast<int>(r.d()), kSketches, r.key(), r.layer.layer.value, r.head.value);
    spec.s1 = std::make_shared<Matrix<double>>(std::move(draw.s1));
    spec.s2 = std::make_shared<Matrix<double>>(std::move(draw.s2));
    return spec;
}

KernelSpec lolcats(const ParameterReader* file, const KernelRequest&) {
    kernels::Lolcats spec;
    if (!file) return spec;
    spec.window = file->integer("window", static_cast<int>(spec.window));
    spec.sigma = file->number("sigma", spec.sigma);
    return spec;
}

/// gamma_h = 1 - 2^(-5 - h) by query head number.
KernelSpec retNet(const ParameterReader* file, const KernelRequest& r) {
    return kernels::RetNet{1.0 - std::exp2(-5.0 - r.head.value), headNumber(file, "scale", r, 1.0)};
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
