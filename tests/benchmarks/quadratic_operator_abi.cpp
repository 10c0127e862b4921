// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA operator as a shared library for operator_cuda.py, which times it beside PyTorch in one process, on
// PyTorch's tensors and stream.
#include "kernels/attention_math.h"
#include "kernels/cuda/operator/quadratic_operator.h"
#include "tests/benchmarks/reported.h"

namespace {

using dimscope::benchmarks::reported;
using dimscope::kernels::Oal;
using dimscope::kernels::packedLength;
using dimscope::kernels::cuda::DeviceSequence;
using dimscope::kernels::cuda::Element;
using dimscope::kernels::cuda::QuadraticOperator;

}  // namespace

extern "C" {

/// `labels`: (heads, dim); `groups`: (heads); `factors`: packed triangles one after the other.
int operatorMake(int heads, int kvHeads, int dim, const int* labels, const int* groups, const double* factors,
                 double epsilon, double scale, void** made, char* error, std::size_t room) {
    return reported(error, room, [&] {
        std::vector<Oal> specs;
        for (int h = 0; h < heads; ++h) {
            const int length = packedLength(groups[h] + 1);
            specs.push_back(
                {{labels + h * dim, labels + (h + 1) * dim}, groups[h], {factors, factors + length}, epsilon});
            factors += length;
        }
        *made = new QuadraticOperator(specs, kvHeads, scale);
    });
}

void operatorFree(void* made) { delete static_cast<QuadraticOperator*>(made); }

std::size_t operatorBytes(void* made) { return static_cast<QuadraticOperator*>(made)->workspaceBytes(); }

/// Contiguous (heads, rows, dim) tensors; elements: 0 float, 1 half, 2 bfloat16.
int operatorRun(void* made, const void* query, const void* key, const void* value, int element, void* output,
                int outputElement, int heads, int kvHeads, long long rows, int dim, int valueDim, unsigned char* bad,
                void* stream, char* error, std::size_t room) {
    return reported(error, room, [&] {
        DeviceSequence sequence;
        const auto kind = static_cast<Element>(element);
        sequence.query = {query, kind, rows * dim, dim};
        sequence.key = {key, kind, rows * dim, dim};
        sequence.value = {value, kind, rows * valueDim, valueDim};
        sequence.output = {output, static_cast<Element>(outputElement), rows * valueDim, valueDim};
        sequence.queryHeads = heads;
        sequence.kvHeads = kvHeads;
        sequence.rows = rows;
        sequence.headDim = dim;
        sequence.valueDim = valueDim;
        static_cast<QuadraticOperator*>(made)->run(sequence, bad, nullptr, static_cast<cudaStream_t>(stream), {});
    });
}
}
