// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels at chosen rows on every instruction set of this processor; backend_test runs the fastest alone.
#include <cmath>
#include <random>

#include "kernels/cpu/row_attention.h"
#include "kernels/random_features.h"
#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;
using kernels::cpu::LaneKernels;

class RowLanesTest : public testing::TestWithParam<const LaneKernels*> {
protected:
    const cpu::RowLanes& lanes() const { return GetParam()->rows; }
    RowsOutput run(const KernelSpec& spec, const OwnedHead& head, const std::vector<Index>& rows) const {
        cpu::RowScratch scratch;
        const cpu::FloatHead single(head.inputs(), *GetParam());
        return cpu::attendRows(spec, *cpu::makeRowKernel(spec, single), single, rows, false, {}, scratch);
    }
    static RowsOutput oracle(const KernelSpec& spec, const OwnedHead& head, const std::vector<Index>& rows) {
        const std::vector<KernelSpec> specs{spec};
        const std::vector<RowsJob> jobs{{head.inputs(), rows, specs, false}};
        return makeBackend("reference")->attendRows(jobs, {}).front().front();
    }
};

INSTANTIATE_TEST_SUITE_P(All, RowLanesTest, testing::ValuesIn(cpu::usableLanes().begin(), cpu::usableLanes().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(RowLanesTest, AgreesWithTheOracle) {
    for (const Index rows : {1, 37, 140})
        for (const Index dim : {3, 64}) {
            const OwnedHead head = randomHead(rows, dim, 5, 7, 1.5);
            for (const KernelSpec& spec : allKernels(dim, 7))
                EXPECT_TRUE(near(run(spec, head, allRows(rows)).values, oracle(spec, head, allRows(rows)).values,
                                 outputTolerance("cpu")))
                    << kernelName(spec) << " rows " << rows << " dim " << dim;
        }
}

TEST_P(RowLanesTest, AgreesWithTheOracleUnderMasks) {
    OwnedHead head = randomHead(70, 8, 33, 8);
    head.valid.assign(70, 1);
    head.valid[0] = head.valid[1] = head.valid[40] = 0;
    for (const bool causal : {true, false}) {
        head.causal = causal;
        head.window = causal ? 50 : 0;
        for (const KernelSpec& spec : allKernels(8, 8))
            EXPECT_TRUE(near(run(spec, head, {2, 41, 69}).values, oracle(spec, head, {2, 41, 69}).values,
                             outputTolerance("cpu")))
                << kernelName(spec) << " causal " << causal;
    }
}

KernelSpec performer(Index features, Index dim) {
    Performer spec;
    spec.projection = std::make_shared<const Matrix<double>>(
        performerProjection(static_cast<int>(features), static_cast<int>(dim), 5, 0, 0));
    return spec;
}

TEST_P(RowLanesTest, KeysWhoseKernelsAreBeyondTheRangeOfADouble) {
    // From position 70 on keys are 30 times as long: -|k'|^2 / 2 is about -1270, products of the rest 1e4 and more.
    OwnedHead head = randomHead(150, 8, 4, 9);
    for (Index j = 70; j < 150; ++j)
        for (Index c = 0; c < 8; ++c) head.key(j, c) *= 30.0;
    EXPECT_TRUE(near(run(performer(33, 8), head, {3, 69, 90, 149}).values,
                     oracle(performer(33, 8), head, {3, 69, 90, 149}).values, outputTolerance("cpu")));
    // All keys are long: what the first one lacks is the measure.
    for (double& x : head.key.values()) x *= 3.0;
    EXPECT_TRUE(near(run(performer(33, 8), head, {3, 69, 90, 149}).values,
                     oracle(performer(33, 8), head, {3, 69, 90, 149}).values, outputTolerance("cpu")));
}

/// `count` seeded numbers, uniform in [from, to].
std::vector<double> uniform(double from, double to, std::size_t count) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> draw(from, to);
    std::vector<double> out(count);
    for (double& x : out) x = draw(random);
    return out;
}

TEST_P(RowLanesTest, FunctionsOfDoublesAreAsAccurateAsTheySay) {
    for (const std::size_t count : {1U, 3U, 8U, 1003U}) {
        std::vector<double> x = uniform(-700.0, 0.0, count), y = x;
        double sum = 0.0;
        const double total = lanes().shiftedExp(y.data(), static_cast<Index>(count), 0.0);
        for (std::size_t n = 0; n < count; ++n) {
            EXPECT_NEAR(y[n] / std::exp(x[n]), 1.0, 3e-14) << x[n];  // its own 6e-15, and rounding
            sum += std::exp(x[n]);
        }
        EXPECT_NEAR(total / sum, 1.0, 1e-13);
        EXPECT_NEAR(lanes().sum(y.data(), static_cast<Index>(count)) / sum, 1.0, 1e-13);

        const std::vector<double> offset = uniform(-5.0, 5.0, count), positive = uniform(1e-10, 300.0, count);
        std::vector<double> logs = positive, sine(count), cosine(count);
        EXPECT_EQ(lanes().logarithms(logs.data(), offset.data(), static_cast<Index>(count), 1e-11), 0);
        const std::vector<double> angles = uniform(-1e6, 1e6, count);
        lanes().sineCosine(angles.data(), static_cast<Index>(count), sine.data(), cosine.data());
        for (std::size_t n = 0; n < count; ++n) {
            EXPECT_NEAR(logs[n], std::log(positive[n]) + offset[n], 1e-13) << positive[n];
            // 4e-11 of the series, and an angle near 1e6 is itself known to 1e-10.
            EXPECT_NEAR(sine[n], std::sin(angles[n]), 1.5e-10) << angles[n];
            EXPECT_NEAR(cosine[n], std::cos(angles[n]), 1.5e-10) << angles[n];
        }
    }
}

TEST_P(RowLanesTest, ValuesOutsideTheRangeOfAFunction) {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
    std::vector<double> x{-infinity, -1e5, 0.0, nan, -745.0};
    EXPECT_TRUE(std::isnan(lanes().shiftedExp(x.data(), 5, 0.0)));
    EXPECT_EQ(x[0], 0.0);
    EXPECT_EQ(x[1], 0.0);
    EXPECT_EQ(x[2], 1.0);
    EXPECT_TRUE(std::isnan(x[3]));
    EXPECT_EQ(x[4], 0.0);

    std::vector<double> sums{1.0, 1e-12, 0.0, nan, 2.0, -1.0, 1.0};
    const std::vector<double> offset(7, 0.5);
    EXPECT_EQ(lanes().logarithms(sums.data(), offset.data(), 7, 1e-11), 4);
    for (const std::size_t lost : {1U, 2U, 3U, 5U}) EXPECT_TRUE(std::isnan(sums[lost])) << lost;
    EXPECT_DOUBLE_EQ(sums[6], 0.5);

    const std::vector<double> mixed{nan, -3.0, nan, 7.0, 2.0, nan};
    EXPECT_EQ(lanes().largest(mixed.data(), 6), 7.0);
    EXPECT_EQ(lanes().largest(mixed.data(), 0), -infinity);
}

TEST_P(RowLanesTest, ScalesAndCountsWhatIsTooSmall) {
    const double nan = std::nan("");
    std::vector<double> x{1.0, 1e-12, 2.0, nan, 3.0, -1.0, 4.0};
    const std::vector<double> factor{2.0, 1.0, 0.5, 1.0, 1e-200, 1.0, 0.25};
    EXPECT_EQ(lanes().scaled(x.data(), factor.data(), 7, 1e-11), 3);
    EXPECT_EQ(x[0], 2.0);
    EXPECT_EQ(x[2], 1.0);
    EXPECT_EQ(x[4], 3e-200);
    EXPECT_EQ(x[6], 1.0);
    EXPECT_EQ(lanes().scaled(x.data(), factor.data(), 0, 1e-11), 0);
}

TEST_P(RowLanesTest, QuotientsWhateverTheDivisor) {
    const std::vector<double> factors = uniform(0.0, 2.0, 21);
    for (const double divisor : {3.0, -0.7, 1e300, 1e308, -1e-300, 1e-309}) {  // 1e-309: the inverse is infinite
        std::vector<double> x;
        for (const double factor : factors) x.push_back(factor * divisor);
        std::vector<float> out(x.size());
        lanes().quotients(x.data(), static_cast<Index>(x.size()), divisor, out.data());
        for (std::size_t n = 0; n < x.size(); ++n)
            EXPECT_FLOAT_EQ(out[n], static_cast<float>(x[n] / divisor)) << divisor;
    }
}

TEST_P(RowLanesTest, ProductsWithPackedKeys) {
    const Index width = GetParam()->lanes;
    for (const Index depth : {1, 5, 64})
        for (const Index keys : {1, 21, 64}) {
            const std::vector<double> drawn = uniform(-1.0, 1.0, static_cast<std::size_t>((keys + 70) * depth));
            const std::vector<float> all(drawn.begin(), drawn.end());
            const float* x = all.data() + keys * depth;
            std::vector<Index> place;  // the other way round
            for (Index k = depth; k > 0; --k) place.push_back(k - 1);
            std::vector<float> packed(static_cast<std::size_t>((keys + width) * depth));
            lanes().pack({all.data(), depth, keys, depth, place.data(), packed.data()});
            std::vector<double> out(static_cast<std::size_t>(70 * keys));
            lanes().panelProducts({x, depth, 70, depth, packed.data(), depth * width, keys, out.data(), keys});
            for (Index r = 0; r < 70; ++r)
                for (Index j = 0; j < keys; ++j) {
                    double sum = 0.0;
                    for (Index k = 0; k < depth; ++k)
                        sum += static_cast<double>(x[r * depth + k]) *
                               static_cast<double>(all[static_cast<std::size_t>(j * depth + depth - 1 - k)]);
                    // 64 roundings of sums below 64.
                    EXPECT_NEAR(out[static_cast<std::size_t>(r * keys + j)], sum, 1e-5) << r << ' ' << j;
                }
        }
}

TEST_P(RowLanesTest, PowersOfTwoInColumns) {
    const Index width = GetParam()->lanes, rows = 9;
    std::vector<float> x, shift(static_cast<std::size_t>(width)), sums(static_cast<std::size_t>(width));
    for (const double drawn : uniform(-90.0, 20.0, static_cast<std::size_t>(rows * width)))
        x.push_back(static_cast<float>(drawn));
    x[0] = std::nanf("");
    const std::vector<float> before = x;
    lanes().powers({x.data(), rows, -62.0F, shift.data(), sums.data()});
    EXPECT_TRUE(std::isnan(sums[0]));
    for (Index c = 1; c < width; ++c) {
        float largest = before[static_cast<std::size_t>(c)];
        double sum = 0.0;
        for (Index r = 0; r < rows; ++r) largest = std::max(largest, before[static_cast<std::size_t>(r * width + c)]);
        EXPECT_EQ(shift[static_cast<std::size_t>(c)], largest);
        for (Index r = 0; r < rows; ++r) {
            const auto n = static_cast<std::size_t>(r * width + c);
            const double expected = std::exp2(static_cast<double>(std::max(before[n] - largest, -62.0F)));
            EXPECT_NEAR(static_cast<double>(x[n]) / expected, 1.0, 2e-7) << before[n] - largest;
            sum += expected;
        }
        EXPECT_NEAR(static_cast<double>(sums[static_cast<std::size_t>(c)]) / sum, 1.0, 1e-6);  // float sums of 9
    }
}

TEST_P(RowLanesTest, ExponentialsOfFloats) {
    const Index columns = 37, stride = 64;
    std::vector<float> x(2 * 64, 9.0F);
    const std::vector<double> drawn = uniform(-87.0, 0.0, 37);
    for (std::size_t n = 0; n < 37; ++n) {
        x[n] = static_cast<float>(drawn[n]) + 5.0F;
        x[64 + n] = -1e4F;
    }
    std::vector<float> largest(2), sums(2), before = x;
    lanes().maxima(x.data(), stride, 2, columns, largest.data());
    EXPECT_EQ(largest[0], *std::max_element(before.begin(), before.begin() + 37));
    EXPECT_EQ(largest[1], -1e4F);
    largest = {5.0F, 0.0F};
    lanes().exponentials({x.data(), stride, 2, columns, largest.data(), nullptr, -200.0F, 0.25F, sums.data()});
    double sum = 0.0;
    for (std::size_t n = 0; n < 37; ++n) {
        const double expected = std::exp(static_cast<double>(before[n] - 5.0F));
        sum += expected;
        // A relative error of 2e-7, then rounded beside 0.25.
        EXPECT_NEAR(static_cast<double>(x[n]), expected + 0.25, 2e-7 * expected + 6e-8) << n;
        EXPECT_EQ(x[64 + n], 0.25F);
    }
    EXPECT_NEAR(static_cast<double>(sums[0]) / sum, 1.0, 1e-6);  // float sums of 37
    EXPECT_EQ(sums[1], 0.0F);
}

}  // namespace
}  // namespace dimscope::tests
