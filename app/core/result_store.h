// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/experiments/experiment.h"
#include "analysis/grouping.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::app {

using analysis::HeadIndex;
using analysis::Index;
using analysis::LayerIndex;
using analysis::PromptIndex;
using kernels::RunControl;

/// Results by the values of their inputs, so that nothing is computed twice, neither later nor at the same time on
/// another thread. Keeps the `capacity` entries used last. Thread-safe.
template <class Key, class Value>
class MemoTable {
public:
    using Shared = std::shared_ptr<const Value>;
    explicit MemoTable(std::size_t capacity) : capacity_(capacity) {}

    /// Null where there is none yet.
    Shared find(const Key& key) {
        const std::lock_guard lock(mutex_);
        return findLocked(key);
    }
    /// The result of these inputs, made by `make` (-> Value) unless it is there. While another thread makes it this one
    /// waits, cancellable; if that thread fails, this one makes it itself. What `make` throws is not kept.
    template <class Make>
    Shared getOrMake(const Key& key, const RunControl& control, Make make) {
        {
            std::unique_lock lock(mutex_);
            while (true) {
                control.throwIfCancelled();
                if (Shared found = findLocked(key)) return found;
                if (!isMaking(key)) break;
                changed_.wait_for(lock, std::chrono::milliseconds(20));
            }
            making_.push_back(key);
        }
        const Turn turn{*this, key};
        auto made = std::make_shared<const Value>(make());
        keep(key, made);
        return made;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        entries_.clear();
    }

private:
    struct Entry {
        Key key;
        Shared value;
    };
    /// Takes the key out of `making_` however the making ends.
    struct Turn {
        MemoTable& table;
        const Key& key;
        ~Turn() {
            const std::lock_guard lock(table.mutex_);
            for (auto it = table.making_.begin(); it != table.making_.end(); ++it)
                if (*it == key) {
                    table.making_.erase(it);
                    break;
                }
            table.changed_.notify_all();
        }
    };

    Shared findLocked(const Key& key) {
        for (auto it = entries_.begin(); it != entries_.end(); ++it)
            if (it->key == key) {
                entries_.splice(entries_.begin(), entries_, it);
                return entries_.front().value;
            }
        return nullptr;
    }
    bool isMaking(const Key& key) const {
        for (const Key& other : making_)
            if (other == key) return true;
        return false;
    }
    void keep(const Key& key, Shared value) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({key, std::move(value)});
        if (entries_.size() > capacity_) entries_.pop_back();
    }

    const std::size_t capacity_;
    std::mutex mutex_;  // guards everything below
    std::condition_variable changed_;
    std::list<Entry> entries_;  // last used first
    std::vector<Key> making_;
};

/// Inputs of the profiles of one layer. `dump` counts openings: a reloaded file is another dump.
struct ProfileKey {
    int dump = 0;
    LayerIndex layer;
    std::vector<PromptIndex> prompts;  ///< empty: all
    Index length = 0;                  ///< 0: all positions
    std::string backend;
    friend bool operator==(const ProfileKey&, const ProfileKey&) = default;
};

struct GroupingKey {
    ProfileKey profile;
    analysis::GroupingParams params;
    friend bool operator==(const GroupingKey&, const GroupingKey&) = default;
};

/// Inputs of the comparison of one head, or of all heads of a layer.
struct ComparisonKey {
    int dump = 0;
    LayerIndex layer;
    std::optional<HeadIndex> head;     ///< empty: all heads of the layer
    std::vector<PromptIndex> prompts;  ///< empty: all
    Index length = 0;
    std::string backend;
    std::vector<std::string> kernels;
    int rows = 32;  ///< per prompt; 0: all
    std::vector<int> seeds{0};
    std::uint64_t rowSeed = 0;
    analysis::KernelSettings settings;
    analysis::EvaluationParams evaluation;
    GroupingKey grouping;  ///< groups of "oal"
    bool keepWeights = false;
    friend bool operator==(const ComparisonKey&, const ComparisonKey&) = default;
};

/// Inputs of an experiment of the catalogue.
struct ExperimentKey {
    int dump = 0;
    std::string name;
    analysis::ExperimentRequest request;
    std::string backend;
    friend bool operator==(const ExperimentKey&, const ExperimentKey&) = default;
};

struct ResultStore {
    MemoTable<ProfileKey, analysis::ProfileResult> profiles{512};
    MemoTable<GroupingKey, analysis::GroupingResult> groupings{256};
    MemoTable<ComparisonKey, analysis::ComparisonResult> comparisons{32};
    MemoTable<ExperimentKey, analysis::ExperimentOutcome> experiments{32};
    void clear();
};

}  // namespace dimscope::app
