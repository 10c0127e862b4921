// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_catalog.h"

#include <array>
#include <charconv>
#include <iterator>

namespace dimscope::kernels {
namespace {

using Descriptors = std::vector<KernelDescriptor>;

constexpr const char* kNoSubset = "no restriction to a subset of dimensions: the kernel can be negative";

/// One of a few choices, the first of which is the default.
KernelParameter choice(std::string name, std::string title, std::vector<std::string> choices, std::string note) {
    KernelParameter parameter;
    parameter.name = std::move(name);
    parameter.title = std::move(title);
    parameter.most = static_cast<double>(choices.size() - 1);
    parameter.integer = true;
    parameter.note = std::move(note);
    parameter.choices = std::move(choices);
    return parameter;
}

/// A number of each head that calibration may fit.
KernelParameter learned(std::string name, std::string title, double start, double least, double most,
                        std::string note) {
    KernelParameter parameter{std::move(name), std::move(title), start, least, most, false, std::move(note)};
    parameter.learned = true;
    return parameter;
}

KernelParameter floorOfKernel() {
    return {"epsilon", "Epsilon", 1e-6, 0, 0.5, false, "floor of the kernel", {}, "eps"};
}

KernelParameter givenPhi() {
    return {"phi", "Constant phi", 0, 0, 1e6, false, "mean |q' + k'|^2 for statistic calibrated; 0: A = 0", {}, "a"};
}

/// Gates of the parts of softmax (section 8).
std::vector<KernelParameter> zeroSumGates() {
    return {learned("sigma1", "Gate sigma1", 1, -100, 100, "of the first-order part"),
            learned("sigmah", "Gate sigmah", 1, -100, 100, "of the higher-order part"),
            learned("sigma0", "Gate sigma0", 0, -100, 100, "of the zero-order part")};
}

std::vector<KernelParameter> linearZerosParameters() {
    std::vector<KernelParameter> parameters = zeroSumGates();
    parameters.push_back(learned("tau", "Prior tau", 0, -50, 30, "log weight of mu in the running mean of keys"));
    return parameters;
}

Descriptors exactAndRandom() {
    return {
        {.name = "softmax",
         .title = "Softmax",
         .formula = "exp(scale q.k), normalised over the visible keys",
         .source = "exact attention; softcap and sink as the dump states them",
         .properties = {.shiftFree = true}},
        {.name = "performer",
         .title = "Performer",
         .formula = "E_w[exp(w.q' - |q'|^2/2) exp(w.k' - |k'|^2/2)], x' = sqrt(scale) x",
         .source = "Choromanski et al. 2021, FAVOR+ with orthogonal features",
         .parameters =
             {{"features", "Features m", 250, 1, 4096, true, "random features per head", {}, "w"},
              {"epsilon", "Epsilon", 0, 0, 1e-2, false, "0: log domain, unbiased; 1e-6 and 1e-4: upstream", {}, "eps"},
              choice("shift", "Key maximum", {"projection", "logfeature"},
                     "what the shift of the keys is the maximum of, for epsilon above 0")},
         .hasDraw = true},
        {.name = "spectraformer",
         .title = "SpectraFormer",
         .formula =
             "sum_f phi_f(q) phi_f(k), phi_f = exp(B (z_f - max z)) + 1e-4, z FastFood projections and a constant",
         .source = "OPRF-FastFoodL as in the public SpectraFormer code",
         .parameters = {{"epsilon", "Epsilon", 1e-4, 0, 1e-2, false, "added to every feature", {}, "eps"},
                        choice("statistic", "Statistic", {"position", "sequence", "calibrated"},
                               "where the constant A of the features comes from"),
                        choice("scaling", "Scaling", {"upstream", "single"},
                               "upstream scales q and k a second time inside the projection"),
                        givenPhi()},
         .hasDraw = true,
         .trained = true,
         .limits = "the head dimension must be a power of two",
         .properties = {.meanOfEqual = false, .orderFree = false, .paddable = false}},
        {.name = "spectraformer_unbiased",
         .title = "SpectraFormer, unbiased",
         .formula = "mean_w of D^2 exp(2 A |w|^2 + B w.(q' + k') - (|q'|^2 + |k'|^2) / 2), w FastFood rows",
         .source = "the estimator behind SpectraFormer, with one constant A for q and k",
         .parameters = {choice("statistic", "Statistic", {"sequence", "calibrated"},
                               "where the constant A comes from; q and k need one"),
                        givenPhi()},
         .hasDraw = true,
         .trained = true,
         .limits = "the head dimension must be a power of two; A from the sequence is not causal",
         .properties = {.paddable = false}},
        {.name = "dijiang",
         .title = "DiJiang",
         .formula = "sum_f exp(2 theta_f) softmax_f(P^T q') softmax_f(P^T k'), P = DCT diag(t)",
         .source = "Chen et al. 2024, normalised, without decay",
         .parameters = {choice("orientation", "DCT", {"inverse", "forward"}, "C^T x, as upstream, or C x")},
         .hasDraw = true,
         .trained = true,
         .properties = {.paddable = false}},
    };
}

Descriptors quadratics() {
    return {
        {.name = "taylorshift",
         .title = "TaylorShift",
         .formula = "1 + s + s^2/2, s = tau cos(q, k)",
         .source = "Nauen et al. 2024",
         .parameters = {learned("tau", "Temperature tau", 1, -100, 100, "one per head")},
         .trained = true},
        {.name = "taylor",
         .title = "Taylor",
         .formula = "1 + s + s^2/2, s = scale q.k",
         .source = "second-order expansion of exp; the start of global and OAL"},
        {.name = "global",
         .title = "Global",
         .formula = "eps + |L^T (1, s)|^2, s = scale q.k",
         .source = "learned global quadratic",
         .parameters = {floorOfKernel()},
         .trained = true},
        {.name = "oal",
         .title = "OAL",
         .formula = "eps + |L^T (1, s_1, .., s_G)|^2, s_g = scale times the partial product of group g",
         .source = "outlier-aware attention linearization",
         .parameters = {floorOfKernel()},
         .trained = true},
    };
}

Descriptors zeroSums() {
    return {
        {.name = "zeros_sm",
         .title = "ZeroS-SM",
         .formula = "sigma1 delta / t + sigmah (softmax - 1/t - delta / t) + sigma0 / t, delta = s - mean s",
         .source = "ZeroS, softmax form; without gates softmax less the mean of the values",
         .parameters = zeroSumGates(),
         .trained = true,
         .limits = std::string("not normalised, no linear-time form; ") + kNoSubset,
         .properties = {.sumsToOne = false, .meanOfEqual = false, .shiftFree = true, .restrictable = false}},
        {.name = "linear_zeros",
         .title = "Linear ZeroS (proxy)",
         .formula = "the weights of ZeroS-SM for s_j = -scale k_j.mean(k_1..k_j), times cos(q, k)",
         .source = "Linear ZeroS with u = k: a proxy, untrained",
         .parameters = linearZerosParameters(),
         .trained = true,
         .limits = std::string("a proxy: says what the form can express, not how ZeroS performs; not normalised; ") +
                   kNoSubset,
         .properties = {.sumsToOne = false, .meanOfEqual = false, .orderFree = false, .restrictable = false}},
    };
}

Descriptors featureMaps() {
    return {
        {.name = "elu",
         .title = "ELU",
         .formula = "(elu(q) + 1).(elu(k) + 1)",
         .source = "Katharopoulos et al. 2020, Transformers are RNNs; no epsilon",
         .limits = "takes q and k unscaled, so a large constant part of the keys dominates",
         .properties = {.paddable = false}},
        {.name = "cosformer",
         .title = "cosFormer",
         .formula = "relu(q).relu(k) cos(pi (i - j) / (2 M)); a row's sum is floored at 1e-6",
         .source = "Qin et al. 2022, cosFormer",
         .parameters = {{"m", "Length M", 4096, 1, 1e9, false, "positions at which the weight reaches 0"}},
         .limits = "beyond M positions the weights turn negative; takes q and k unscaled",
         .properties = {.sumsToOne = false, .meanOfEqual = false, .orderFree = false}},
        {.name = "rfa",
         .title = "RFA",
         .formula = "phi(q).phi(k), phi = 0.1 (sin W x~, cos W x~), x~ = x / (|x| + 1e-3), W ~ N(0, 1)",
         .source = "Peng et al. 2021, Random Feature Attention, sigma = tau = 1, plain ratio",
         .parameters =
             {{"features", "Features m", 64, 1, 4096, true, "rows of W, a sine and a cosine of each", {}, "w"},
              {"floor", "Floor", 0, 0, 1e6, false, "least denominator; 0: plain ratio, 1: upstream"}},
         .hasDraw = true,
         .limits = kNoSubset,
         .properties = {.restrictable = false}},
        {.name = "hedgehog",
         .title = "Hedgehog",
         .formula = "phi(q).phi(k), phi = (softmax(W x), softmax(-W x)), at least 1e-12",
         .source = "Zhang et al. 2024, Hedgehog, in the form of LoLCATs; W = identity without calibration",
         .parameters = {choice("variant", "Variant", {"lolcats", "fla"},
                               "two softmaxes floored at 1e-12, or one over both halves")},
         .trained = true,
         .properties = {.paddable = false}},
    };
}

Descriptors polynomials() {
    return {
        {.name = "based",
         .title = "Based",
         .formula = "1 + s + s^2/2, s = scale q.k, on all dimensions of the head",
         .source = "Arora et al. 2024, Based; equals taylor without its learned projections"},
        {.name = "rebased",
         .title = "ReBased",
         .formula = "(LN(q).LN(k))^2 / d, LN per head with an affine map",
         .source = "Aksenov et al. 2024, ReBased; gamma = 1, beta = 0 without calibration",
         .trained = true,
         .limits = "no restriction to a subset of dimensions: the normalisation mixes them",
         .properties = {.paddable = false, .restrictable = false}},
        {.name = "power",
         .title = "Power",
         .formula = "(scale q.k)^p",
         .source = "Manifest AI, power attention, without gates",
         .parameters = {{"p", "Exponent p", 2, 1, 8, true, "2 and 4 are published; even ones are non-negative"}},
         .limits = "restriction to a subset of dimensions with even p only"},
        {.name = "polysketch",
         .title = "PolySketch",
         .formula = "((S1^T q * S2^T q).(S1^T k * S2^T k) / r^2)^2, denominator 1 + sum",
         .source = "Kacham et al. 2024, PolySketchFormer, degree 4 with random sketches",
         .parameters = {{"r", "Sketches r", 16, 1, 256, true, "r^2 features per head", {}, "s1"}},
         .hasDraw = true,
         .limits = "no restriction to a subset of dimensions: the 1 in its denominator makes the scale matter",
         .properties = {.sumsToOne = false, .meanOfEqual = false, .restrictable = false}},
    };
}

Descriptors withPositions() {
    return {
        {.name = "lolcats",
         .title = "LoLCATs",
         .formula = "sigma exp(s - m) for i - j < w, m the largest s there; before it identity Hedgehog features",
         .source = "Zhang et al. 2024, LoLCATs hybrid, not calibrated",
         .parameters = {{"window", "Window w", 64, 1, 1e9, true, "recent keys with exponential weights"},
                        {"sigma", "Weight sigma", 0.1, 0, 1e6, false, "of the window against the features"}},
         .limits = "no restriction to a subset of dimensions: two kernels share one denominator",
         .properties = {.meanOfEqual = false, .orderFree = false, .paddable = false, .restrictable = false}},
        {.name = "retnet",
         .title = "RetNet",
         .formula = "gamma_h^(i - j) scale q.k without a denominator, gamma_h = 1 - 2^(-5 - h)",
         .source = "Sun et al. 2023, RetNet, without the norm behind it",
         .parameters = {learned("scale", "Output scale", 1, -1e6, 1e6, "one per head")},
         .trained = true,
         .limits = std::string("not normalised: the raw output has no scale of its own; ") + kNoSubset,
         .properties = {.sumsToOne = false, .meanOfEqual = false, .orderFree = false, .restrictable = false}},
    };
}

Descriptors referenceLines() {
    return {
        {.name = "uniform",
         .title = "Uniform",
         .formula = "1: the mean of the visible values",
         .source = "reference line",
         .referenceLine = true,
         .properties = {.shiftFree = true, .restrictable = false}},
        {.name = "zero",
         .title = "Zero",
         .formula = "the output 0, whose relative error is 1",
         .source = "reference line",
         .referenceLine = true,
         .properties = {.sumsToOne = false, .meanOfEqual = false, .shiftFree = true, .restrictable = false}},
        {.name = "first_value",
         .title = "First value",
         .formula = "the value of the first visible key",
         .source = "reference line",
         .referenceLine = true,
         .properties = {.meanOfEqual = false, .orderFree = false, .shiftFree = true, .restrictable = false}},
    };
}

Descriptors makeCatalog() {
    Descriptors all;
    for (Descriptors part :
         {exactAndRandom(), quadratics(), zeroSums(), featureMaps(), polynomials(), withPositions(), referenceLines()})
        std::move(part.begin(), part.end(), std::back_inserter(all));
    return all;
}

const Descriptors& catalog() {
    static const Descriptors kCatalog = makeCatalog();
    return kCatalog;
}

}  // namespace

std::span<const KernelDescriptor> kernelCatalog() { return catalog(); }

const KernelDescriptor* findKernel(std::string_view name) {
    for (const KernelDescriptor& kernel : catalog())
        if (kernel.name == name) return &kernel;
    return nullptr;
}

const KernelParameter* findParameter(std::string_view kernel, std::string_view parameter) {
    if (const KernelDescriptor* descriptor = findKernel(kernel))
        for (const KernelParameter& candidate : descriptor->parameters)
            if (candidate.name == parameter) return &candidate;
    return nullptr;
}

std::string valueText(const KernelParameter& parameter, double value) {
    if (!parameter.choices.empty()) return parameter.choices.at(static_cast<std::size_t>(value));
    std::array<char, 32> digits{};
    std::string text(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    const std::size_t exponent = text.find('e');
    if (exponent == std::string::npos) return text;
    // "1e+06" and "1e-04" as a person writes them: 1e6, 1e-4.
    const bool negative = text[exponent + 1] == '-';
    const std::size_t first = text.find_first_not_of("+-0", exponent + 1);
    return text.substr(0, exponent) + (negative ? "e-" : "e") + text.substr(first);
}

std::string allowedText(const KernelParameter& parameter) {
    if (parameter.choices.empty())
        return std::string(parameter.integer ? "a whole number" : "a number") + " from " +
               valueText(parameter, parameter.least) + " to " + valueText(parameter, parameter.most);
    std::string text = "one of";
    for (const std::string& name : parameter.choices) text += (&name == &parameter.choices.front() ? " " : ", ") + name;
    return text;
}

}  // namespace dimscope::kernels
