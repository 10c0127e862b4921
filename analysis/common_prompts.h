// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/forwarding_source.h"
#include "analysis/selection.h"

namespace dimscope::analysis {

/// The same dump with the prompts that all selected layers have; a warning of its info says which are left out. The
/// rule of every experiment that compares layers or adds them up; a profile takes each layer with the prompts it has.
class CommonPrompts final : public ForwardingSource {
public:
    /// `source` outlives it. Throws ArgumentError where a selected layer is not there, or no prompt is left.
    CommonPrompts(HeadSource& source, const Selection& selection);
    const DumpInfo& info() const override { return info_; }

private:
    DumpInfo info_;
};

}  // namespace dimscope::analysis
