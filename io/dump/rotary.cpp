// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/rotary.h"

#include <cmath>

namespace dimscope::io {
namespace {

using kernels::Index;

template <class T>
void rotate(kernels::Matrix<T>& rows, const analysis::LayerInfo& layer) {
    const Index rotary = layer.rotaryDim > 0 ? layer.rotaryDim : rows.cols(), pairs = rotary / 2;
    const bool interleaved = layer.ropeLayout == "interleaved";
    for (Index n = 0; n < rows.rows(); ++n)
        for (Index r = 0; r < pairs; ++r) {
            const double angle = static_cast<double>(n) *
                                 std::pow(layer.ropeTheta, -2.0 * static_cast<double>(r) / static_cast<double>(rotary));
            const double cosine = std::cos(angle), sine = std::sin(angle);
            T& a = rows.row(n)[interleaved ? 2 * r : r];
            T& b = rows.row(n)[interleaved ? 2 * r + 1 : r + pairs];
            const double x = static_cast<double>(a), y = static_cast<double>(b);
            a = static_cast<T>(x * cosine - y * sine);
            b = static_cast<T>(y * cosine + x * sine);
        }
}

}  // namespace

void rotatePositions(kernels::Matrix<float>& rows, const analysis::LayerInfo& layer) { rotate(rows, layer); }
void rotatePositions(kernels::Matrix<double>& rows, const analysis::LayerInfo& layer) { rotate(rows, layer); }

}  // namespace dimscope::io
