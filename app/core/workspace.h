// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/core/layer_jobs.h"
#include "app/core/selection_history.h"

namespace dimscope::app {

/// Everything a person may set, with its defaults. One value for all pages.
struct Parameters {
    Index length = 0;                         ///< first N positions; 0: all
    std::vector<PromptIndex> profilePrompts;  ///< empty: all
    bool maximum = false;                     ///< max |x| instead of mean |x|
    bool foldPairs = false;                   ///< RoPE partners side by side
    analysis::GroupingParams grouping;
    std::vector<PromptIndex> errorPrompts;  ///< empty: the evaluation split, else all
    std::vector<std::string> kernels;       ///< empty: all of the catalogue
    int rows = 32;
    int seed = 0;            ///< of the rows and of the first draw
    int draws = 3;           ///< feature draws of a random kernel
    Index positionBin = 64;  ///< tokens in one point of the error by position
    analysis::KernelSettings settings;
    analysis::EvaluationParams evaluation;                             ///< exact keys and centred keys, of all kernels
    std::string weightsOf = "oal";                                     ///< kernel whose weights are shown
    bool chosenLayerOnly = false;                                      ///< experiments look at the chosen layer alone
    std::map<std::string, std::map<std::string, double>> experiments;  ///< fields of each, as far as set by a person
    friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// Kernels that a comparison offers: all but exact attention and the reference lines.
std::vector<std::string> comparableKernels();
/// "uniform", "zero", "first_value".
std::vector<std::string> referenceKernels();

/// The open dump, what is looked at, and with which parameters. Lives on the owner's thread; jobs get copies of its
/// keys.
class Workspace {
public:
    Workspace();

    bool isOpen() const { return source_ != nullptr; }
    /// Takes a dump that was opened by a job. A failed open never gets here, so the open dump stays.
    /// The same file again keeps the chosen head where it still exists.
    void adopt(const std::filesystem::path& path, std::shared_ptr<analysis::HeadSource> source);
    const std::filesystem::path& path() const { return path_; }
    const analysis::DumpInfo& info() const { return source_->info(); }
    const analysis::LayerInfo* layer() const;  ///< of the chosen head; null where none is chosen

    const std::optional<HeadChoice>& choice() const { return choice_; }
    bool choose(HeadChoice choice);  ///< false: no such head, or chosen already
    SelectionHistory& history() { return history_; }
    bool goBack();
    bool goForward();

    const std::string& backend() const { return backend_; }
    void setBackend(std::string name) { backend_ = std::move(name); }
    const Parameters& parameters() const { return parameters_; }
    void setParameters(Parameters parameters) { parameters_ = std::move(parameters); }

    /// Positions looked at in a layer: the chosen length, at most what the layer has.
    Index lengthIn(const analysis::LayerInfo& layer) const;
    ProfileKey profileKey(LayerIndex layer) const;
    GroupingKey groupingKey(LayerIndex layer) const;
    ComparisonKey headComparisonKey(HeadChoice choice) const;  ///< with weight rows
    ComparisonKey layerComparisonKey(LayerIndex layer) const;  ///< all heads, without
    ExperimentKey experimentKey(const std::string& name) const;

    /// For jobs of one queue. The store is shared by all queues.
    JobContext context(std::shared_ptr<BackendSlot> slot) const { return {source_, store_, std::move(slot)}; }
    ResultStore& store() const { return *store_; }

private:
    bool exists(HeadChoice choice) const;

    std::filesystem::path path_;
    std::shared_ptr<analysis::HeadSource> source_;
    std::shared_ptr<ResultStore> store_;
    int generation_ = 0;
    std::optional<HeadChoice> choice_;
    SelectionHistory history_;
    std::string backend_ = "cpu";
    Parameters parameters_;
};

}  // namespace dimscope::app
