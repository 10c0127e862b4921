// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/layer_fidelity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/fidelity/fidelity_methods.h"
#include "analysis/fidelity/weight_agreement.h"
#include "analysis/gate_fit.h"
#include "analysis/warning_list.h"
#include "kernels/sequence.h"

namespace dimscope::analysis {
namespace {

using kernels::HeadInputs;
using kernels::RowsJob;
using kernels::RowsOutput;

constexpr int kGateRowsOfFidelity = 64;  // training rows per prompt and gate

Eigen::Map<const HeadRowsMatrix> mappedRows(const kernels::Matrix<double>& m) { return {m.data(), m.rows(), m.cols()}; }

/// The chosen rows of a whole sequence.
RowsOutput rowsOf(kernels::SequenceOutput sequence, const std::vector<Index>& rows) {
    RowsOutput out;
    out.negativeDenominators = sequence.negativeDenominators;
    if (static_cast<Index>(rows.size()) == sequence.values.rows()) {
        out.values = std::move(sequence.values);
        out.bad = std::move(sequence.bad);
        return out;
    }
    out.values = kernels::Matrix<double>(static_cast<Index>(rows.size()), sequence.values.cols());
    for (std::size_t n = 0; n < rows.size(); ++n) {
        std::copy_n(sequence.values.row(rows[n]), sequence.values.cols(), out.values.row(static_cast<Index>(n)));
        out.bad.push_back(sequence.bad[static_cast<std::size_t>(rows[n])]);
    }
    return out;
}

void addRow(const auto& output, const auto& exact, const auto& error, HeadFidelitySums& sums) {
    sums.before += {error.squaredNorm(), exact.squaredNorm(), static_cast<double>(exact.size())};
    sums.kernelEnergy += output.squaredNorm();
    sums.product += output.dot(exact);
    sums.rows += 1.0;
    sums.outputSum.resize(static_cast<std::size_t>(exact.size()), 0.0);
    for (Index c = 0; c < exact.size(); ++c) sums.outputSum[static_cast<std::size_t>(c)] += exact[c];
}

}  // namespace

LayerFidelitySums::LayerFidelitySums(const FidelityParams& params, const FidelityKernels& kernels,
                                     const FidelityRows& rows, HeadSource& source, kernels::Backend& backend,
                                     const LayerInfo& layer)
    : params_(params),
      kernels_(kernels),
      rows_(rows),
      source_(source),
      backend_(backend),
      layer_(layer),
      heads_(selectedHeads(params.selection, layer)),
      present_(kernels.methods.size(), true),
      state_(kernels.methods.size(), false) {
    if (!layer.hasValue)
        throw kernels::FormatError({source.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                    "there is no v, so kernels cannot be compared",
                                    "dump v beside q and k, or use the profile"});
}

void LayerFidelitySums::chooseKernels(bool skipUnsupported, std::vector<Warning>& warnings) {
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m) {
        const FidelityMethod& method = kernels_.methods[m];
        if (method.calibrated && !isCalibrated(kernels_.factory, method.kernel, layer_.layer)) {
            present_[m] = false;
            warnings.push_back({"default-parameters", fmt::format("layer {} {}", layer_.layer.value, method.kernel),
                                "no fitted parameters; calibrated it stands for the other layers alone"});
            continue;
        }
        std::vector<Warning> ignored;  // they are given again when the kernel is made to be used
        const KernelFactory& factory = method.calibrated ? kernels_.factory : kernels_.untrained;
        const kernels::KernelSpec spec =
            factory.make(method.kernel, layer_, heads_.front(), params_.seeds.front(), ignored);
        const kernels::Support support =
            backend_.supports(spec, {rows_.length, layer_.headDim, layer_.valueDim, layer_.hasEveryQuery()});
        if (support.supported) continue;
        if (!skipUnsupported)
            throw kernels::ShapeError(fmt::format("layer {}: {}", layer_.layer.value, support.reason));
        present_[m] = false;
        warnings.push_back(
            {"unsupported", fmt::format("layer {} {}", layer_.layer.value, method.kernel), support.reason});
    }
}

/// What the file says about an untrained kernel is of interest only where it is all there is.
bool LayerFidelitySums::isKnownWithout(std::size_t method) const {
    return !kernels_.methods[method].calibrated &&
           isCalibrated(kernels_.factory, kernels_.methods[method].kernel, layer_.layer);
}

void LayerFidelitySums::makeKernels(std::size_t head, std::vector<Warning>& warnings) {
    drawn_.emplace_back(kernels_.methods.size());
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m) {
        if (!present_[m]) continue;
        const FidelityMethod& method = kernels_.methods[m];
        const KernelFactory& factory = method.calibrated ? kernels_.factory : kernels_.untrained;
        const int draws = factory.drawCount(method.kernel, static_cast<int>(params_.seeds.size()));
        std::vector<Warning> ignored;
        for (int s = 0; s < draws; ++s)
            drawn_[head][m].push_back(
                {factory.make(method.kernel, layer_, heads_[head], params_.seeds[static_cast<std::size_t>(s)],
                              isKnownWithout(m) ? ignored : warnings),
                 {}});
    }
}

void LayerFidelitySums::chooseEvaluations(std::vector<Warning>& warnings, const RunControl& control) {
    const LayerEvaluations evaluations(params_.evaluation, kernels_.factory.parameters(), source_, layer_, rows_.length,
                                       warnings, control);
    // The gate of a file belongs to the file's parameters.
    const auto needsGate = [&](std::size_t m) {
        const std::string& kernel = kernels_.methods[m].kernel;
        return present_[m] && (evaluations.needsGate(kernel) ||
                               (isKnownWithout(m) && !evaluations.of(kernel, heads_.front()).exact.empty()));
    };
    bool fits = false;
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m) fits = fits || needsGate(m);
    std::vector<std::vector<Index>> rows;
    if (fits)
        rows = gateRows(evaluations.train(), rows_.prompts, rows_.positions, source_, rows_.length, kGateRowsOfFidelity,
                        params_.seed + 1, warnings);
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        std::vector<GatedKernel> gated;
        for (std::size_t m = 0; m < kernels_.methods.size(); ++m)
            for (Drawn& drawn : drawn_[h][m]) {
                drawn.how = evaluations.of(kernels_.methods[m].kernel, heads_[h]);
                if (needsGate(m)) gated.push_back({m, drawn.spec, drawn.how});
            }
        if (gated.empty()) continue;
        const std::vector<double> gates =
            fitGates(gated, kernels_.methods.size(), layer_, heads_[h], evaluations.train(), rows, rows_.length,
                     source_, backend_, control.part(h, heads_.size()));
        for (std::size_t m = 0; m < gates.size(); ++m)
            for (Drawn& drawn : drawn_[h][m])
                if (!std::isnan(gates[m])) drawn.how.exact.gate = gates[m];
    }
}

std::vector<Warning> LayerFidelitySums::prepare(const RunControl& control) {
    std::vector<Warning> warnings;
    const bool complete = static_cast<int>(heads_.size()) == layer_.nHeads;
    if (complete && layer_.hasOutputProjection)
        projection_ =
            std::make_unique<ProjectedOutputs>(source_.outputProjection(layer_.layer, control), layer_.valueDim);
    else
        warnings.push_back({"no-output-projection", fmt::format("layer {}", layer_.layer.value),
                            layer_.hasOutputProjection ? "not all heads are selected, so there is no error after W_o"
                                                       : "the dump has no W_o, so there is no error after it"});
    for (std::size_t h = 0; h < heads_.size(); ++h) makeKernels(h, warnings);
    chooseEvaluations(warnings, control);
    HeadLoader loader(source_, layer_, rows_.prompts.front(), rows_.length, true);
    const HeadInputs inputs = loader.inputs(heads_.front(), control);
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m)
        if (present_[m] && rows_.all && params_.path == FidelityPath::State)
            state_[m] = backend_.hasSequences() &&
                        std::all_of(drawn_.front()[m].begin(), drawn_.front()[m].end(), [&](const Drawn& drawn) {
                            return kernels::linearTime(drawn.spec, drawn.how, inputs).supported;
                        });
    return warnings;
}

FidelityCell LayerFidelitySums::emptyCell(std::size_t prompt) const {
    FidelityCell cell;
    cell.layer = layer_.layer;
    cell.prompt = rows_.prompts[prompt];
    cell.rowShare = static_cast<double>(rows_.positions[prompt].size()) / static_cast<double>(rows_.valid[prompt]);
    cell.usable.assign(heads_.size(), 1);
    cell.methods.resize(kernels_.methods.size());
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m)
        if (present_[m]) cell.methods[m].heads.resize(heads_.size());
    return cell;
}

FidelityCell LayerFidelitySums::cell(std::size_t prompt, kernels::cpu::WorkerPool& pool, const RunControl& control) {
    FidelityCell cell = emptyCell(prompt);
    HeadLoader loader(source_, layer_, cell.prompt, rows_.length, true);
    const std::vector<HeadInputs> inputs = load(loader, cell, control);
    const ExactOutputs exact = exactOutputs(prompt, inputs, cell, pool, control.slice(0.0F, 0.1F));
    const RunControl rest = control.slice(0.1F, 0.9F);
    for (std::size_t m = 0; m < kernels_.methods.size(); ++m) {
        if (!present_[m]) continue;
        const RunControl own = rest.part(m, kernels_.methods.size());
        const std::size_t draws = drawn_.front()[m].size();
        for (std::size_t s = 0; s < draws; ++s) {
            const std::vector<RowsOutput> outputs = evaluate(prompt, m, s, inputs, cell, own.part(s, draws));
            noteNegative(m, outputs, cell.warnings);
            addDraw(exact, outputs, cell, cell.methods[m], pool, own);
            own.part(s, draws).report(1.0F);
        }
    }
    if (params_.weightRows > 0) addWeights(prompt, inputs, cell, control.slice(0.9F, 1.0F));
    control.report(1.0F);
    return cell;
}

std::vector<HeadInputs> LayerFidelitySums::load(HeadLoader& loader, FidelityCell& cell, const RunControl& control) {
    std::vector<HeadInputs> inputs;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        control.throwIfCancelled();
        inputs.push_back(loader.inputs(heads_[h], control));
        if (loader.nonFinite(heads_[h]) == 0) continue;
        cell.usable[h] = 0;
        cell.warnings.push_back(loader.nonFiniteWarning(heads_[h]));
    }
    cell.hasAfter = projection_ && std::find(cell.usable.begin(), cell.usable.end(), 0) == cell.usable.end();
    return inputs;
}

LayerFidelitySums::ExactOutputs LayerFidelitySums::exactOutputs(std::size_t prompt,
                                                                const std::vector<HeadInputs>& inputs,
                                                                const FidelityCell& cell,
                                                                kernels::cpu::WorkerPool& pool,
                                                                const RunControl& control) {
    const std::vector<kernels::KernelSpec> softmax{kernels::Softmax{}};
    const std::vector<Index>& rows = rows_.positions[prompt];
    ExactOutputs exact;
    exact.values.assign(heads_.size(), HeadRowsMatrix::Zero(static_cast<Index>(rows.size()), layer_.valueDim));
    exact.bad.assign(heads_.size(), std::vector<std::uint8_t>(rows.size(), 1));
    exact.anyBad.assign(rows.size(), 0);
    std::vector<RowsJob> jobs;
    std::vector<std::size_t> owners;
    for (std::size_t h = 0; h < heads_.size(); ++h)
        if (cell.usable[h] != 0) {
            jobs.push_back({inputs[h], rows, softmax, false, {}});
            owners.push_back(h);
        }
    const auto outputs = backend_.attendRows(jobs, control);
    for (std::size_t n = 0; n < owners.size(); ++n) {
        const RowsOutput& output = outputs[n].front();
        exact.bad[owners[n]] = output.bad;
        for (std::size_t r = 0; r < rows.size(); ++r)
            if (output.bad[r] == 0)
                exact.values[owners[n]].row(static_cast<Index>(r)) =
                    mappedRows(output.values).row(static_cast<Index>(r));
            else
                exact.anyBad[r] = 1;
    }
    if (cell.hasAfter) exact.projected = projection_->jointNorms(exact.values, pool, control);
    return exact;
}

std::vector<RowsOutput> LayerFidelitySums::evaluate(std::size_t prompt, std::size_t method, std::size_t draw,
                                                    const std::vector<HeadInputs>& inputs, const FidelityCell& cell,
                                                    const RunControl& control) {
    std::vector<RowsOutput> outputs(heads_.size());
    std::vector<std::size_t> owners;
    for (std::size_t h = 0; h < heads_.size(); ++h)
        if (cell.usable[h] != 0) owners.push_back(h);
    if (state_[method]) {
        std::vector<kernels::SequenceJob> jobs;
        for (const std::size_t h : owners)
            jobs.push_back({inputs[h], drawn_[h][method][draw].spec, drawn_[h][method][draw].how});
        auto sequences = backend_.attendSequences(jobs, control);
        for (std::size_t n = 0; n < owners.size(); ++n)
            outputs[owners[n]] = rowsOf(std::move(sequences[n]), rows_.positions[prompt]);
        return outputs;
    }
    std::vector<RowsJob> jobs;
    for (const std::size_t h : owners) {
        const Drawn& drawn = drawn_[h][method][draw];
        jobs.push_back(
            {inputs[h], rows_.positions[prompt], std::span(&drawn.spec, 1), false, std::span(&drawn.how, 1)});
    }
    auto rows = backend_.attendRows(jobs, control);
    for (std::size_t n = 0; n < owners.size(); ++n) outputs[owners[n]] = std::move(rows[n].front());
    return outputs;
}

void LayerFidelitySums::addDraw(const ExactOutputs& exact, const std::vector<RowsOutput>& outputs,
                                const FidelityCell& cell, MethodFidelitySums& sums, kernels::cpu::WorkerPool& pool,
                                const RunControl& control) const {
    const Index rows = exact.values.front().rows();
    std::vector<HeadRowsMatrix> errors(heads_.size());
    std::vector<std::uint8_t> jointBad = exact.anyBad;
    Eigen::VectorXd singles = Eigen::VectorXd::Zero(rows);
    Eigen::VectorXd rowError = Eigen::VectorXd::Zero(rows), rowEnergy = rowError;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        errors[h] = HeadRowsMatrix::Zero(rows, layer_.valueDim);
        if (cell.usable[h] == 0) continue;
        control.throwIfCancelled();
        HeadFidelitySums& head = sums.heads[h];
        const auto values = mappedRows(outputs[h].values);
        std::vector<std::uint8_t> bad = exact.bad[h];
        for (Index r = 0; r < rows; ++r) {
            const auto n = static_cast<std::size_t>(r);
            if (outputs[h].bad[n] != 0) bad[n] = jointBad[n] = 1;
            if (bad[n] != 0) {
                head.badRows += 1.0;
                continue;
            }
            errors[h].row(r) = values.row(r) - exact.values[h].row(r);
            addRow(values.row(r), exact.values[h].row(r), errors[h].row(r), head);
            rowError[r] += errors[h].row(r).squaredNorm();
            rowEnergy[r] += exact.values[h].row(r).squaredNorm();
        }
        if (!cell.hasAfter) continue;
        const Eigen::VectorXd single = projection_->singleNorms(errors[h], heads_[h].value);
        singles += single;
        for (Index r = 0; r < rows; ++r)
            if (const auto n = static_cast<std::size_t>(r); bad[n] == 0 && exact.anyBad[n] == 0)
                head.after += {single[r], exact.projected[r], static_cast<double>(projection_->modelDim())};
    }
    const auto addRows = [&](std::vector<double>& target, const Eigen::VectorXd& more) {
        target.resize(static_cast<std::size_t>(rows), 0.0);
        for (Index r = 0; r < rows; ++r) target[static_cast<std::size_t>(r)] += more[r];
    };
    if (!rows_.all) {
        addRows(sums.rowError, rowError);
        addRows(sums.rowEnergy, rowEnergy);
    }
    if (!cell.hasAfter) return;
    const Eigen::VectorXd joint = projection_->jointNorms(errors, pool, control);
    Eigen::VectorXd jointError = Eigen::VectorXd::Zero(rows), jointEnergy = jointError;
    for (Index r = 0; r < rows; ++r) {
        if (jointBad[static_cast<std::size_t>(r)] != 0) continue;
        jointError[r] = joint[r];
        jointEnergy[r] = exact.projected[r];
        sums.joint += {joint[r], exact.projected[r], static_cast<double>(projection_->modelDim())};
        sums.singles += singles[r];
    }
    if (!rows_.all) {
        addRows(sums.rowErrorAfter, jointError);
        addRows(sums.rowEnergyAfter, jointEnergy);
    }
}

/// Head by head, so that the weights of one head alone are in memory.
void LayerFidelitySums::addWeights(std::size_t prompt, const std::vector<HeadInputs>& inputs, FidelityCell& cell,
                                   const RunControl& control) {
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        if (cell.usable[h] == 0) continue;
        std::vector<kernels::KernelSpec> specs{kernels::Softmax{}};
        std::vector<kernels::Evaluation> how{{}};
        std::vector<std::size_t> methods;
        for (std::size_t m = 0; m < kernels_.methods.size(); ++m)
            for (const Drawn& drawn : drawn_[h][m]) {
                specs.push_back(drawn.spec);
                how.push_back(drawn.how);
                methods.push_back(m);
            }
        const RowsJob job{inputs[h], rows_.weightPositions[prompt], specs, true, how};
        const auto outputs = backend_.attendRows({&job, 1}, control.part(h, heads_.size())).front();
        for (std::size_t n = 0; n < methods.size(); ++n)
            if (!outputs[n + 1].weights.empty())
                cell.methods[methods[n]].heads[h].weights += weightAgreement(outputs.front(), outputs[n + 1]);
    }
}

void LayerFidelitySums::noteNegative(std::size_t method, const std::vector<RowsOutput>& outputs,
                                     std::vector<Warning>& warnings) const {
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        if (outputs[h].negativeDenominators == 0) continue;
        const Warning negative{
            "negative-denominator",
            fmt::format("layer {} head {} {}", layer_.layer.value, heads_[h].value, kernels_.methods[method].kernel),
            "the kernel sums to a negative number at some rows; they are used as they are"};
        addOnce(negative, warnings);
    }
}

}  // namespace dimscope::analysis
