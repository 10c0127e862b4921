// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cuda/rows/row_planner.h"

namespace dimscope::kernels::cuda {

// Templates of RowPlanner that both of its files use.

template <class Out>
MapTask<float, Out> RowPlanner::tokenMap(Side side, TokenMap map) const {
    MapTask<float, Out> task;
    task.map = map;
    task.ofKey = side == Side::Key;
    task.in = task.ofKey ? head_.key : head_.query;
    task.inStride = task.width = task.dim = head_.headDim;
    task.positions = task.ofKey ? nullptr : positions_;
    task.rows = task.ofKey ? keys_ : rows_;
    task.query = head_.query;
    task.key = head_.key;
    task.scale = head_.scale;
    return task;
}

template <class In, class Out>
Factor<Out> RowPlanner::mapped(TaskList<MapTask<In, Out>>& stage, MapTask<In, Out> task, Index width) {
    task.out = batch_.scratch.take<Out>(task.rows * width);
    task.outStride = width;
    stage.add(task, blocksFor(task.rows, kTokensPerBlock));
    return {task.out, width, task.rows};
}

template <class Real>
Factor<Real> RowPlanner::staged(const Matrix<double>& matrix) {
    Real* place = batch_.inputs.take<Real>(matrix.rows() * matrix.cols());
    std::transform(matrix.values().begin(), matrix.values().end(), batch_.inputs.hostOf(place),
                   [](double x) { return static_cast<Real>(x); });
    return {place, matrix.cols(), matrix.rows()};
}

}  // namespace dimscope::kernels::cuda
