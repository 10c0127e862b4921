// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "kernels/indices.h"

namespace dimscope::io {

/// The layer that a group's name stands for: digits, leading zeros allowed. Other names are no layers.
std::optional<kernels::LayerIndex> layerNumber(const std::string& name);

}  // namespace dimscope::io
