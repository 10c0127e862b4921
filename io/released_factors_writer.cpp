// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "io/provenance_json.h"
#include "io/released_factors.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Index;
using kernels::ParameterArray;
using kernels::ParameterGroup;

constexpr int kReleasedGroups = 8;  // to which the release pads every head

/// One layer's "oal" group, checked.
struct StoredOal {
    const ParameterArray& label;   // [heads, head_dim]
    const ParameterArray& factor;  // [heads, entries]
    std::vector<int> groups;       // of each head
    const ParameterArray* mse = nullptr;

    Index heads() const { return label.shape[0]; }
    Index headDim() const { return label.shape[1]; }
    double packed(Index head, int r, int c) const {
        return factor.values[static_cast<std::size_t>(head * factor.shape[1] + r * (r + 1) / 2 + c)];
    }
};

const ParameterArray* arrayOf(const ParameterGroup& group, const char* name) {
    const auto found = group.arrays.find(name);
    return found == group.arrays.end() ? nullptr : &found->second;
}

StoredOal storedOal(const ParameterGroup& group, const std::string& file, const std::string& place) {
    const auto refuse = [&](const std::string& cause) {
        throw kernels::FormatError({file, place, cause, "see resources/docs/formats.md, format 2"});
    };
    const ParameterArray *label = arrayOf(group, "label"), *factor = arrayOf(group, "l");
    if (!label || !factor || label->shape.size() != 2 || factor->shape.size() != 2 ||
        label->shape[0] != factor->shape[0] || label->values.empty())
        refuse("'label' [heads, head_dim] and 'l' [heads, entries] are missing or do not fit together");
    StoredOal stored{*label, *factor, {}};
    const ParameterArray* groups = arrayOf(group, "groups");
    if (groups && groups->shape != std::vector<Index>{stored.heads()}) refuse("'groups' is not one number per head");
    for (Index h = 0; h < stored.heads(); ++h) {
        const auto first = label->values.begin() + h * stored.headDim();
        const auto [least, most] = std::minmax_element(first, first + stored.headDim());
        const double count = groups ? groups->values[static_cast<std::size_t>(h)] : *most + 1.0;
        if (!(*least >= 0.0 && *most < count && (count + 1) * (count + 2) / 2 <= static_cast<double>(factor->shape[1])))
            refuse(fmt::format("head {}: labels, number of groups and factor do not fit together", h));
        stored.groups.push_back(static_cast<int>(count));
    }
    stored.mse = arrayOf(group, "validation_output_mse");
    return stored;
}

Json headJson(const StoredOal& stored, Index head, int padded) {
    const int groups = stored.groups[static_cast<std::size_t>(head)];
    Json lists = Json::array();
    for (int g = 0; g < groups; ++g) lists.push_back(Json::array());
    for (Index r = 0; r < stored.headDim(); ++r)
        lists[static_cast<std::size_t>(stored.label.values[static_cast<std::size_t>(head * stored.headDim() + r)])]
            .push_back(r);
    Json packed = Json::array(), expanded = Json::array();
    for (int r = 0; r <= padded; ++r) {
        Json row = Json::array();
        for (int q = 0; q <= padded; ++q) {
            double sum = 0.0;
            for (int b = 0; r <= groups && q <= groups && b <= std::min(r, q); ++b)
                sum += stored.packed(head, r, b) * stored.packed(head, q, b);
            row.push_back(sum);
            if (q <= r) packed.push_back(r <= groups ? stored.packed(head, r, q) : 0.0);
        }
        expanded.push_back(std::move(row));
    }
    const bool known = stored.mse && stored.mse->values.size() == static_cast<std::size_t>(stored.heads());
    return {{"group_count", groups},
            {"groups", std::move(lists)},
            {"packed_lower_triangular", std::move(packed)},
            {"expanded_quadratic_matrix", std::move(expanded)},
            {"validation_output_mse",
             known ? numberJson(stored.mse->values[static_cast<std::size_t>(head)]) : Json(nullptr)}};
}

template <class T>
T attributeOf(const ParameterGroup& group, const char* name, T otherwise) {
    const auto found = group.attributes.find(name);
    if (found == group.attributes.end()) return otherwise;
    const T* value = std::get_if<T>(&found->second);
    return value ? *value : otherwise;
}

}  // namespace

void writeReleasedFactors(const kernels::ParameterSet& parameters, const std::filesystem::path& path) {
    std::vector<std::pair<int, const ParameterGroup*>> layers;
    for (const auto& [layer, groups] : parameters.layers)
        if (const auto found = groups.find("oal"); found != groups.end())
            layers.emplace_back(layer.value, &found->second);
    if (layers.empty())
        throw kernels::FormatError(
            {parameters.name, "/layers", "no layer has an 'oal' group", "calibrate or import one"});
    Json document{{"model_name", attributeOf<std::string>(*layers.front().second, "model", "")}, {"head_dim", 0}};
    document["epsilon"] = attributeOf<double>(*layers.front().second, "eps", 1e-6);
    int padded = kReleasedGroups;
    std::vector<StoredOal> stored;
    for (const auto& [number, group] : layers) {
        const std::string place = fmt::format("/layers/{:02}/oal", number);
        stored.push_back(storedOal(*group, parameters.name, place));
        padded = std::max(padded, *std::max_element(stored.back().groups.begin(), stored.back().groups.end()));
        if (stored.back().headDim() != stored.front().headDim() ||
            attributeOf<double>(*group, "eps", 1e-6) != document["epsilon"].get<double>())
            throw kernels::FormatError({parameters.name, place, "head dimension or eps differ from the first layer's",
                                        "the released layout has one for all layers"});
    }
    document["head_dim"] = stored.front().headDim();
    for (std::size_t n = 0; n < layers.size(); ++n)
        for (Index h = 0; h < stored[n].heads(); ++h)
            document["layers"][fmt::format("{:02}", layers[n].first)]["heads"][std::to_string(h)] =
                headJson(stored[n], h, padded);
    writeFileAtomically(path, document.dump(1) + "\n");
}

}  // namespace dimscope::io
