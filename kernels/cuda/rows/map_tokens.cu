// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/map_tokens.cuh"
#include "kernels/cuda/rows/token_maps.cuh"

namespace dimscope::kernels::cuda {
namespace {

template <class In, class Out>
__global__ void __launch_bounds__(32 * kTokensPerBlock) mapTokens(DeviceTasks<MapTask<In, Out>> maps) {
    const MapTask<In, Out> task = ownTask(maps);
    const std::int64_t row = (blockIdx.x - task.firstBlock) * kTokensPerBlock + threadIdx.x / 32;
    if (row >= task.rows) return;
    const TokenMapper<In, Out> token(task, row);
    switch (task.map) {
        case TokenMap::Scaled: return token.scaled();
        case TokenMap::Selected: return token.selected();
        case TokenMap::Unit: return token.divided(1e-12, 0.0);
        case TokenMap::Normalised: return token.divided(0.0, 1e-3);
        case TokenMap::LayerNormalised: return token.layerNormalised();
        case TokenMap::Elu: return token.elu();
        case TokenMap::Rectified: return token.rectified();
        case TokenMap::Softmaxes: return token.softmaxes(false);
        case TokenMap::JointSoftmax: return token.softmaxes(true);
        case TokenMap::LogSoftmax: return token.logSoftmax();
        case TokenMap::SineCosine: return token.sineCosine();
        case TokenMap::SketchProduct: return token.sketchProduct();
        case TokenMap::GroupTerms: return token.groupTerms();
        case TokenMap::Sharpened: return token.sharpened();
        case TokenMap::Floored: return token.floored();
        case TokenMap::LargestExponent: return token.noteLargestExponent();
        case TokenMap::Logarithms: return token.logarithms(false);
        case TokenMap::UnitLogarithms: return token.logarithms(true);
    }
}

}  // namespace

template <class In, class Out>
void launchMaps(const DeviceTasks<MapTask<In, Out>>& maps, cudaStream_t stream) {
    if (maps.blocks == 0) return;
    mapTokens<<<static_cast<unsigned>(maps.blocks), 32 * kTokensPerBlock, 0, stream>>>(maps);
    check(cudaGetLastError(), "mapping tokens to features");
}

template void launchMaps(const DeviceTasks<MapTask<float, float>>&, cudaStream_t);
template void launchMaps(const DeviceTasks<MapTask<float, double>>&, cudaStream_t);
template void launchMaps(const DeviceTasks<MapTask<double, double>>&, cudaStream_t);

}  // namespace dimscope::kernels::cuda
