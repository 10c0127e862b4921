// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::io {

// What every JSON document of the program says in the same words (cli.md). Keys stay in the order they are written in.

/// null where the number is NaN or infinite; doubles read back equal.
nlohmann::ordered_json numberJson(double value);

/// For std::visit over a parameter or a table cell; an empty one is null.
struct ValueJson {
    nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }
    nlohmann::ordered_json operator()(double value) const { return numberJson(value); }
    template <class T>
    nlohmann::ordered_json operator()(const T& value) const {
        return value;
    }
};

nlohmann::ordered_json provenanceJson(const analysis::Provenance& provenance);
nlohmann::ordered_json warningsJson(const std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
