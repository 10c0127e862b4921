// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::io {

// What every JSON document of the program says in the same words (cli.md). Keys stay in the order they are written in.

/// null where the number is NaN or infinite; doubles read back equal.
nlohmann::ordered_json numberJson(double value);
nlohmann::ordered_json provenanceJson(const analysis::Provenance& provenance);
nlohmann::ordered_json warningsJson(const std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
