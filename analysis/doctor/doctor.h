// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/doctor/attention_sinks.h"
#include "analysis/doctor/output_readings.h"
#include "analysis/selection.h"
#include "analysis/table.h"

namespace dimscope::analysis {

enum class CheckStatus { Pass, Warn, Fail, Skipped };

/// "pass", "warn", "fail", "skipped".
std::string_view statusName(CheckStatus status);

struct DoctorCheck {
    std::string name;                 ///< "output reading", "padding", ...
    std::optional<LayerIndex> layer;  ///< of a check that is made layer by layer
    CheckStatus status = CheckStatus::Pass;
    std::string detail;      ///< what was found and where, or why nothing was looked at
    double residual = kNaN;  ///< of the output as stated, over RMS of o; NaN: none
};

struct DoctorParams {
    Selection selection;  ///< named prompts are all looked at; the selected query heads count for sinks and output
    int rows = 32;        ///< query rows drawn per prompt, 0: all
    int prompts = 4;      ///< at most this many where the selection names none, evenly spread; 0: all
    std::uint64_t seed = 0;
    SinkRule sinks;
};

struct DoctorResult {
    std::vector<DoctorCheck> checks;
    std::vector<OutputReading> readings;   ///< of each layer with o, the nearest first
    std::vector<AttentionSink> sinks;      ///< by layer, head, prompt, position
    std::vector<HeadSinkMass> headMasses;  ///< by layer, head
    std::size_t prompts = 0;               ///< looked at
    std::vector<Warning> warnings;
    Provenance provenance;

    bool failed() const;
};

/// Checks how a dump is read, from its own numbers: the stored output against exact attention in double precision under
/// every candidate reading, and what else makes results wrong without an error (resources/docs/doctor.md). A layer that
/// cannot be read is a failed check and not the end. Throws ArgumentError (selection), Cancelled, DeviceError.
DoctorResult examineDump(const DoctorParams& params, HeadSource& source, kernels::Backend& backend,
                         const RunControl& control);

Table checksTable(const DoctorResult& result);
Table readingsTable(const DoctorResult& result);
Table sinksTable(const DoctorResult& result);

}  // namespace dimscope::analysis
