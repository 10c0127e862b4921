// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/checks.h"

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/attention_math.h"

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
        if (!std::has_single_bit(static_cast<std::uint64_t>(shape_.headDim)))
            return no("spectraformer: head dimension " + std::to_string(shape_.headDim) +
                      " is not a power of two, which its Hadamard transform needs");
        for (const auto& [name, values] : {std::pair{"b", &s.b}, {"g", &s.g}, {"s", &s.s}})
            if (!*values || static_cast<Index>((*values)->size()) != shape_.headDim)
                return no("spectraformer: " + sizes(name, *values ? (*values)->size() : 0, shape_.headDim));
        return isPermutation(s);
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

private:
    static Support no(std::string reason) { return {false, std::move(reason)}; }
    Support isPermutation(const SpectraFormer& s) const {
        if (!s.permutation || static_cast<Index>(s.permutation->size()) != shape_.headDim)
            return no("spectraformer: " + sizes("perm", s.permutation ? s.permutation->size() : 0, shape_.headDim));
        std::vector<int> sorted = *s.permutation;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != static_cast<int>(i))
                return no("spectraformer: perm is not a permutation of 0.." + std::to_string(shape_.headDim - 1));
        return {};
    }
    HeadShape shape_;
};

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
    const HeadShape shape{job.head.rows(), job.head.headDim(), job.head.valueDim()};
    for (const KernelSpec& kernel : job.kernels)
        if (const Support support = fits(kernel, shape); !support.supported) throw ShapeError(support.reason);
}

void checkProfileJob(const ProfileJob& job) { checkHead(job.head); }

Support fits(const KernelSpec& spec, const HeadShape& shape) { return std::visit(Fit(shape), spec); }

}  // namespace dimscope::kernels
