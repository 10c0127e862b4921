// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/layer_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/gate_fit.h"
#include "analysis/warning_list.h"
#include "kernels/error.h"
#include "kernels/exact_part.h"

namespace dimscope::analysis {
namespace {

using kernels::KernelSpec;
using kernels::RowsJob;
using kernels::RowsOutput;

constexpr Index kBlockRows = 256;  // rows evaluated at a time; bounds what W_o needs in memory
constexpr int kGateRows = 64;      // least number of training rows per prompt and gate
constexpr std::size_t kComparedBytes = std::size_t{512} << 20;  // tensors held at a time

/// Exact attention is evaluated once, whether it is asked for or not.
bool isExact(const std::string& kernel) { return kernel == "softmax"; }

}  // namespace

LayerComparison::LayerComparison(const ComparisonParams& params, const KernelFactory& factory, HeadSource& source,
                                 kernels::Backend& backend, const LayerInfo& layer, ComparisonResult& result)
    : params_(params),
      factory_(factory),
      source_(source),
      backend_(backend),
      layer_(layer),
      result_(result),
      heads_(selectedHeads(params.selection, layer)),
      length_(selectedLength(params.selection, layer)) {
    if (!layer.hasValue)
        throw kernels::FormatError({source.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                    "there is no v, so kernels cannot be compared",
                                    "dump v beside q and k, or use the profile"});
}

void LayerComparison::chooseKernels(bool skipUnsupported) {
    std::size_t outputs = 1;  // exact attention comes first
    for (const std::string& name : params_.kernels) {
        std::vector<Warning> ignored;  // they are given again when the kernel is made to be used
        const KernelSpec spec = factory_.make(name, layer_, heads_.front(), params_.seeds.front(), ignored);
        const kernels::Support support =
            backend_.supports(spec, {length_, layer_.headDim, layer_.valueDim, layer_.hasEveryQuery()});
        if (!support.supported) {
            if (!skipUnsupported)
                throw kernels::ShapeError(fmt::format("layer {}: {}", layer_.layer.value, support.reason));
            result_.warnings.push_back(
                {"unsupported", fmt::format("layer {} {}", layer_.layer.value, name), support.reason});
            continue;
        }
        names_.push_back(name);
        for (std::size_t seed = 0; seed < drawCount(name); ++seed)
            draws_.push_back({names_.size() - 1, seed, isExact(name) ? 0 : outputs++});
    }
}

std::size_t LayerComparison::drawCount(const std::string& kernel) const {
    return static_cast<std::size_t>(factory_.drawCount(kernel, static_cast<int>(params_.seeds.size())));
}

std::vector<KernelSpec> LayerComparison::specsOf(HeadIndex head) const {
    std::vector<KernelSpec> specs{kernels::Softmax{}};
    for (const Draw& draw : draws_)
        if (draw.output != 0)
            specs.push_back(
                factory_.make(names_[draw.kernel], layer_, head, params_.seeds[draw.seed], result_.warnings));
    return specs;
}

void LayerComparison::prepareSums() {
    const std::size_t rows = result_.positions.size() * result_.positions.front().size();
    for (const HeadIndex head : heads_) {
        specs_.push_back(specsOf(head));
        HeadSums& sums = sums_.emplace_back();
        for (const std::string& name : names_) {
            sums.seeds.emplace_back(drawCount(name));
            KernelError& error = sums.errors.emplace_back();
            error.layer = layer_.layer;
            error.head = head;
            error.kernel = name;
            error.rowError.assign(rows, kNaN);
            error.rowEnergy.assign(rows, kNaN);
        }
    }
    pooled_.resize(names_.size());
    pooledAfterWo_.resize(names_.size());
}

/// One evaluation per output of the backend; exact attention comes first.
std::vector<kernels::Evaluation> LayerComparison::evaluationsOf(const LayerEvaluations& evaluations, HeadIndex head,
                                                                const std::vector<double>& gates) const {
    std::vector<kernels::Evaluation> how{{}};
    for (const Draw& draw : draws_) {
        if (draw.output == 0) continue;
        how.push_back(evaluations.of(names_[draw.kernel], head));
        if (!gates.empty() && !std::isnan(gates[draw.kernel])) how.back().exact.gate = gates[draw.kernel];
    }
    return how;
}

void LayerComparison::chooseEvaluations(const RunControl& control) {
    const LayerEvaluations evaluations(params_.evaluation, factory_.parameters(), source_, layer_, length_,
                                       result_.warnings, control);
    const bool fits =
        std::any_of(names_.begin(), names_.end(), [&](const std::string& name) { return evaluations.needsGate(name); });
    std::vector<std::vector<Index>> rows;
    if (fits)
        rows =
            gateRows(evaluations.train(), result_.prompts, result_.positions, source_, length_,
                     params_.rows == 0 ? 0 : std::max(params_.rows, kGateRows), params_.rowSeed + 1, result_.warnings);
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        how_.push_back(evaluationsOf(evaluations, heads_[h], {}));
        std::vector<GatedKernel> gated;
        for (const Draw& draw : draws_)
            if (draw.output != 0 && evaluations.needsGate(names_[draw.kernel]))
                gated.push_back({draw.kernel, specs_[h][draw.output], how_[h][draw.output]});
        if (!gated.empty())
            how_[h] = evaluationsOf(evaluations, heads_[h],
                                    fitGates(gated, names_.size(), layer_, heads_[h], evaluations.train(), rows,
                                             length_, source_, backend_, control.part(h, heads_.size())));
        for (const Draw& draw : draws_)
            if (draw.output != 0 && !how_[h][draw.output].exact.empty())
                sums_[h].errors[draw.kernel].gate = gateOf(specs_[h][draw.output], how_[h][draw.output].exact);
    }
}

void LayerComparison::run(const RunControl& control) {
    if (params_.afterProjection && static_cast<int>(heads_.size()) == layer_.nHeads && layer_.hasOutputProjection)
        projection_ = source_.outputProjection(layer_.layer, control);
    prepareSums();
    chooseEvaluations(control.slice(0.0F, params_.evaluation.hasExactPart() ? 0.5F : 0.0F));
    const RunControl rest = control.slice(params_.evaluation.hasExactPart() ? 0.5F : 0.0F, 1.0F);
    if (params_.keepOutputs) prepareOutputs();
    for (std::size_t p = 0; p < result_.prompts.size(); ++p) runPrompt(p, rest.part(p, result_.prompts.size()));
    conclude();
}

void LayerComparison::runPrompt(std::size_t prompt, const RunControl& control) {
    HeadLoader loader(source_, layer_, result_.prompts[prompt], length_, true);
    const auto rows = static_cast<Index>(result_.positions[prompt].size());
    for (Index start = 0; start < rows; start += kBlockRows) {
        const Index count = std::min(kBlockRows, rows - start);
        runBlock(prompt, start, count, loader,
                 control.parts(static_cast<std::size_t>(start), static_cast<std::size_t>(start + count),
                               static_cast<std::size_t>(rows)));
    }
}

void LayerComparison::runBlock(std::size_t prompt, Index start, Index count, HeadLoader& loader,
                               const RunControl& control) {
    const std::span<const Index> rows =
        std::span(result_.positions[prompt]).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(count));
    std::vector<ProjectedRows> projected;  // exact outputs, then the errors of every draw
    if (projection_) projected = std::vector(draws_.size() + 1, ProjectedRows(*projection_, count, layer_.valueDim));

    const std::size_t headBytes =
        static_cast<std::size_t>(length_ * (2 * layer_.headDim + layer_.valueDim)) * sizeof(double);
    const std::size_t batch = std::max<std::size_t>(1, kComparedBytes / std::max<std::size_t>(headBytes, 1));
    for (std::size_t from = 0; from < heads_.size(); from += batch) {
        const std::size_t to = std::min(from + batch, heads_.size());
        std::vector<RowsJob> jobs;
        std::vector<std::size_t> owners;
        for (std::size_t h = from; h < to; ++h) {
            control.throwIfCancelled();
            const kernels::HeadInputs inputs = loader.inputs(heads_[h], control);
            if (noteNonFinite(loader, h)) continue;
            const bool wantWeights =
                params_.keepWeights && result_.weights.empty() && prompt == 0 && start == 0 && h == 0;
            jobs.push_back({inputs, rows, specs_[h], wantWeights, how_[h]});
            owners.push_back(h);
        }
        const auto outputs = backend_.attendRows(jobs, control.parts(from, to, heads_.size()));
        for (std::size_t n = 0; n < outputs.size(); ++n) {
            addHead(owners[n], prompt, start, outputs[n]);
            if (jobs[n].wantWeights) keepWeights(outputs[n]);
            if (projection_) project(heads_[owners[n]], outputs[n], projected);
        }
        if (heads_.size() > batch) loader.release();
    }
    if (projection_) poolProjected(projected, control);
    control.report(1.0F);
}

void LayerComparison::project(HeadIndex head, const std::vector<RowsOutput>& outputs,
                              std::vector<ProjectedRows>& projected) const {
    projected.front().setOutput(head.value, outputs.front());
    for (std::size_t d = 0; d < draws_.size(); ++d)
        projected[d + 1].setError(head.value, outputs.front(), outputs[draws_[d].output]);
}

void LayerComparison::poolProjected(const std::vector<ProjectedRows>& projected, const RunControl& control) {
    const std::vector<double> energy = projected.front().squaredNorms();
    for (std::size_t d = 0; d < draws_.size(); ++d) {
        control.throwIfCancelled();
        pooledAfterWo_[draws_[d].kernel] += summed(projected[d + 1].squaredNorms(), energy, projection_->rows());
    }
}

bool LayerComparison::noteNonFinite(const HeadLoader& loader, std::size_t head) {
    if (loader.nonFinite(heads_[head]) == 0) return false;
    if (sums_[head].usable) result_.warnings.push_back(loader.nonFiniteWarning(heads_[head]));
    sums_[head].usable = false;
    projectable_ = false;
    return true;
}

void LayerComparison::addHead(std::size_t head, std::size_t prompt, Index start,
                              const std::vector<RowsOutput>& outputs) {
    const std::size_t offset = prompt * result_.positions.front().size() + static_cast<std::size_t>(start);
    for (std::size_t d = 0; d < draws_.size(); ++d)
        addDraw(sums_[head], draws_[d], offset, rowSums(outputs.front(), outputs[draws_[d].output]));
    noteNegativeDenominators(head, outputs);
    if (params_.keepOutputs) keepOutputs(head, prompt, start, outputs);
}

/// A signed kernel may divide by a negative number: the row counts, and one warning per head and kernel says so.
void LayerComparison::noteNegativeDenominators(std::size_t head, const std::vector<RowsOutput>& outputs) {
    for (const Draw& draw : draws_) {
        if (outputs[draw.output].negativeDenominators == 0) continue;
        const Warning negative{
            "negative-denominator",
            fmt::format("layer {} head {} {}", layer_.layer.value, heads_[head].value, names_[draw.kernel]),
            "the kernel sums to a negative number at some rows; they are used as they are"};
        addOnce(negative, result_.warnings);
    }
}

void LayerComparison::addDraw(HeadSums& sums, const Draw& draw, std::size_t rowOffset, const RowSums& rows) {
    KernelError& error = sums.errors[draw.kernel];
    ErrorSums& total = sums.seeds[draw.kernel][draw.seed];
    for (std::size_t r = 0; r < rows.error.size(); ++r) {
        if (!(rows.energy[r] >= 0.0)) {
            ++error.badRows;
            continue;
        }
        total += {rows.error[r], rows.energy[r], static_cast<double>(layer_.valueDim)};
        double& rowError = error.rowError[rowOffset + r];
        // Sums over seeds here; conclude() divides. A row that is bad for one seed keeps the others'.
        rowError = rowError >= 0.0 ? rowError + rows.error[r] : rows.error[r];
        error.rowEnergy[rowOffset + r] = rows.energy[r];
    }
}

void LayerComparison::conclude() {
    for (HeadSums& head : sums_)
        for (std::size_t k = 0; k < names_.size(); ++k) {
            KernelError& error = head.errors[k];
            ErrorSums total;
            for (const ErrorSums& seed : head.seeds[k]) {
                total += seed;
                error.seedMse.push_back(head.usable ? seed.mse() : kNaN);
                error.seedRelMse.push_back(head.usable ? seed.relMse() : kNaN);
            }
            error.mse = head.usable ? total.mse() : kNaN;
            error.relMse = head.usable ? total.relMse() : kNaN;
            for (double& row : error.rowError) row /= static_cast<double>(head.seeds[k].size());
            if (head.usable) pooled_[k] += total;
            result_.heads.push_back(std::move(error));
        }
}

void LayerComparison::prepareOutputs() {
    firstOutput_ = result_.outputs.size();
    const auto prompts = static_cast<Index>(result_.prompts.size());
    const auto heads = static_cast<Index>(heads_.size());
    const auto rows = static_cast<Index>(result_.positions.front().size());
    const auto add = [&](const std::string& kernel, std::vector<Index> shape) {
        Index size = 1;
        for (const Index n : shape) size *= n;
        result_.outputs.push_back(
            {layer_.layer, kernel, std::move(shape), std::vector<double>(static_cast<std::size_t>(size), kNaN)});
    };
    add("softmax", {prompts, heads, rows, layer_.valueDim});
    for (const std::string& name : names_)
        if (!isExact(name)) add(name, {static_cast<Index>(drawCount(name)), prompts, heads, rows, layer_.valueDim});
}

void LayerComparison::keepOutputs(std::size_t head, std::size_t prompt, Index start,
                                  const std::vector<RowsOutput>& outputs) {
    const std::size_t rows = result_.positions.front().size();
    const auto store = [&](KernelOutputs& target, std::size_t seed, const RowsOutput& output) {
        const std::size_t block =
            ((seed * result_.prompts.size() + prompt) * heads_.size() + head) * rows + static_cast<std::size_t>(start);
        std::copy(output.values.values().begin(), output.values.values().end(),
                  target.values.begin() + static_cast<std::ptrdiff_t>(block) * layer_.valueDim);
    };
    store(result_.outputs[firstOutput_], 0, outputs.front());
    for (std::size_t d = 0; d < draws_.size(); ++d)
        for (std::size_t n = firstOutput_ + 1; n < result_.outputs.size(); ++n)
            if (result_.outputs[n].kernel == names_[draws_[d].kernel])
                store(result_.outputs[n], draws_[d].seed, outputs[draws_[d].output]);
}

void LayerComparison::keepWeights(const std::vector<RowsOutput>& outputs) {
    const auto keep = [&](const std::string& kernel, const RowsOutput& output) {
        result_.weights.push_back({kernel, std::make_shared<const kernels::Matrix<float>>(output.weights)});
    };
    keep("softmax", outputs.front());
    for (std::size_t d = 0; d < draws_.size(); ++d)
        if (draws_[d].seed == 0 && draws_[d].output != 0) keep(names_[draws_[d].kernel], outputs[draws_[d].output]);
}

}  // namespace dimscope::analysis
