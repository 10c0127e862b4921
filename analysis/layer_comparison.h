// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/error_sums.h"
#include "analysis/head_loader.h"
#include "analysis/kernel_comparison.h"
#include "analysis/layer_evaluations.h"

namespace dimscope::analysis {

/// The part of a kernel comparison that concerns one layer: walks over prompts, row blocks and heads, and sums.
class LayerComparison {
public:
    LayerComparison(const ComparisonParams& params, const KernelFactory& factory, HeadSource& source,
                    kernels::Backend& backend, const LayerInfo& layer, ComparisonResult& result);

    /// Kernels that the layer can have; throws ShapeError for one it cannot, or warns where `skipUnsupported`.
    void chooseKernels(bool skipUnsupported);
    void run(const RunControl& control);

    /// Sums of every kernel of the layer for pooling over layers, in the order of kernels().
    const std::vector<std::string>& kernels() const { return names_; }
    const std::vector<ErrorSums>& pooled() const { return pooled_; }
    const std::vector<ErrorSums>& pooledAfterWo() const { return pooledAfterWo_; }
    bool hasAfterWo() const { return projection_ != nullptr && projectable_; }

private:
    struct Draw {
        std::size_t kernel;  // of names_
        std::size_t seed;    // ordinal
        std::size_t output;  // of the backend's outputs; 0 is exact attention
    };
    struct HeadSums {
        std::vector<std::vector<ErrorSums>> seeds;  // [kernel][seed]
        std::vector<KernelError> errors;            // [kernel]
        bool usable = true;
    };
    void runPrompt(std::size_t prompt, const RunControl& control);
    void runBlock(std::size_t prompt, Index start, Index count, HeadLoader& loader, const RunControl& control);
    std::vector<kernels::KernelSpec> specsOf(HeadIndex head) const;
    void prepareSums();
    void chooseEvaluations(const RunControl& control);
    std::vector<kernels::Evaluation> evaluationsOf(const LayerEvaluations& evaluations, HeadIndex head,
                                                   const std::vector<double>& gates) const;
    void project(HeadIndex head, const std::vector<kernels::RowsOutput>& outputs,
                 std::vector<ProjectedRows>& projected) const;
    void poolProjected(const std::vector<ProjectedRows>& projected, const RunControl& control);
    bool noteNonFinite(const HeadLoader& loader, std::size_t head);
    void addHead(std::size_t head, std::size_t prompt, Index start, const std::vector<kernels::RowsOutput>& outputs);
    void noteNegativeDenominators(std::size_t head, const std::vector<kernels::RowsOutput>& outputs);
    void addDraw(HeadSums& sums, const Draw& draw, std::size_t rowOffset, const RowSums& rows);
    void keepOutputs(std::size_t head, std::size_t prompt, Index start,
                     const std::vector<kernels::RowsOutput>& outputs);
    void keepWeights(const std::vector<kernels::RowsOutput>& outputs);
    void prepareOutputs();
    void conclude();
    std::size_t drawCount(const std::string& kernel) const;

    const ComparisonParams& params_;
    const KernelFactory& factory_;
    HeadSource& source_;
    kernels::Backend& backend_;
    LayerInfo layer_;
    ComparisonResult& result_;
    std::vector<HeadIndex> heads_;
    Index length_;
    std::vector<std::string> names_;
    std::vector<Draw> draws_;
    std::vector<std::vector<kernels::KernelSpec>> specs_;  // per head, drawn once for all prompts and rows
    std::vector<std::vector<kernels::Evaluation>> how_;    // per head, one per spec
    std::vector<HeadSums> sums_;
    std::vector<ErrorSums> pooled_, pooledAfterWo_;
    std::shared_ptr<const kernels::Matrix<double>> projection_;
    bool projectable_ = true;  // all heads present and usable so far
    std::size_t firstOutput_ = 0;
};

}  // namespace dimscope::analysis
