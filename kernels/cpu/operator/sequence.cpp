// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/sequence.h"

#include "kernels/error.h"

namespace dimscope::kernels::cpu {
namespace {

template <class View>
void expectShape(const char* what, std::size_t head, const View& view, Index rows, Index cols) {
    if (view.rows() == rows && view.cols() == cols) return;
    throw ShapeError(std::string(what) + " of head " + std::to_string(head) + " is " + std::to_string(view.rows()) +
                     " x " + std::to_string(view.cols()) + ", expected " + std::to_string(rows) + " x " +
                     std::to_string(cols));
}

}  // namespace

void checkSequence(const SequenceHeads& heads) {
    const std::size_t queryHeads = heads.query.size(), kvHeads = heads.key.size();
    if (kvHeads == 0 || queryHeads == 0 || queryHeads % kvHeads != 0)
        throw ShapeError(std::to_string(queryHeads) + " query heads do not divide among " + std::to_string(kvHeads) +
                         " key heads");
    if (heads.value.size() != kvHeads || heads.output.size() != queryHeads)
        throw ShapeError(std::to_string(heads.value.size()) + " value heads and " +
                         std::to_string(heads.output.size()) + " outputs, expected " + std::to_string(kvHeads) +
                         " and " + std::to_string(queryHeads));
    if (!(heads.scale > 0.0))
        throw ShapeError("scale is " + std::to_string(heads.scale) + ", expected a positive number");
    const Index rows = heads.query.front().rows(), dim = heads.query.front().cols();
    const Index valueDim = heads.value.front().cols();
    if (dim < 1 || valueDim < 1) throw ShapeError("heads without dimensions, expected at least 1 in key and value");
    for (std::size_t n = 0; n < queryHeads; ++n) {
        expectShape("query", n, heads.query[n], rows, dim);
        expectShape("output", n, heads.output[n], rows, valueDim);
    }
    for (std::size_t n = 0; n < kvHeads; ++n) {
        expectShape("key", n, heads.key[n], rows, dim);
        expectShape("value", n, heads.value[n], rows, valueDim);
    }
}

}  // namespace dimscope::kernels::cpu
