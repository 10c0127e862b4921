// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/verbs.h"
#include "kernels/parameter_set.h"

namespace dimscope::app {

/// What `import` and `export` say: the heads of all "oal" groups, as document, text and table.
VerbOutput releasedHeadList(const kernels::ParameterSet& parameters, const std::string& verb);

}  // namespace dimscope::app
