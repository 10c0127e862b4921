// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/run_record.h"
#include "app/cli/kernel_reference.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {
namespace {

using kernels::KernelDescriptor;

void addKernelsOptions(CLI::App& verb, Options& options) {
    addOutOption(verb, options);
    addJsonOption(verb, options);
    verb.add_flag("--markdown", options.markdown,
                  "Print all that is known of them, as resources/docs/kernels.md has it")
        ->excludes(verb.get_option("--json"));
}

/// A backend, or why there is none.
struct Candidate {
    std::string name;
    std::unique_ptr<kernels::Backend> backend;
    std::string reason;
};

std::vector<Candidate> candidates() {
    std::vector<Candidate> all;
    for (const std::string_view name : kernels::backendNames()) {
        Candidate candidate{std::string(name), nullptr, {}};
        try {
            candidate.backend = kernels::makeBackend(name);
        } catch (const kernels::BackendUnavailable& error) {
            candidate.reason = error.what();
        }
        all.push_back(std::move(candidate));
    }
    return all;
}

kernels::Support supportOf(const Candidate& candidate, const KernelDescriptor& kernel) {
    if (!candidate.backend) return {false, candidate.reason};
    return candidate.backend->supports(commonSpec(kernel), kCommonHead);
}

/// Null where the kernel has no linear-time form.
Json countJson(const std::optional<kernels::Index>& count) { return count ? Json(*count) : Json(nullptr); }

Json costJson(const KernelDescriptor& kernel) {
    const kernels::KernelCost cost = kernels::kernelCost(commonSpec(kernel), kCommonHead);
    return {{"positions", kCommonHead.rows},
            {"head_dim", kCommonHead.headDim},
            {"value_dim", kCommonHead.valueDim},
            {"features", countJson(cost.features)},
            {"state_entries", countJson(cost.stateEntries)},
            {"learned", cost.learned},
            {"flops_per_token", numberJson(cost.flopsPerToken)}};
}

/// A number, or the name of a choice.
Json valueJson(const kernels::KernelParameter& parameter, double value) {
    return parameter.choices.empty() ? numberJson(value) : Json(valueText(parameter, value));
}

Json parameterJson(const kernels::KernelParameter& parameter) {
    const bool number = parameter.choices.empty();
    return {{"name", parameter.name},
            {"title", parameter.title},
            {"default", valueJson(parameter, parameter.defaultValue)},
            {"least", number ? numberJson(parameter.least) : Json(nullptr)},
            {"most", number ? numberJson(parameter.most) : Json(nullptr)},
            {"integer", number && parameter.integer},
            {"choices", parameter.choices},
            {"learned", parameter.learned},
            {"note", parameter.note}};
}

Json kernelJson(const KernelDescriptor& kernel, const std::vector<Candidate>& backends) {
    Json json{{"name", kernel.name},         {"title", kernel.title},
              {"formula", kernel.formula},   {"source", kernel.source},
              {"parameters", Json::array()}, {"has_draw", kernel.hasDraw},
              {"trained", kernel.trained},   {"reference_line", kernel.referenceLine},
              {"limits", kernel.limits},     {"cost", costJson(kernel)},
              {"backends", Json::object()}};
    for (const kernels::KernelParameter& parameter : kernel.parameters)
        json["parameters"].push_back(parameterJson(parameter));
    for (const Candidate& candidate : backends) {
        const kernels::Support support = supportOf(candidate, kernel);
        json["backends"][candidate.name] = {{"supported", support.supported}, {"reason", support.reason}};
    }
    return json;
}

analysis::Table kernelsTable(const std::vector<Candidate>& backends) {
    analysis::Table table;
    table.name = "kernels";
    table.caption = "Kernels and the backends that have them";
    table.columns = {column("name", "name"), column("title", "title"), column("formula", "kernel of q and k")};
    for (const Candidate& candidate : backends) table.columns.push_back(column(candidate.name, candidate.name));
    for (const KernelDescriptor& kernel : kernels::kernelCatalog()) {
        std::vector<analysis::Cell> cells{kernel.name, kernel.title, kernel.formula};
        for (const Candidate& candidate : backends)
            cells.emplace_back(std::string(supportOf(candidate, kernel).supported ? "yes" : "no"));
        addRow(table, std::move(cells));
    }
    return table;
}

VerbOutput runKernels(const Options& options, const kernels::RunControl&) {
    analysis::RunRecord record("kernels", nullptr, 0);
    const std::vector<Candidate> backends = candidates();
    VerbOutput output;
    output.document["kernels"] = Json::array();
    for (const KernelDescriptor& kernel : kernels::kernelCatalog())
        output.document["kernels"].push_back(kernelJson(kernel, backends));
    output.table = kernelsTable(backends);
    output.table.provenance = record.finished();
    output.text = options.markdown ? kernelReference() : alignedText(output.table);
    return output;
}

}  // namespace

Verb kernelsVerb() {
    return {"kernels", "Every kernel, its parameters and what each backend supports",
            "  dimscope-cli kernels\n  dimscope-cli kernels --json", addKernelsOptions, runKernels};
}

}  // namespace dimscope::app
