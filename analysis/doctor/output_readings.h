// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/doctor/rotary.h"
#include "analysis/head_source.h"

namespace dimscope::analysis {

/// One way to read a layer.
struct OutputReading {
    LayerIndex layer;
    double scale = 1.0;
    bool strided = false;  ///< query head h reads key/value head h mod Hkv, else h / (Hq / Hkv)
    bool causal = true;
    Index window = 0;                ///< 0: none
    double softcap = 0.0;            ///< 0: none
    bool sink = false;               ///< learned sink logits take part
    std::optional<RotaryForm> rope;  ///< q and k are rotated first; none: used as stored
    bool stated = false;             ///< as the dump's attributes say
    double residual = kNaN;          ///< RMS of the difference to o over RMS of o
};

/// "scale 0.125, contiguous, causal, as stored".
std::string readingText(const OutputReading& reading);
/// The attributes that turn the stated reading into this one: "gqa=\"strided\", scale=1".
std::string correctionText(const OutputReading& stated, const OutputReading& better);

/// The stated reading first; every other scale, order of KV heads, causality and rotation with each other, and the
/// stated one without window, soft cap or sink logits.
std::vector<OutputReading> candidateReadings(const LayerInfo& layer);

/// Squared distances of exact attention in double precision to the stored o.
class OutputResiduals {
public:
    OutputResiduals(const LayerInfo& layer, std::vector<OutputReading> readings);

    /// Adds a prompt: the stated reading at all `rows`, all readings at every fourth of them. Heads with numbers that
    /// are not finite are left out. Throws FormatError, Cancelled.
    void add(HeadSource& source, PromptIndex prompt, const std::vector<HeadIndex>& heads,
             const std::vector<Index>& rows, const RunControl& control);

    /// The readings with their residuals at the rows they share, nearest first, without a residual last.
    std::vector<OutputReading> readings() const;
    /// Of the stated reading at all rows.
    double statedResidual() const;
    Index rows() const { return rows_; }  ///< (prompt, head, row) of the stated reading

private:
    struct Sums {
        double difference = 0.0, output = 0.0;
        double relativeRms() const;
    };
    struct PromptTensors;
    Sums sumsOf(const OutputReading& reading, HeadIndex head, const std::vector<Index>& rows, PromptTensors& tensors,
                const RunControl& control) const;

    LayerInfo layer_;
    std::vector<OutputReading> readings_;
    std::vector<Sums> sums_;  // by reading
    Sums stated_;
    Index rows_ = 0;
};

}  // namespace dimscope::analysis
