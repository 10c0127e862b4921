// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/provenance.h"
#include "io/dump/layer_metadata.h"
#include "io/dump/prompt_metadata.h"

namespace dimscope::io {

/// Keys at the ends of a prompt's valid positions that repeat bit for bit or are all zero: padding that nothing marks.
struct PaddingRun {
    int prompt = 0;
    kernels::Index leading = 0, trailing = 0;
};

/// Prompts whose first and last KV heads of the first and last layer all have such a run, by its least length; a head
/// whose keys are all the same says nothing. `all`: of every prompt, however long it takes; else of at most 32, evenly
/// spread, for as long as 100 ms last, and only where a few rows can be read without much more.
std::vector<PaddingRun> findPadding(const ArrayFile& file, const std::vector<LayerContents>& layers,
                                    const PromptMetadata& prompts, bool all);

/// "prompt 0: 12 trailing, prompt 3: 2 leading and 4 trailing and 5 more"
std::string paddingText(const std::vector<PaddingRun>& runs);

}  // namespace dimscope::io
