// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/doctor/layer_facts.h"

namespace dimscope::analysis {

// One function per check, made from the facts of all layers looked at.

DoctorCheck fileCheck(const DumpInfo& info);
std::vector<DoctorCheck> unreadableChecks(const std::vector<LayerFacts>& layers);

DoctorCheck nonFiniteCheck(const std::vector<LayerFacts>& layers);
DoctorCheck saturationCheck(const std::vector<LayerFacts>& layers);

DoctorCheck deadHeadsCheck(const std::vector<LayerFacts>& layers);
DoctorCheck duplicatedHeadsCheck(const std::vector<LayerFacts>& layers);
DoctorCheck repeatedKvCheck(const std::vector<LayerFacts>& layers);

DoctorCheck paddingCheck(const std::vector<LayerFacts>& layers);
DoctorCheck sinkCheck(const std::vector<LayerFacts>& layers);

/// One per layer with o and v; a single skipped one where no layer has both.
std::vector<DoctorCheck> outputChecks(const std::vector<LayerFacts>& layers);
DoctorCheck rotationCheck(const std::vector<LayerFacts>& layers);
DoctorCheck scaleCheck(const std::vector<LayerFacts>& layers);

/// A candidate that reproduces o clearly better than the stated reading does; null where none is.
const OutputReading* clearlyBetter(const LayerFacts& layer);
/// The stated reading among those of a layer; null without any.
const OutputReading* statedReading(const LayerFacts& layer);
/// Half the distance of neighbours of 1 in the type that o is stored in, or q's where that is coarser.
double unitRoundoff(const LayerFacts& layer);
/// Largest residual of a stated reading that is rounding.
double roundingResidual(const LayerFacts& layer);

}  // namespace dimscope::analysis
