// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"

namespace dimscope::kernels {

// Shape checks shared by all backends: same refusal, same text.

/// Throws ShapeError where query, key, value and mask do not fit together, or a row lies outside.
void checkRowsJob(const RowsJob& job);
void checkProfileJob(const ProfileJob& job);

/// Whether the parameters of a kernel fit a head: the reason where they do not.
Support fits(const KernelSpec& spec, const HeadShape& shape);
/// The same for the way it is evaluated.
Support fits(const KernelSpec& spec, const Evaluation& how, const HeadShape& shape);

}  // namespace dimscope::kernels
