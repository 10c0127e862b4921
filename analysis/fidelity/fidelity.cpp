// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/common_prompts.h"
#include "analysis/fidelity/fidelity_methods.h"
#include "analysis/fidelity/fidelity_pieces.h"
#include "analysis/fidelity/layer_fidelity.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "analysis/warning_list.h"
#include "kernels/error.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

void checkFidelity(const FidelityParams& params) {
    if (params.seeds.empty()) throw kernels::ArgumentError("no seed is given, expected at least one");
    for (const int seed : params.seeds)
        if (seed < 0) throw kernels::ArgumentError(fmt::format("seed {}, expected 0 or more", seed));
    if (params.rows < 0) throw kernels::ArgumentError(fmt::format("rows {}, expected 0 or more", params.rows));
    if (params.weightRows < 0)
        throw kernels::ArgumentError(fmt::format("{} weight rows, expected 0 or more", params.weightRows));
    if (params.evaluation.exactFirst < 0 || params.evaluation.exactWindow < 0)
        throw kernels::ArgumentError(fmt::format("{} first and {} latest exact keys, expected 0 or more",
                                                 params.evaluation.exactFirst, params.evaluation.exactWindow));
    for (const std::string& kernel : params.kernels)
        if (!kernels::findKernel(kernel)) throw kernels::ArgumentError(fmt::format("unknown kernel '{}'", kernel));
}

/// At most `count` of the rows, evenly spread.
std::vector<Index> thinned(const std::vector<Index>& rows, std::size_t count) {
    if (rows.size() <= count) return rows;
    std::vector<Index> kept;
    for (std::size_t n = 0; n < count; ++n) kept.push_back(rows[n * rows.size() / count]);
    return kept;
}

FidelityRows rowsOfRun(const FidelityParams& params, HeadSource& source, std::vector<Warning>& warnings) {
    FidelityRows rows;
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    rows.prompts = selectedPrompts(params.selection, source.info());
    rows.length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) rows.length = std::min(rows.length, selectedLength(params.selection, layer));
    rows.all = params.rows == 0 && params.positions.empty();
    const std::vector<std::vector<Index>> valid = validRows(rows.prompts, source, rows.length);
    rows.positions =
        rows.all ? valid
                 : chosenRows(params.positions, rows.prompts, source, rows.length, params.rows, params.seed, warnings);
    for (std::size_t p = 0; p < rows.prompts.size(); ++p) {
        rows.valid.push_back(static_cast<Index>(valid[p].size()));
        std::vector<Warning> fewer;  // a shorter prompt gives what it has
        rows.weightPositions.push_back(
            rows.all ? sampleRows({rows.prompts[p]}, source, rows.length, params.weightRows, params.seed, fewer).front()
                     : thinned(rows.positions[p], static_cast<std::size_t>(params.weightRows)));
    }
    return rows;
}

void warnAboutExactSide(const LayerInfo& layer, std::vector<Warning>& warnings) {
    const std::string place = fmt::format("layer {}", layer.layer.value);
    if (layer.softcap > 0.0)
        warnings.push_back(
            {"softcap", place, "the soft cap belongs to exact attention alone; kernels approximate exp(scale q.k)"});
    if (layer.hasSink)
        warnings.push_back(
            {"sink", place, "the sink logit belongs to exact attention alone; kernels approximate exp(scale q.k)"});
}

/// Parameters that may have been fitted on what judges them.
void warnAboutOverlap(const FidelityParams& params, const FidelityKernels& kernels, const FidelityRows& rows,
                      HeadSource& source, std::vector<Warning>& warnings) {
    if (std::none_of(kernels.methods.begin(), kernels.methods.end(),
                     [](const FidelityMethod& method) { return method.calibrated; }))
        return;
    const std::vector<PromptIndex> train = params.evaluation.train.empty()
                                               ? promptsOfSplits(source.info(), {"train", "calibration"})
                                               : params.evaluation.train;
    for (const PromptIndex prompt : train)
        if (std::find(rows.prompts.begin(), rows.prompts.end(), prompt) != rows.prompts.end()) {
            warnings.push_back(
                {"overlap", "prompts", "calibrated parameters are judged on prompts that they may be fitted on"});
            return;
        }
}

/// What a layer's cells have in common: per method 1 where it goes in linear time, and warnings.
Piece preparedPiece(LayerFidelitySums& layer, std::size_t methods, const RunControl& control) {
    Piece piece{{}, layer.prepare(control)};
    for (std::size_t m = 0; m < methods; ++m) piece.numbers.push_back(layer.usesState(m) ? 1.0 : 0.0);
    return piece;
}

/// Cells of one layer, found or computed, behind those of `sums`. Returns what the layer was prepared with, by every
/// shard that computes one of its cells; nothing where they are all another's.
std::optional<Piece> addCells(LayerFidelitySums& layer, FidelitySums& sums, Pieces& pieces,
                              kernels::cpu::WorkerPool& pool, float fits, const RunControl& control) {
    std::optional<Piece> made, prepared;
    const auto prepare = [&] {
        if (!made) made = preparedPiece(layer, sums.methods.size(), control.slice(0.0F, fits));
        return *made;
    };
    const std::size_t prompts = sums.prompts.size();
    for (std::size_t p = 0; p < prompts; ++p) {
        control.throwIfCancelled();
        FidelityCell cell = layer.emptyCell(p);
        const std::size_t deal = pieces.nextDeal();
        if (!prepared) prepared = pieces.get(fidelityLayerKey(cell.layer), deal, prepare);
        const std::optional<Piece> piece = pieces.get(fidelityCellKey(cell.layer, cell.prompt), deal, [&] {
            prepare();
            return cellPiece(layer.cell(p, pool, control.slice(fits, 1.0F).part(p, prompts)));
        });
        if (!piece) continue;
        takeCell(*piece, cell);
        sums.cells.push_back(std::move(cell));
    }
    if (prepared && prepared->numbers.size() != sums.methods.size())
        throw kernels::ShapeError("the piece of a layer does not hold what this run asks for");
    return prepared;
}

/// `prepared`: per layer.
std::string pathOf(const std::vector<LayerFidelitySums>& layers, const std::vector<std::optional<Piece>>& prepared,
                   std::size_t method) {
    bool state = false, pairwise = false;
    for (std::size_t n = 0; n < layers.size(); ++n)
        if (layers[n].has(method) && prepared[n]) (prepared[n]->numbers[method] > 0.0 ? state : pairwise) = true;
    return state ? (pairwise ? "state in some layers, pairwise in others" : "state") : "pairwise";
}

void describeFidelity(const FidelityParams& params, const FidelityResult& result, Provenance& provenance) {
    std::vector<std::string> methods;
    for (const MethodFidelity& method : result.methods)
        methods.push_back(fmt::format("{}{}={}", method.method.kernel, method.method.calibrated ? " calibrated" : "",
                                      method.method.path));
    provenance.parameters = {{"kernels", params.kernels}, {"paths", methods}};
    if (params.rows == 0 && params.positions.empty())
        provenance.parameters.emplace_back("rows", std::string("all"));
    else if (!params.positions.empty())
        provenance.parameters.emplace_back("positions", std::string("given"));
    else
        provenance.parameters.emplace_back("rows", std::int64_t{params.rows});
    provenance.parameters.emplace_back("seeds", std::vector<std::int64_t>(params.seeds.begin(), params.seeds.end()));
    provenance.parameters.emplace_back("weight_rows", std::int64_t{params.weightRows});
    if (const std::string how = evaluationText(params.evaluation); !how.empty())
        provenance.parameters.emplace_back("evaluation", how);
}

}  // namespace

FidelitySums fidelitySums(const FidelityParams& params, const KernelFactory& factory, HeadSource& source,
                          kernels::Backend& backend, const RunControl& control, bool skipUnsupported,
                          PieceStore* store) {
    checkFidelity(params);
    FidelitySums sums;
    sums.warnings = source.info().warnings;
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    const FidelityRows rows = rowsOfRun(params, source, sums.warnings);
    const FidelityKernels kernels{factory, untrainedFactory(factory, layers),
                                  fidelityMethods(params.kernels, factory, layers)};
    warnAboutOverlap(params, kernels, rows, source, sums.warnings);
    sums.methods = kernels.methods;
    sums.prompts = rows.prompts;
    std::vector<LayerFidelitySums> parts;
    parts.reserve(layers.size());
    for (const LayerInfo& layer : layers) {
        warnAboutExactSide(layer, sums.warnings);
        parts.emplace_back(params, kernels, rows, source, backend, layer).chooseKernels(skipUnsupported, sums.warnings);
        sums.layers.push_back({layer.layer, parts.back().heads()});
    }
    kernels::cpu::WorkerPool pool(params.threads);
    Pieces pieces(store);
    std::vector<std::optional<Piece>> prepared;
    for (std::size_t n = 0; n < parts.size(); ++n) {
        const float fits = params.evaluation.hasExactPart() ? 0.3F : 0.0F;
        prepared.push_back(addCells(parts[n], sums, pieces, pool, fits, control.part(n, parts.size())));
        if (prepared.back()) addOnce(prepared.back()->warnings, sums.warnings);
    }
    for (std::size_t m = 0; m < sums.methods.size(); ++m) sums.methods[m].path = pathOf(parts, prepared, m);
    sums.complete = pieces.complete();
    return sums;
}

FidelityResult frozenFidelity(const FidelityParams& params, const KernelFactory& factory, HeadSource& dump,
                              kernels::Backend& backend, const RunControl& control, bool skipUnsupported,
                              PieceStore* store) {
    CommonPrompts source(dump, params.selection);
    RunRecord record("fidelity", &backend, params.seed);
    describe(params.selection, source.info(), record.provenance());
    FidelityResult result =
        finishedFidelity(fidelitySums(params, factory, source, backend, control, skipUnsupported, store), params.seed);
    describeFidelity(params, result, record.provenance());
    noteSettings(factory.settings(), withReferenceLines(params.kernels), record.provenance(), result.warnings);
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
