// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/backend.h"

namespace dimscope::kernels {

struct BackendOptions {
    int threads = 0;  ///< 0: all cores
    int device = 0;   ///< GPU ordinal
};

/// Every backend of this build and every device of each, usable or not, with the reason when not.
std::vector<BackendInfo> listBackends();

/// Names that makeBackend understands: reference, cpu, cuda.
std::vector<std::string_view> backendNames();

/// Throws BackendUnavailable with the reason, ArgumentError for an unknown name. Never another backend than asked for.
std::unique_ptr<Backend> makeBackend(std::string_view name, const BackendOptions& options = {});

}  // namespace dimscope::kernels
