// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/intervention_document.h"

#include <fmt/format.h>

#include "analysis/statistics.h"
#include "app/cli/text_table.h"

namespace dimscope::app {
namespace {

using analysis::InterventionResult;
using analysis::RetainedRatio;

Json ratioJson(const RetainedRatio& r) {
    Json json{{"e_s", numberJson(r.eS)},
              {"e_complement", numberJson(r.eComplement)},
              {"e_full", numberJson(r.eFull)},
              {"ratio", numberJson(r.ratio)},
              {"ratio_complement", numberJson(r.ratioComplement)},
              {"ratio_pooled", numberJson(r.ratioPooled)},
              {"ratio_geometric", numberJson(r.ratioGeometric)},
              {"ratio_head_median", numberJson(r.ratioHeadMedian)}};
    json["interval"] = r.interval ? Json{numberJson(r.interval->first), numberJson(r.interval->second)} : Json::array();
    return json;
}

/// One kernel under one control: means over draws, every draw beside them.
Json outcomeJson(const analysis::ControlOutcome& outcome, std::size_t kernel) {
    Json json{{"rung", rungName(outcome.rung)}, {"draws", Json::array()}};
    std::vector<double> own, sameSize;
    for (const analysis::ControlDraw& draw : outcome.draws) {
        own.push_back(draw.own[kernel].retained.ratio);
        sameSize.push_back(draw.sameSize[kernel].retained.ratio);
        json["draws"].push_back({{"selected", draw.selected},
                                 {"own", ratioJson(draw.own[kernel].retained)},
                                 {"same_size", ratioJson(draw.sameSize[kernel].retained)}});
    }
    json["ratio"] = numberJson(analysis::meanOf(own));
    json["ratio_sd"] = numberJson(analysis::standardDeviationOf(own));
    json["ratio_same_size"] = numberJson(analysis::meanOf(sameSize));
    return json;
}

Json subsetsJson(const analysis::SubsetControl& control) {
    return {{"replicates", control.ratios.size()},
            {"at_least", control.atLeast},
            {"p", numberJson(control.p)},
            {"p_max_t", numberJson(control.pMaxT)},
            {"z", numberJson(control.z)},
            {"effect", numberJson(control.effect)},
            {"quantiles", numbersJson(control.quantiles)},
            {"ratios", numbersJson(control.ratios)}};
}

Json methodJson(const InterventionResult& result, std::size_t k) {
    Json json{{"kernel", result.methods[k].kernel}, {"pretrained", ratioJson(result.methods[k].retained)}};
    if (!result.controls.empty()) {
        json["ladder"] = Json::array();
        for (const analysis::ControlOutcome& outcome : result.controls) {
            if (outcome.rung == analysis::ControlRung::Gaussian) json["gaussian"] = outcomeJson(outcome, k);
            json["ladder"].push_back(outcomeJson(outcome, k));
        }
    }
    if (!result.subsetControls.empty()) json["subsets"] = subsetsJson(result.subsetControls[k]);
    return json;
}

Json cellJson(const std::string& kernel, const analysis::RetainedCell& cell) {
    return {{"kernel", kernel},
            {"layer", cell.layer.value},
            {"prompt", cell.prompt.value},
            {"e_s", numberJson(cell.eS)},
            {"e_complement", numberJson(cell.eComplement)},
            {"e_full", numberJson(cell.eFull)},
            {"ratio", numberJson(cell.ratio())},
            {"energy", numberJson(cell.energy)},
            {"bad_rows", cell.badRows}};
}

Json headJson(const InterventionResult& result, std::size_t n) {
    const analysis::RetainedHead& head = result.heads[n];
    const auto found = result.subsets.find({head.layer, head.head});
    Json json{{"layer", head.layer.value},
              {"head", head.head.value},
              {"kernel", head.kernel},
              {"selected", found != result.subsets.end() ? found->second : std::vector<int>{}},
              {"e_s", numberJson(head.eS)},
              {"e_complement", numberJson(head.eComplement)},
              {"e_full", numberJson(head.eFull)},
              {"ratio", numberJson(head.ratio())}};
    if (n >= result.ranks.size()) return json;
    const analysis::HeadRank& rank = result.ranks[n];
    json["rank"] = rank.rank > 0 ? Json(rank.rank) : Json();
    json["rank_of"] = rank.rank > 0 ? Json(rank.of) : Json();
    json["exact"] = rank.rank > 0 ? Json(rank.exact) : Json();
    json["p"] = numberJson(rank.p);
    json["q"] = numberJson(rank.q);
    return json;
}

Json doseJson(const analysis::DosePoint& point) {
    return {{"kernel", point.kernel},
            {"order", point.random ? "random" : "contribution"},
            {"dimensions", point.dimensions},
            {"chi_share", numberJson(point.chiShare)},
            {"variance_share", numberJson(point.varianceShare)},
            {"ratio", numberJson(point.ratio)},
            {"interval", point.random ? Json{numberJson(point.from), numberJson(point.to)} : Json::array()}};
}

Json sweepJson(const analysis::SweepPoint& point, analysis::Index dimensions) {
    return {{"alpha", point.alpha},
            {"tau", point.tau},
            {"gamma", point.gamma},
            {"support", supportRuleName(point.support)},
            {"setting", point.setting},
            {"kernel", point.kernel},
            {"selected", point.selected},
            {"fraction", numberJson(point.selected / static_cast<double>(dimensions))},
            {"ratio", numberJson(point.ratio)}};
}

/// S of every prompt, where it is cross-fitted.
Json foldsJson(const InterventionResult& result) {
    Json folds = Json::array();
    for (std::size_t p = 0; p < result.folds.size(); ++p)
        for (const auto& [place, subset] : result.folds[p])
            folds.push_back({{"prompt", result.prompts[p].value},
                             {"layer", place.first.value},
                             {"head", place.second.value},
                             {"selected", subset}});
    return folds;
}

}  // namespace

Json interventionDocument(const InterventionResult& result) {
    Json document{
        {"positions", result.positions},
        {"selected",
         {{"dimensions", result.selected},
          {"total", result.dimensions},
          {"fraction", numberJson(static_cast<double>(result.selected) / static_cast<double>(result.dimensions))},
          {"origin", result.origin}}},
        {"methods", Json::array()},
        {"cells", Json::array()},
        {"heads", Json::array()}};
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        document["methods"].push_back(methodJson(result, k));
        for (const analysis::RetainedCell& cell : result.methods[k].retained.cells)
            document["cells"].push_back(cellJson(result.methods[k].kernel, cell));
    }
    for (std::size_t n = 0; n < result.heads.size(); ++n) document["heads"].push_back(headJson(result, n));
    if (!result.folds.empty()) document["folds"] = foldsJson(result);
    for (const analysis::DosePoint& point : result.dose) document["dose"].push_back(doseJson(point));
    for (const analysis::SweepPoint& point : result.sweep)
        document["sweep"].push_back(sweepJson(point, result.dimensions));
    return document;
}

std::string interventionText(const InterventionResult& result) {
    std::string text = alignedText(analysis::interventionTable(result));
    if (!result.subsetControls.empty())
        text += "\n" + alignedText(analysis::subsetControlTable(result)) + "\n" +
                alignedText(analysis::interventionHeadsTable(result));
    if (!result.dose.empty()) text += "\n" + alignedText(analysis::doseTable(result));
    if (!result.sweep.empty()) text += "\n" + alignedText(analysis::sweepTable(result));
    return text + fmt::format("{} of {} dimensions selected ({:.1f} %), by {}{}\n", result.selected, result.dimensions,
                              100.0 * static_cast<double>(result.selected) / static_cast<double>(result.dimensions),
                              result.origin, result.folds.empty() ? "" : ", cross-fitted");
}

}  // namespace dimscope::app
