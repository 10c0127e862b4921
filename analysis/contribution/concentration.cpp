// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/concentration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/contribution/top_dimensions.h"
#include "analysis/head_profile.h"
#include "analysis/intervention/control_source.h"
#include "analysis/run_record.h"
#include "analysis/statistics.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr int kFollowed = 5;  // dimensions whose share is compared with the draws

HeadConcentration concentrationOf(const HeadProfile& profile) {
    HeadConcentration head;
    head.layer = profile.layer;
    head.head = profile.head;
    head.usable = profile.usable();
    head.top1 = profile.top1;
    head.top5 = profile.top5;
    head.top10 = profile.top10;
    head.effectiveDims = effectiveDimensions(profile.chi);
    if (head.usable) head.strongest = topDimensions(profile.chi, kFollowed);
    head.lorenz = lorenzCurve(profile.chi);
    return head;
}

void addDraw(const HeadProfile& drawn, HeadConcentration& head) {
    IsotropicShares& shares = head.isotropic;
    shares.same.push_back(shareOf(head.strongest, drawn.chi));
    shares.own.push_back(topShareOf(drawn.chi, kFollowed));
    shares.effectiveDims.push_back(effectiveDimensions(drawn.chi));
    const std::vector<double> curve = lorenzCurve(drawn.chi);
    if (shares.lorenz.empty()) {
        shares.lorenz.assign(curve.size(), 0.0);
        shares.lorenzFrom = shares.lorenzTo = curve;
    }
    for (std::size_t n = 0; n < curve.size(); ++n) {
        shares.lorenz[n] += curve[n];
        shares.lorenzFrom[n] = std::min(shares.lorenzFrom[n], curve[n]);
        shares.lorenzTo[n] = std::max(shares.lorenzTo[n], curve[n]);
    }
}

void concludeDraws(HeadConcentration& head) {
    IsotropicShares& shares = head.isotropic;
    if (shares.own.empty()) return;
    for (double& value : shares.lorenz) value /= static_cast<double>(shares.own.size());
    if (std::isfinite(head.top5)) shares.p = permutationP(shares.own, head.top5);
}

/// `control` is one slice for each draw.
void addDraws(const ConcentrationParams& params, HeadSource& source, kernels::Backend& backend,
              ConcentrationResult& result, const RunControl& control) {
    for (int draw = 0; draw < params.draws; ++draw) {
        const auto isotropic =
            controlSource(ControlRung::Gaussian, source, params.seed + static_cast<std::uint64_t>(draw));
        const ProfileResult drawn =
            profileHeads(params.selection, *isotropic, backend,
                         control.part(static_cast<std::size_t>(draw), static_cast<std::size_t>(params.draws)));
        for (HeadConcentration& head : result.heads)
            if (const HeadProfile* profile = drawn.find(head.layer, head.head); profile && head.usable)
                addDraw(*profile, head);
    }
    for (HeadConcentration& head : result.heads) concludeDraws(head);
}

}  // namespace

const HeadConcentration* ConcentrationResult::find(LayerIndex layer, HeadIndex head) const {
    for (const HeadConcentration& found : heads)
        if (found.layer == layer && found.head == head) return &found;
    return nullptr;
}

ConcentrationResult concentration(const ConcentrationParams& params, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control) {
    if (params.draws < 0) throw kernels::ArgumentError(fmt::format("draws {}: expected 0 or more", params.draws));
    RunRecord record("concentration", &backend, params.seed);
    describe(params.selection, source.info(), record.provenance());
    record.provenance().parameters = {{"draws", std::int64_t{params.draws}}};
    // Reading takes as long in a draw as in the profile.
    const float profileEnd = 1.0F / static_cast<float>(1 + params.draws);
    const ProfileResult profile = profileHeads(params.selection, source, backend, control.slice(0.0F, profileEnd));
    ConcentrationResult result;
    result.prompts = profile.prompts;
    result.draws = params.draws;
    result.warnings = profile.warnings;
    for (const HeadProfile& head : profile.heads) result.heads.push_back(concentrationOf(head));
    addDraws(params, source, backend, result, control.slice(profileEnd, 1.0F));
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
