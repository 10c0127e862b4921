// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/layer_name.h"

#include <charconv>

namespace dimscope::io {

std::optional<kernels::LayerIndex> layerNumber(const std::string& name) {
    int number = 0;
    const char* const last = name.data() + name.size();
    const auto [end, failure] = std::from_chars(name.data(), last, number);
    if (failure != std::errc{} || end != last || number < 0) return std::nullopt;
    return kernels::LayerIndex{number};
}

}  // namespace dimscope::io
