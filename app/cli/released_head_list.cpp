// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/released_head_list.h"

#include "analysis/run_record.h"
#include "app/cli/text_table.h"

namespace dimscope::app {
namespace {

std::optional<double> entryOf(const kernels::ParameterGroup& group, const char* name, std::size_t head) {
    const auto found = group.arrays.find(name);
    if (found == group.arrays.end() || head >= found->second.values.size()) return std::nullopt;
    return found->second.values[head];
}

}  // namespace

VerbOutput releasedHeadList(const kernels::ParameterSet& parameters, const std::string& verb) {
    VerbOutput output;
    output.document["heads"] = Json::array();
    output.table.columns = {column("layer", "layer"), column("head", "head"), column("groups", "groups"),
                            column("validation_output_mse", "validation MSE")};
    for (const auto& [layer, groups] : parameters.layers) {
        const auto oal = groups.find("oal");
        if (oal == groups.end()) continue;
        const auto label = oal->second.arrays.find("label");
        const kernels::Index heads = label == oal->second.arrays.end() ? 0 : label->second.shape.front();
        for (kernels::Index h = 0; h < heads; ++h) {
            const auto n = static_cast<std::size_t>(h);
            const std::optional<double> count = entryOf(oal->second, "groups", n);
            const std::optional<double> mse = entryOf(oal->second, "validation_output_mse", n);
            output.document["heads"].push_back({{"layer", layer.value},
                                                {"head", h},
                                                {"groups", count ? Json(static_cast<int>(*count)) : Json(nullptr)},
                                                {"validation_output_mse", numberJson(mse)}});
            addRow(output.table, {std::int64_t{layer.value}, h,
                                  count ? analysis::Cell(static_cast<std::int64_t>(*count)) : analysis::Cell(),
                                  mse ? analysis::Cell(*mse) : analysis::Cell()});
        }
    }
    output.text = alignedText(output.table);
    output.table.provenance = analysis::RunRecord(verb, nullptr, 0).finished();
    output.table.provenance.parameters = {{"file", parameters.name}};
    return output;
}

}  // namespace dimscope::app
