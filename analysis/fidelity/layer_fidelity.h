// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analysis/fidelity/fidelity.h"
#include "analysis/fidelity/projected_outputs.h"
#include "analysis/head_loader.h"
#include "analysis/layer_evaluations.h"

namespace dimscope::analysis {

/// Kernels of a run, with and without what a file holds.
struct FidelityKernels {
    const KernelFactory& factory;
    KernelFactory untrained;
    std::vector<FidelityMethod> methods;
};

/// What is evaluated: the same in every layer.
struct FidelityRows {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions, weightPositions;  ///< per prompt
    std::vector<Index> valid;                                    ///< per prompt: how many rows there are
    bool all = true;
    Index length = 0;
};

/// The part of the comparison that concerns one layer: its kernels, made once, and its cells.
class LayerFidelitySums {
public:
    /// All arguments outlive this.
    LayerFidelitySums(const FidelityParams& params, const FidelityKernels& kernels, const FidelityRows& rows,
                      HeadSource& source, kernels::Backend& backend, const LayerInfo& layer);

    /// Throws ShapeError for a kernel that the layer cannot have, or warns where `skipUnsupported`.
    void chooseKernels(bool skipUnsupported, std::vector<Warning>& warnings);
    /// Makes the kernels, reads W_o, fits gates of an exact part; before any cell. Returns what was odd.
    std::vector<Warning> prepare(const RunControl& control);
    /// The cell of one prompt before anything is added up: its heads all usable, and in every method of this layer.
    FidelityCell emptyCell(std::size_t prompt) const;
    /// Sums of one prompt.
    FidelityCell cell(std::size_t prompt, kernels::cpu::WorkerPool& pool, const RunControl& control);

    bool has(std::size_t method) const { return present_[method]; }
    /// In linear time; known once the layer is prepared.
    bool usesState(std::size_t method) const { return state_[method]; }
    const std::vector<HeadIndex>& heads() const { return heads_; }

private:
    struct Drawn {
        kernels::KernelSpec spec;
        kernels::Evaluation how;
    };
    /// Exact outputs of all heads of one prompt; rows that are bad are 0.
    struct ExactOutputs {
        std::vector<HeadRowsMatrix> values;
        std::vector<std::vector<std::uint8_t>> bad;
        std::vector<std::uint8_t> anyBad;
        Eigen::VectorXd projected;  // (rows) |W_o y|^2; empty without
    };
    bool isKnownWithout(std::size_t method) const;
    void makeKernels(std::size_t head, std::vector<Warning>& warnings);
    void chooseEvaluations(std::vector<Warning>& warnings, const RunControl& control);
    std::vector<kernels::HeadInputs> load(HeadLoader& loader, FidelityCell& cell, const RunControl& control);
    ExactOutputs exactOutputs(std::size_t prompt, const std::vector<kernels::HeadInputs>& inputs,
                              const FidelityCell& cell, kernels::cpu::WorkerPool& pool, const RunControl& control);
    std::vector<kernels::RowsOutput> evaluate(std::size_t prompt, std::size_t method, std::size_t draw,
                                              const std::vector<kernels::HeadInputs>& inputs, const FidelityCell& cell,
                                              const RunControl& control);
    void addDraw(const ExactOutputs& exact, const std::vector<kernels::RowsOutput>& outputs, const FidelityCell& cell,
                 MethodFidelitySums& sums, kernels::cpu::WorkerPool& pool, const RunControl& control) const;
    void addWeights(std::size_t prompt, const std::vector<kernels::HeadInputs>& inputs, FidelityCell& cell,
                    const RunControl& control);
    void noteNegative(std::size_t method, const std::vector<kernels::RowsOutput>& outputs,
                      std::vector<Warning>& warnings) const;

    const FidelityParams& params_;
    const FidelityKernels& kernels_;
    const FidelityRows& rows_;
    HeadSource& source_;
    kernels::Backend& backend_;
    LayerInfo layer_;
    std::vector<HeadIndex> heads_;
    std::vector<bool> present_, state_;                   // per method
    std::vector<std::vector<std::vector<Drawn>>> drawn_;  // [head][method][draw]
    std::unique_ptr<ProjectedOutputs> projection_;        // null: no errors after W_o
};

}  // namespace dimscope::analysis
