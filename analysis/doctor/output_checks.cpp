// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/doctor/checks.h"
#include "analysis/doctor/place_list.h"

namespace dimscope::analysis {
namespace {

constexpr double kRoundoffs = 5.0;         // q, k, v and o are each rounded: 1.2 to 3.4 observed (doctor.md)
constexpr double kDoubleResidual = 1e-12;  // of float64, where sums of a row round more than the stored numbers
constexpr double kClearly = 0.2;           // a wrong scale, order or mask leaves 0.01 to 1 where the right one rounds
constexpr double kNear = 0.05;             // above rounding, and still this reading: low-precision attention
constexpr double kLeastSpread = 0.02, kMostSpread = 50.0;  // of logits; SmolLM2's layers lie between 1 and 4
constexpr double kLying = 0.4, kTimesMore = 2.0;           // drift that tells, and how much more than the other

double roundoffOf(const std::string& encoding) {
    if (encoding == "float16") return std::ldexp(1.0, -11);
    if (encoding == "bf16") return std::ldexp(1.0, -8);
    if (encoding == "fp8_e4m3fn") return std::ldexp(1.0, -4);
    if (encoding == "fp8_e5m2") return std::ldexp(1.0, -3);
    return std::ldexp(1.0, encoding == "float64" ? -53 : -24);
}

DoctorCheck outputCheck(const LayerFacts& layer) {
    DoctorCheck check{"output reading", layer.layer.layer, CheckStatus::Skipped, "", layer.output.residual};
    const OutputReading* stated = statedReading(layer);
    if (!stated || std::isnan(layer.output.residual)) {
        check.detail = "no head of q, k, v and o is readable, finite and not zero";
        return check;
    }
    const double residual = layer.output.residual, roundoffs = residual / unitRoundoff(layer);
    const std::string figure = fmt::format("residual {:.2g} of the RMS of o, {:.3g} unit roundoffs, over {} rows",
                                           residual, roundoffs, layer.output.rows);
    if (const OutputReading* better = clearlyBetter(layer)) {
        const bool rounding = residual <= roundingResidual(layer);
        check.status = rounding ? CheckStatus::Warn : CheckStatus::Fail;
        check.detail = fmt::format("as stated ({}): {}; {} leaves {:.2g}: correct {}", readingText(*stated), figure,
                                   readingText(*better), better->residual, correctionText(*stated, *better));
        return check;
    }
    check.detail = fmt::format("{}: {}", readingText(*stated), figure);
    if (residual <= roundingResidual(layer)) {
        check.status = CheckStatus::Pass;
        return check;
    }
    check.status = CheckStatus::Warn;
    check.detail += residual <= kNear
                        ? "; above rounding, and no other reading is clearly nearer: o may come from attention in "
                          "lower precision"
                        : fmt::format(
                              "; no reading is near, the nearest is {} with {:.2g}: o may be something else, "
                              "or the layer does what format 1 cannot describe",
                              readingText(layer.output.readings.front()), layer.output.readings.front().residual);
    return check;
}

}  // namespace

const OutputReading* statedReading(const LayerFacts& layer) {
    for (const OutputReading& reading : layer.output.readings)
        if (reading.stated) return &reading;
    return nullptr;
}

const OutputReading* clearlyBetter(const LayerFacts& layer) {
    const OutputReading* stated = statedReading(layer);
    if (!stated) return nullptr;
    const OutputReading& nearest = layer.output.readings.front();
    return nearest.residual < kClearly * stated->residual &&
                   nearest.residual <= std::max(kNear, roundingResidual(layer))
               ? &nearest
               : nullptr;
}

double unitRoundoff(const LayerFacts& layer) {
    const int bits = layer.mantissaBits(TensorKind::Output);
    return std::max(roundoffOf(layer.layer.encoding), bits > 0 ? std::ldexp(1.0, -bits) : 0.0);
}

double roundingResidual(const LayerFacts& layer) { return std::max(kRoundoffs * unitRoundoff(layer), kDoubleResidual); }

std::vector<DoctorCheck> outputChecks(const std::vector<LayerFacts>& layers) {
    std::vector<DoctorCheck> checks;
    PlaceList without;
    for (const LayerFacts& layer : layers) {
        if (layer.layer.hasOutput && layer.layer.hasValue)
            checks.push_back(outputCheck(layer));
        else
            without.add(std::to_string(layer.layer.layer.value));
    }
    if (!without.empty())
        checks.push_back({"output reading",
                          {},
                          CheckStatus::Skipped,
                          fmt::format("no o or no v in layer{} {}: nothing proves scale, head order and mask",
                                      without.size() == 1 ? "" : "s", without.text()),
                          kNaN});
    return checks;
}

DoctorCheck rotationCheck(const std::vector<LayerFacts>& layers) {
    PlaceList wrong, suspected, stated, proven, turning;
    for (const LayerFacts& layer : layers) {
        const std::string number = std::to_string(layer.layer.layer.value);
        const auto [stored, turnedBack] = layer.rotation;
        const OutputReading* better = clearlyBetter(layer);
        const bool reproduced = layer.output.residual <= roundingResidual(layer);
        if (better && better->rope)
            wrong.add(number);
        else if (reproduced || better)
            proven.add(number);
        else if (layer.layer.rope == "pre")
            stated.add(number);
        else if (layer.layer.rope == "post" && stored >= kLying && stored > kTimesMore * turnedBack)
            suspected.add(number);
        else if (layer.layer.rope == "post" && turnedBack >= kLying && turnedBack > kTimesMore * stored)
            turning.add(number);
    }
    const std::string name = "rope";
    if (!wrong.empty())
        return {name,
                {},
                CheckStatus::Fail,
                "o fits q and k that are rotated first, so they are from before RoPE: layers " + wrong.text() +
                    "; state rope=\"pre\" and rotate them",
                kNaN};
    if (!stated.empty())
        return {name,
                {},
                CheckStatus::Warn,
                "rope=\"pre\": q and k are used as stored, without rotation, in layers " + stated.text(),
                kNaN};
    if (!suspected.empty())
        return {name,
                {},
                CheckStatus::Warn,
                "the fastest pair of the keys keeps its direction over the positions, as before RoPE or without it, in "
                "layers " +
                    suspected.text(),
                kNaN};
    if (proven.empty() && turning.empty())
        return {name,
                {},
                CheckStatus::Skipped,
                "no o that a reading reproduces, and the keys' fastest pair shows neither a direction nor a rotation",
                kNaN};
    std::string detail;
    if (!proven.empty()) detail = "q and k as stored reproduce o in layers " + proven.text();
    if (!turning.empty())
        detail += (detail.empty() ? "" : "; ") +
                  ("the keys' fastest pair turns with the position in layers " + turning.text());
    return {name, {}, CheckStatus::Pass, detail, kNaN};
}

DoctorCheck scaleCheck(const std::vector<LayerFacts>& layers) {
    PlaceList wrong, odd;
    double least = kNaN, most = kNaN;
    for (const LayerFacts& layer : layers) {
        const OutputReading *stated = statedReading(layer), *better = clearlyBetter(layer);
        if (better && correctionText(*stated, *better).find("scale=") != std::string::npos)
            wrong.add(fmt::format("layer {}: scale {:.6g} stated, {:.6g} fits o", layer.layer.layer.value,
                                  stated->scale, better->scale));
        if (std::isnan(layer.logitSpread)) continue;
        least = std::fmin(least, layer.logitSpread);
        most = std::fmax(most, layer.logitSpread);
        if (layer.logitSpread < kLeastSpread || layer.logitSpread > kMostSpread)
            odd.add(fmt::format("layer {} (scale {:.6g}, standard deviation {:.3g})", layer.layer.layer.value,
                                layer.layer.scale, layer.logitSpread));
    }
    if (!wrong.empty()) return {"scale", {}, CheckStatus::Fail, wrong.text(), kNaN};
    if (!odd.empty())
        return {"scale",
                {},
                CheckStatus::Warn,
                fmt::format("logits within a row usually deviate by {:g} to {:g}: {}", kLeastSpread, kMostSpread,
                            odd.text()),
                kNaN};
    if (std::isnan(least)) return {"scale", {}, CheckStatus::Skipped, "no row sees two keys", kNaN};
    return {"scale",
            {},
            CheckStatus::Pass,
            fmt::format("logits within a row deviate by {:.3g} to {:.3g}, median head of each layer", least, most),
            kNaN};
}

}  // namespace dimscope::analysis
