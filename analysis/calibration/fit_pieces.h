// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/calibration_run.h"
#include "analysis/piece_store.h"

namespace dimscope::analysis {

/// Key of a task: "fit/L05/H3/performer+oal", all heads that share their parameters in one.
std::string fitKey(const FitTask& task);

/// Fits and warnings of a finished task.
Piece fitPiece(const FitTask& task);

/// The same fits again: parameters that were not learned come from the factory. Throws ShapeError where the piece does
/// not fit the task.
void takeFits(const Piece& piece, const KernelFactory& factory, FitTask& task);

}  // namespace dimscope::analysis
