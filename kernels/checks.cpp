// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/checks.h"

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/attention_math.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::kernels {
namespace {

std::string sizes(const char* what, std::size_t got, Index expected) {
    return std::string(what) + " has " + std::to_string(got) + " entries, expected " + std::to_string(expected);
}

void checkHead(const HeadInputs& head) {
    if (rowsOf(head.key) != head.rows())
        throw ShapeError("key has " + std::to_string(rowsOf(head.key)) + " positions, query has " +
                         std::to_string(head.rows()));
    if (colsOf(head.key) != head.headDim())
        throw ShapeError("key has " + std::to_string(colsOf(head.key)) + " dimensions, query has " +
                         std::to_string(head.headDim()));
    if (!head.mask.valid.empty() && static_cast<Index>(head.mask.valid.size()) != head.rows())
        throw ShapeError(sizes("the mask of valid positions", head.mask.valid.size(), head.rows()));
    if (!(head.scale > 0.0))
        throw ShapeError("scale is " + std::to_string(head.scale) + ", expected a positive number");
}

class Fit {
public:
    explicit Fit(const HeadShape& shape) : shape_(shape) {}

    Support operator()(const Softmax&) const { return {}; }
    Support operator()(const Taylor&) const { return {}; }
    Support operator()(const TaylorShift&) const { return {}; }
    Support operator()(const GlobalQuadratic&) const { return {}; }
    Support operator()(const Uniform&) const { return {}; }
    Support operator()(const Zero&) const { return {}; }
    Support operator()(const FirstValue&) const { return {}; }

    Support operator()(const Performer& p) const {
        if (!p.projection || p.projection->rows() < 1) return no("performer: the projection w is missing");
        if (p.projection->cols() != shape_.headDim)
            return no("performer: w has " + std::to_string(p.projection->cols()) + " columns, the head has " +
                      std::to_string(shape_.headDim) + " dimensions");
        return {};
    }
    Support operator()(const SpectraFormer& s) const {
        if (!shape_.everyQuery && s.statistic != SpectraFormer::Statistic::Calibrated)
            return no(
                "spectraformer: its statistic needs a query at every position, and some positions are keys alone");
        return fastFood("spectraformer", s);
    }
    Support operator()(const SpectraFormerUnbiased& s) const {
        if (!(s.phi >= 0.0))
            return no("spectraformer_unbiased: phi is " + std::to_string(s.phi) + ", expected 0 or more");
        return fastFood("spectraformer_unbiased", s);
    }
    Support operator()(const ZerosSm&) const { return {}; }
    Support operator()(const LinearZeros& z) const {
        if (z.mu && static_cast<Index>(z.mu->size()) != shape_.headDim)
            return no("linear_zeros: " + sizes("mu", z.mu->size(), shape_.headDim));
        return {};
    }
    Support operator()(const DiJiang& d) const {
        if (!d.t || static_cast<Index>(d.t->size()) != shape_.headDim)
            return no("dijiang: " + sizes("t", d.t ? d.t->size() : 0, shape_.headDim));
        if (d.theta && static_cast<Index>(d.theta->size()) != shape_.headDim)
            return no("dijiang: " + sizes("theta", d.theta->size(), shape_.headDim));
        return {};
    }
    Support operator()(const Oal& oal) const {
        if (static_cast<Index>(oal.label.size()) != shape_.headDim)
            return no("oal: " + sizes("label", oal.label.size(), shape_.headDim));
        if (oal.groups < 1) return no("oal: " + std::to_string(oal.groups) + " groups, expected at least 1");
        for (const int label : oal.label)
            if (label < 0 || label >= oal.groups)
                return no("oal: label " + std::to_string(label) + ", expected 0.." + std::to_string(oal.groups - 1));
        if (static_cast<int>(oal.factor.size()) != packedLength(oal.groups + 1))
            return no("oal: " + sizes("l", oal.factor.size(), packedLength(oal.groups + 1)));
        return {};
    }

    Support operator()(const Elu&) const { return {}; }
    Support operator()(const Based&) const { return {}; }
    Support operator()(const CosFormer& c) const {
        return c.length > 0.0 ? Support{} : no("cosformer: m is " + std::to_string(c.length) + ", expected above 0");
    }
    Support operator()(const Rfa& r) const {
        if (!r.projection || r.projection->rows() < 1) return no("rfa: the projection w is missing");
        if (!(r.floor >= 0.0)) return no("rfa: floor is " + std::to_string(r.floor) + ", expected 0 or more");
        return matrix("rfa: w", *r.projection, r.projection->rows(), shape_.headDim);
    }
    Support operator()(const Hedgehog& h) const {
        for (const auto& [name, w] : {std::pair{"hedgehog: w of q", h.query.get()}, {"hedgehog: w of k", h.key.get()}})
            if (w != nullptr)
                if (Support support = matrix(name, *w, shape_.headDim, shape_.headDim); !support.supported)
                    return support;
        return {};
    }
    Support operator()(const ReBased& r) const {
        for (const auto& [name, values] : {std::pair{"gamma", r.gamma.get()}, {"beta", r.beta.get()}})
            if (values != nullptr && static_cast<Index>(values->size()) != shape_.headDim)
                return no("rebased: " + sizes(name, values->size(), shape_.headDim));
        return {};
    }
    Support operator()(const Power& p) const {
        if (p.exponent >= 1 && p.exponent <= 8) return {};
        return no("power: p is " + std::to_string(p.exponent) + ", expected 1..8");
    }
    Support operator()(const PolySketch& p) const {
        if (!p.s1 || !p.s2 || p.s1->cols() < 1) return no("polysketch: a sketch is missing");
        if (Support support = matrix("polysketch: s1", *p.s1, shape_.headDim, p.s1->cols()); !support.supported)
            return support;
        return matrix("polysketch: s2", *p.s2, shape_.headDim, p.s1->cols());
    }
    Support operator()(const Lolcats& l) const {
        if (l.window < 1) return no("lolcats: window is " + std::to_string(l.window) + ", expected 1 or more");
        return l.sigma >= 0.0 ? Support{} : no("lolcats: sigma is " + std::to_string(l.sigma) + ", expected 0 or more");
    }
    Support operator()(const RetNet& r) const {
        if (r.decay > 0.0 && r.decay <= 1.0) return {};
        return no("retnet: decay is " + std::to_string(r.decay) + ", expected above 0 and at most 1");
    }

private:
    static Support matrix(const std::string& what, const Matrix<double>& m, Index rows, Index cols) {
        if (m.rows() == rows && m.cols() == cols) return {};
        return no(what + " is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) + ", expected " +
                  std::to_string(rows) + " x " + std::to_string(cols));
    }
    static Support no(std::string reason) { return {false, std::move(reason)}; }
    template <class Spec>
    Support fastFood(const std::string& kernel, const Spec& s) const {
        if (!std::has_single_bit(static_cast<std::uint64_t>(shape_.headDim)))
            return no(kernel + ": head dimension " + std::to_string(shape_.headDim) +
                      " is not a power of two, which its Hadamard transform needs");
        for (const auto& [name, values] : {std::pair{"b", &s.b}, {"g", &s.g}, {"s", &s.s}})
            if (!*values || static_cast<Index>((*values)->size()) != shape_.headDim)
                return no(kernel + ": " + sizes(name, *values ? (*values)->size() : 0, shape_.headDim));
        if (!s.permutation || static_cast<Index>(s.permutation->size()) != shape_.headDim)
            return no(kernel + ": " + sizes("perm", s.permutation ? s.permutation->size() : 0, shape_.headDim));
        std::vector<int> sorted = *s.permutation;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != static_cast<int>(i))
                return no(kernel + ": perm is not a permutation of 0.." + std::to_string(shape_.headDim - 1));
        return {};
    }
    HeadShape shape_;
};

bool restrictable(const KernelSpec& spec) {
    if (const auto* power = std::get_if<Power>(&spec)) return power->exponent % 2 == 0;
    return findKernel(kernelName(spec))->properties.restrictable;
}

}  // namespace

void checkRowsJob(const RowsJob& job) {
    checkHead(job.head);
    if (rowsOf(job.head.value) != job.head.rows())
        throw ShapeError("value has " + std::to_string(rowsOf(job.head.value)) + " positions, query has " +
                         std::to_string(job.head.rows()));
    for (const Index row : job.rows)
        if (row < 0 || row >= job.head.rows())
            throw ShapeError("query position " + std::to_string(row) + ", expected 0.." +
                             std::to_string(job.head.rows() - 1));
        else if (!job.head.mask.queries.holds(row))
            throw ShapeError("query position " + std::to_string(row) + " is a key alone: it has no query");
    if (!job.how.empty() && job.how.size() != job.kernels.size())
        throw ShapeError(std::to_string(job.how.size()) + " evaluations for " + std::to_string(job.kernels.size()) +
                         " kernels, expected one each");
    const HeadShape shape{job.head.rows(), job.head.headDim(), job.head.valueDim(),
                          job.head.mask.queries.holdsAll(job.head.rows())};
    for (std::size_t n = 0; n < job.kernels.size(); ++n) {
        if (const Support support = fits(job.kernels[n], shape); !support.supported) throw ShapeError(support.reason);
        if (const Support support = fits(job.kernels[n], job.evaluation(n), shape); !support.supported)
            throw ShapeError(support.reason);
    }
}

void checkProfileJob(const ProfileJob& job) { checkHead(job.head); }

Support fits(const KernelSpec& spec, const HeadShape& shape) { return std::visit(Fit(shape), spec); }

Support fits(const KernelSpec& spec, const Evaluation& how, const HeadShape& shape) {
    const std::string name(kernelName(spec));
    const auto no = [&](const std::string& reason) { return Support{false, name + ": " + reason}; };
    if (how.exact.first < 0 || how.exact.window < 0)
        return no("exact part of " + std::to_string(how.exact.first) + " first and " +
                  std::to_string(how.exact.window) + " latest keys, expected 0 or more");
    if (!(how.exact.gate >= 0.0)) return no("gate is " + std::to_string(how.exact.gate) + ", expected 0 or more");
    if (how.keyMean && static_cast<Index>(how.keyMean->size()) != shape.headDim)
        return no(sizes("key_mean", how.keyMean->size(), shape.headDim));
    if (!how.approximated || std::holds_alternative<Softmax>(spec)) return {};
    if (static_cast<Index>(how.approximated->size()) != shape.headDim)
        return no(sizes("the subset of dimensions", how.approximated->size(), shape.headDim));
    if (!restrictable(spec)) return no("the kernel has no restriction to a subset of dimensions");
    return {};
}

}  // namespace dimscope::kernels
