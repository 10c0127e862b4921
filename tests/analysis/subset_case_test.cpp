// SPDX-License-Identifier: GPL-3.0-or-later
// The random-subset control against a float64 reference that was written on its own (tests/data/make_subset_case.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/intervention/intervention.h"
#include "io/dump/attention_dump.h"
#include "io/kernel_parameters.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using nlohmann::json;

json expectedCase() { return json::parse(std::ifstream(TEST_DATA_DIR "/subset_case.json")); }

std::shared_ptr<kernels::ParameterSet> caseParameters() {
    std::vector<Warning> warnings;
    return std::make_shared<kernels::ParameterSet>(
        *io::readKernelParameters(TEST_DATA_DIR "/subset_case_params.h5", warnings));
}

InterventionResult ranCase(const std::shared_ptr<const kernels::ParameterSet>& parameters, const char* backend) {
    InterventionParams params;
    params.kernels = {"taylorshift", "performer"};
    params.seeds = {0, 1, 2};
    for (std::size_t p = 0; p < 3; ++p) {
        params.positions.emplace_back();
        for (std::size_t r = 0; r < 12; ++r)
            params.positions.back().push_back(static_cast<Index>(parameters->positions.values[12 * p + r]));
    }
    params.subsets = true;
    params.replicates = 7;  // the file's four win
    const auto dump = io::openDump(TEST_DATA_DIR "/subset_case.h5");
    return intervene(params, KernelFactory({}, parameters), *dump, *kernels::makeBackend(backend), {});
}

TEST(SubsetCase, DrawsOfTheFileGiveTheReferencesRatios) {
    const json expected = expectedCase();
    // Doubles on both sides: sums of some hundred terms; float32 products lose 6e-8 times the logit size.
    for (const auto& [backend, tolerance] : {std::pair("reference", 1e-8), std::pair("cpu", 1e-3)}) {
        const InterventionResult result = ranCase(caseParameters(), backend);
        for (const json& layer : expected["subset_S"])
            for (std::size_t head = 0; head < layer["S"].size(); ++head)
                EXPECT_EQ(result.subsets.at({LayerIndex{layer["layer"].get<int>()}, HeadIndex{static_cast<int>(head)}}),
                          layer["S"][head].get<std::vector<int>>());
        for (std::size_t k = 0; k < result.methods.size(); ++k) {
            const SubsetControl& control = result.subsetControls[k];
            const json& known = expected["subsets"][control.kernel];
            const auto ratios = known["ratios"].get<std::vector<double>>();
            ASSERT_EQ(control.ratios.size(), ratios.size()) << control.kernel;
            for (std::size_t b = 0; b < ratios.size(); ++b)
                EXPECT_NEAR(control.ratios[b], ratios[b], tolerance * ratios[b]) << control.kernel << " draw " << b;
            EXPECT_EQ(control.atLeast, known["at_least"].get<std::size_t>());
            EXPECT_EQ(control.p, known["p"].get<double>());
            const double ratio = expected["intervene"][control.kernel]["ratio"].get<double>();
            EXPECT_NEAR(result.methods[k].retained.ratio, ratio, tolerance * ratio);
        }
    }
}

TEST(SubsetCase, DrawsThatDoNotFitAreRefused) {
    const auto changed = [&](const std::function<void(kernels::ParameterSet&)>& change) {
        const auto parameters = caseParameters();
        change(*parameters);
        try {
            ranCase(parameters, "cpu");
        } catch (const kernels::FormatError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const LayerIndex first{0};
    EXPECT_NE(changed([&](auto& set) { set.subsetDraws.erase(first); }).find("/subsets/00/draws: it is missing"),
              std::string::npos);
    EXPECT_NE(changed([&](auto& set) { set.subsetDraws[first].values[0] = 8; }).find("dimension 8, expected 0..7"),
              std::string::npos);
    EXPECT_NE(changed([&](auto& set) {
                  set.subsetDraws[first].values[1] = set.subsetDraws[first].values[0];
              }).find("holds a dimension twice"),
              std::string::npos);
    EXPECT_NE(changed([&](auto& set) {
                  set.subsetDraws[first].shape[0] = 3;
                  set.subsetDraws[first].values.resize(3 * 4 * 2);
              }).find("4 draws, another layer 3"),
              std::string::npos);
}

}  // namespace
}  // namespace dimscope::tests
