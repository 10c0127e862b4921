// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inputs.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/common_prompts.h"
#include "analysis/doctor/sink_exclusion.h"
#include "app/cli/lists.h"
#include "app/core/dump_opening.h"
#include "io/kernel_parameters.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {
namespace {

/// Row `row` of a matrix of whole numbers.
template <class Integer>
std::vector<Integer> integersOfRow(const kernels::ParameterArray& array, std::size_t row) {
    const auto columns = static_cast<std::size_t>(array.shape[1]);
    std::vector<Integer> integers;
    for (std::size_t c = 0; c < columns; ++c)
        integers.push_back(static_cast<Integer>(std::llround(array.values[row * columns + c])));
    return integers;
}

void requireMatrix(const kernels::ParameterArray& array, const std::string& file, const std::string& object) {
    if (array.shape.size() == 2 && array.shape[0] > 0 && array.shape[1] > 0) return;
    throw kernels::FormatError(
        {file, object,
         fmt::format("it has rank {}, expected a matrix with at least one row and column", array.shape.size()),
         "see resources/docs/formats.md, format 2"});
}

}  // namespace

Inputs openInputs(const Options& options, const kernels::RunControl& control) {
    Inputs inputs;
    // A merge computes nothing, so that a machine without the shards' device can do it.
    inputs.backend = options.merged ? kernels::makeBackend("cpu", {options.threads, 0})
                                    : kernels::makeBackend(options.backend, {options.threads, options.device});
    inputs.source = openDumpSafely(options.file, decisionsFrom(options.reading), control.slice(0.0F, 0.0F));
    if (options.excludeSinks)
        inputs.source =
            analysis::withoutFoundSinks(inputs.source, options.seed, *inputs.backend, control.slice(0.0F, 0.0F));
    if (!options.params.empty()) inputs.parameters = io::readKernelParameters(options.params, inputs.warnings);
    return inputs;
}

void noteParameters(const Inputs& inputs, analysis::Provenance& provenance, std::vector<analysis::Warning>& warnings) {
    if (!inputs.parameters) return;
    provenance.parameters.emplace_back("params", inputs.parameters->name);
    warnings.insert(warnings.end(), inputs.warnings.begin(), inputs.warnings.end());
}

std::vector<std::vector<int>> bootstrapDraws(const Inputs& inputs, std::size_t prompts) {
    std::vector<std::vector<int>> draws;
    if (!inputs.parameters || inputs.parameters->bootstrapIndices.shape.empty()) return draws;
    const kernels::ParameterArray& indices = inputs.parameters->bootstrapIndices;
    requireMatrix(indices, inputs.parameters->name, "/bootstrap/indices");
    if (static_cast<std::size_t>(indices.shape[1]) != prompts)
        throw kernels::FormatError(
            {inputs.parameters->name, "/bootstrap/indices",
             fmt::format("a replicate draws {} prompts, {} are selected", indices.shape[1], prompts),
             "select the prompts it was made for with --prompts"});
    for (std::size_t b = 0; b < static_cast<std::size_t>(indices.shape[0]); ++b)
        draws.push_back(integersOfRow<int>(indices, b));
    return draws;
}

std::vector<std::vector<kernels::Index>> queryPositions(const Options& options, const Inputs& inputs,
                                                        const analysis::Selection& selection) {
    const analysis::CommonPrompts common(*inputs.source, selection);
    const std::vector<kernels::PromptIndex> prompts = analysis::selectedPrompts(selection, common.info());
    if (!options.positions.empty()) return {prompts.size(), parseIntegers("--positions", options.positions)};
    std::vector<std::vector<kernels::Index>> positions;
    if (!inputs.parameters || inputs.parameters->positions.shape.empty()) return positions;
    const kernels::ParameterArray& array = inputs.parameters->positions;
    requireMatrix(array, inputs.parameters->name, "/positions");
    const auto rows = static_cast<std::size_t>(array.shape[0]);
    const std::size_t inDump = inputs.source->info().prompts.size();
    if (rows != prompts.size() && rows != inDump)
        throw kernels::FormatError(
            {inputs.parameters->name, "/positions",
             fmt::format("it has {} rows; the dump has {} prompts and {} are selected", rows, inDump, prompts.size()),
             "give one row per prompt of the dump, or --positions"});
    for (std::size_t p = 0; p < prompts.size(); ++p)
        positions.push_back(
            integersOfRow<kernels::Index>(array, rows == inDump ? static_cast<std::size_t>(prompts[p].value) : p));
    return positions;
}

}  // namespace dimscope::app
