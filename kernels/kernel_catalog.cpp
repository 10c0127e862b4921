// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_catalog.h"

#include <array>

namespace dimscope::kernels {
namespace {

std::array<KernelDescriptor, 11> makeCatalog() {
    return {{
        {.name = "softmax",
         .title = "Softmax",
         .formula = "exp(scale q.k), normalised over the visible keys",
         .source = "exact attention; softcap and sink as the dump states them"},
        {.name = "performer",
         .title = "Performer",
         .formula = "E_w[exp(w.q' - |q'|^2/2) exp(w.k' - |k'|^2/2)], x' = sqrt(scale) x",
         .source = "Choromanski et al. 2021, FAVOR+ with orthogonal features",
         .parameters = {{"features", "Features m", 250, 1, 4096, true, "random features per head"},
                        {"epsilon", "Epsilon", 0, 0, 1e-2, false, "0: log domain, unbiased; 1e-6 and 1e-4: upstream"}},
         .hasDraw = true},
        {.name = "spectraformer",
         .title = "SpectraFormer",
         .formula =
             "sum_f phi_f(q) phi_f(k), phi_f = exp(B (z_f - max z)) + 1e-4, z FastFood projections and a constant",
         .source = "OPRF-FastFoodL as in the public SpectraFormer code",
         .parameters = {{"epsilon", "Epsilon", 1e-4, 0, 1e-2, false, "added to every feature"}},
         .hasDraw = true,
         .trained = true,
         .limits = "the head dimension must be a power of two"},
        {.name = "dijiang",
         .title = "DiJiang",
         .formula = "sum_f exp(2 theta_f) softmax_f(P^T q') softmax_f(P^T k'), P = DCT diag(t)",
         .source = "Chen et al. 2024, normalised, without decay",
         .hasDraw = true,
         .trained = true},
        {.name = "taylorshift",
         .title = "TaylorShift",
         .formula = "1 + s + s^2/2, s = tau cos(q, k)",
         .source = "Nauen et al. 2024",
         .parameters = {{"tau", "Temperature tau", 1, -100, 100, false, "one per head"}},
         .trained = true},
        {.name = "taylor",
         .title = "Taylor",
         .formula = "1 + s + s^2/2, s = scale q.k",
         .source = "second-order expansion of exp; the start of global and OAL"},
        {.name = "global",
         .title = "Global",
         .formula = "eps + |L^T (1, s)|^2, s = scale q.k",
         .source = "learned global quadratic",
         .parameters = {{"epsilon", "Epsilon", 1e-6, 0, 0.5, false, "floor of the kernel"}},
         .trained = true},
        {.name = "oal",
         .title = "OAL",
         .formula = "eps + |L^T (1, s_1, .., s_G)|^2, s_g = scale times the partial product of group g",
         .source = "outlier-aware attention linearization",
         .parameters = {{"epsilon", "Epsilon", 1e-6, 0, 0.5, false, "floor of the kernel"}},
         .trained = true},
        {.name = "uniform",
         .title = "Uniform",
         .formula = "1: the mean of the visible values",
         .source = "reference line",
         .referenceLine = true},
        {.name = "zero",
         .title = "Zero",
         .formula = "the output 0, whose relative error is 1",
         .source = "reference line",
         .referenceLine = true},
        {.name = "first_value",
         .title = "First value",
         .formula = "the value of the first visible key",
         .source = "reference line",
         .referenceLine = true},
    }};
}

const std::array<KernelDescriptor, 11>& catalog() {
    static const std::array<KernelDescriptor, 11> kCatalog = makeCatalog();
    return kCatalog;
}

}  // namespace

std::span<const KernelDescriptor> kernelCatalog() { return catalog(); }

const KernelDescriptor* findKernel(std::string_view name) {
    for (const KernelDescriptor& kernel : catalog())
        if (kernel.name == name) return &kernel;
    return nullptr;
}

}  // namespace dimscope::kernels
