// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/doctor/checks.h"
#include "analysis/doctor/place_list.h"

namespace dimscope::analysis {
namespace {

const char* tensorName(TensorKind kind) {
    switch (kind) {
        case TensorKind::Query: return "q";
        case TensorKind::Key: return "k";
        case TensorKind::Value: return "v";
        case TensorKind::Output: return "o";
    }
    return "";
}

std::string placeOf(const LayerFacts& layer, const TensorFacts& tensor) {
    return fmt::format("{} of layer {} head {}", tensorName(tensor.kind), layer.layer.layer.value, tensor.head);
}

}  // namespace

DoctorCheck fileCheck(const DumpInfo& info) {
    DoctorCheck check{"reading", {}, CheckStatus::Pass, "nothing odd about the file", kNaN};
    if (info.warnings.empty()) return check;
    PlaceList odd;
    for (const Warning& warning : info.warnings)
        odd.add(warning.place.empty() ? warning.text : warning.place + ": " + warning.text);
    check.status = CheckStatus::Warn;
    check.detail = odd.text();
    return check;
}

std::vector<DoctorCheck> unreadableChecks(const std::vector<LayerFacts>& layers) {
    std::vector<DoctorCheck> checks;
    for (const LayerFacts& layer : layers)
        if (!layer.unreadable.empty()) {
            PlaceList causes;
            for (const std::string& cause : layer.unreadable) causes.add(cause);
            checks.push_back({"readable", layer.layer.layer, CheckStatus::Fail, causes.text(), kNaN});
        }
    if (checks.empty())
        checks.push_back(
            {"readable",
             {},
             CheckStatus::Pass,
             fmt::format("every tensor of {} {} could be read", layers.size(), layers.size() == 1 ? "layer" : "layers"),
             kNaN});
    return checks;
}

DoctorCheck nonFiniteCheck(const std::vector<LayerFacts>& layers) {
    Index values = 0, nans = 0, infinities = 0;
    PlaceList places;
    for (const LayerFacts& layer : layers)
        for (const TensorFacts& tensor : layer.tensors) {
            values += tensor.values;
            nans += tensor.nans;
            infinities += tensor.infinities;
            if (tensor.nans + tensor.infinities > 0)
                places.add(fmt::format("{} ({}, first at prompt {}, position {}, dimension {})", placeOf(layer, tensor),
                                       tensor.nans + tensor.infinities, tensor.firstPrompt.value, tensor.firstRow,
                                       tensor.firstColumn));
        }
    if (places.empty())
        return {"NaN and Inf", {}, CheckStatus::Pass, fmt::format("none among {} numbers", values), kNaN};
    return {"NaN and Inf",
            {},
            CheckStatus::Warn,
            fmt::format("{} NaN and {} infinite among {} numbers: {}", nans, infinities, values, places.text()),
            kNaN};
}

DoctorCheck saturationCheck(const std::vector<LayerFacts>& layers) {
    PlaceList places;
    bool half = false;
    for (const LayerFacts& layer : layers) {
        const bool isHalf = layer.layer.encoding == "float16";
        half = half || isHalf;
        for (const TensorFacts& tensor : layer.tensors)
            if (const Index count = tensor.saturated + (isHalf ? tensor.infinities : 0); count > 0)
                places.add(fmt::format("{} ({})", placeOf(layer, tensor), count));
    }
    if (!places.empty())
        return {"float16 range",
                {},
                CheckStatus::Warn,
                "numbers at +-65504 or infinite, where float16 ends: " + places.text() +
                    "; write the dump as bf16 or float32",
                kNaN};
    if (!half) return {"float16 range", {}, CheckStatus::Skipped, "no layer is stored as float16", kNaN};
    return {"float16 range", {}, CheckStatus::Pass, "no number stands at the end of float16", kNaN};
}

}  // namespace dimscope::analysis
