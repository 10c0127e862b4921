// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/head_source.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// The tensors of some query heads of one layer and prompt, with shared keys and values loaded once per KV head.
class HeadLoader {
public:
    /// `wantValue`: false leaves the values out (profiles need none).
    HeadLoader(HeadSource& source, const LayerInfo& layer, PromptIndex prompt, Index length, bool wantValue);

    /// What a backend needs for one head; valid until release(), and loaded once until then. Throws FormatError,
    /// Cancelled.
    kernels::HeadInputs inputs(HeadIndex head, const RunControl& control);
    /// NaN and Inf in query, key (and value, where loaded) of a head after inputs(head).
    Index nonFinite(HeadIndex head) const;
    /// What a result says about a head left out for them: how many, and the place of the first.
    Warning nonFiniteWarning(HeadIndex head) const;
    /// Forgets the tensors of all heads below: keeps memory small while walking over heads.
    void release();

private:
    std::string firstNonFinite(HeadIndex head) const;
    struct Loaded {
        std::shared_ptr<const LoadedTensor> query, key, value;
    };
    std::shared_ptr<const LoadedTensor> shared(std::vector<std::shared_ptr<const LoadedTensor>>& slots, TensorKind kind,
                                               KvHeadIndex head, const RunControl& control);
    HeadSource& source_;
    LayerInfo layer_;
    PromptIndex prompt_;
    Index length_;
    bool wantValue_;
    std::shared_ptr<const std::vector<std::uint8_t>> validity_;
    std::vector<Loaded> heads_;                                       // by query head
    std::vector<std::shared_ptr<const LoadedTensor>> keys_, values_;  // by KV head
};

}  // namespace dimscope::analysis
