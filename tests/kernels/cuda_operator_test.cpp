// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA operator against the pairwise oracle. Skips with the reason where no device is usable; REQUIRE_GPU=1 in the
// environment makes that a failure.
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/operator/quadratic_operator.h"
#include "tests/kernels/owned_layer.h"
#include "tests/kernels/required_gpu.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using cuda::DeviceMemory;
using cuda::DeviceSequence;
using cuda::Element;
using cuda::QuadraticOperator;

/// ||got - expected|| / ||expected|| of operands in halves with float sums: the bound that users are promised. Observed
/// 2e-4 (each operand is rounded to 11 bits); 4e-4 where the keys have a large common part.
constexpr double kHalvesTolerance = 1e-3;

double normError(const Matrix<double>& got, const Matrix<double>& expected) {
    double difference = 0.0, size = 0.0;
    for (Index r = 0; r < expected.rows(); ++r)
        for (Index c = 0; c < expected.cols(); ++c) {
            difference += std::pow(got(r, c) - expected(r, c), 2);
            size += std::pow(expected(r, c), 2);
        }
    const double error = std::sqrt(difference / size);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

template <class T>
DeviceMemory<T> onDevice(const std::vector<T>& host) {
    return DeviceMemory<T>(std::span<const T>(host));
}

/// A layer on the device, its outputs poisoned as the host's are.
class DeviceLayer {
public:
    explicit DeviceLayer(OwnedLayer& layer)
        : layer_(layer),
          query_(onDevice(layer.queries().values())),
          key_(onDevice(layer.keys().values())),
          value_(onDevice(layer.values().values())),
          output_(onDevice(layer.outputs().values())) {}

    DeviceSequence stretch(Index first, Index count) const {
        const LayerShape& shape = layer_.shape();
        const auto at = [&](const DeviceMemory<float>& memory, const Matrix<float>& host, Index dim) {
            return cuda::DeviceHeads{memory.data() + first * host.cols(), Element::Float, dim, host.cols()};
        };
        DeviceSequence sequence;
        sequence.query = at(query_, layer_.queries(), shape.headDim);
        sequence.key = at(key_, layer_.keys(), shape.headDim);
        sequence.value = at(value_, layer_.values(), shape.valueDim);
        sequence.output = {output_.data() + first * layer_.outputs().cols(), Element::Float, shape.valueDim + 1,
                           layer_.outputs().cols()};
        sequence.queryHeads = static_cast<int>(shape.heads);
        sequence.kvHeads = static_cast<int>(shape.kvHeads);
        sequence.rows = count;
        sequence.headDim = static_cast<int>(shape.headDim);
        sequence.valueDim = static_cast<int>(shape.valueDim);
        return sequence;
    }
    /// Outputs into the layer; bad flags (heads, rows) of the stretch.
    std::vector<std::uint8_t> run(QuadraticOperator& op, Index first, Index count, cuda::QuadraticState* state) {
        std::vector<std::uint8_t> bad(static_cast<std::size_t>(layer_.shape().heads * count), 7);
        DeviceMemory<std::uint8_t> deviceBad = onDevice(bad);
        op.run(stretch(first, count), deviceBad.data(), state, nullptr, {});
        cuda::check(cudaDeviceSynchronize(), "running the operator");
        cuda::check(cudaMemcpy(bad.data(), deviceBad.data(), bad.size(), cudaMemcpyDeviceToHost), "copying flags");
        cuda::check(cudaMemcpy(layer_.outputs().data(), output_.data(), output_.bytes(), cudaMemcpyDeviceToHost),
                    "copying outputs");
        return bad;
    }

private:
    OwnedLayer& layer_;
    DeviceMemory<float> query_, key_, value_, output_;
};

class CudaOperator : public RequiredGpu {
protected:
    void expectOracle(OwnedLayer& layer, const std::vector<Oal>& specs) {
        const std::vector<Index> rows = someRows(layer.shape().rows);
        for (Index h = 0; h < layer.shape().heads; ++h) {
            const Oal& spec = specs[static_cast<std::size_t>(h)];
            EXPECT_LT(normError(layer.output(h, rows), layer.oracle(spec, h, rows)), kHalvesTolerance) << "head " << h;
        }
        EXPECT_TRUE(layer.nothingBesideTheOutput());
    }
    void expectOracleInOneGo(OwnedLayer& layer, const std::vector<Oal>& specs) {
        QuadraticOperator op(specs, static_cast<int>(layer.shape().kvHeads), layer.scale());
        const std::vector<std::uint8_t> bad = DeviceLayer(layer).run(op, 0, layer.shape().rows, nullptr);
        EXPECT_EQ(std::count(bad.begin(), bad.end(), 0), static_cast<std::ptrdiff_t>(bad.size()));
        expectOracle(layer, specs);
    }
};

TEST_F(CudaOperator, AgreesWithTheOracleAtAnyLength) {
    for (const Index rows : {1, 2, 63, 64, 65, 127, 128, 129, 513, 1025, 1100, 2111})
        for (const int groups : {1, 3}) {
            const LayerShape shape{6, 2, rows, 64, 64};
            OwnedLayer layer(shape, static_cast<std::uint64_t>(rows));
            SCOPED_TRACE(testing::Message() << "rows " << rows << " groups " << groups);
            expectOracleInOneGo(layer, seededSpecs(shape, groups, static_cast<std::uint64_t>(rows + groups)));
        }
}

TEST_F(CudaOperator, AnyNumberOfGroupsInOneLaunch) {
    const LayerShape shape{8, 1, 1700, 64, 64};
    OwnedLayer layer(shape, 3);
    std::vector<Oal> specs;
    for (int groups = 1; groups <= 8; ++groups) {
        LayerShape one = shape;
        one.heads = 1;
        specs.push_back(seededSpecs(one, groups, static_cast<std::uint64_t>(groups)).front());
    }
    expectOracleInOneGo(layer, specs);
}

TEST_F(CudaOperator, WideGroupsThatDifferFromHeadToHead) {
    const LayerShape shape{4, 2, 1500, 64, 64};
    OwnedLayer layer(shape, 4);
    std::vector<Oal> specs = seededSpecs(shape, 8, 6);
    for (std::size_t h = 0; h < specs.size(); ++h)
        for (std::size_t r = 0; r < 64; ++r) specs[h].label[r] = static_cast<int>((r * (2 * h + 1) + h) % 8);
    expectOracleInOneGo(layer, specs);
}

TEST_F(CudaOperator, SmallerHeadsArePadded) {
    for (const LayerShape& shape : {LayerShape{6, 2, 1200, 20, 3}, LayerShape{2, 1, 1300, 63, 61}}) {
        OwnedLayer layer(shape, 5);
        SCOPED_TRACE(testing::Message() << "head_dim " << shape.headDim);
        expectOracleInOneGo(layer, seededSpecs(shape, 4, 6));
    }
}

TEST_F(CudaOperator, ManyKvHeadsShareChunksOfAnotherSize) {
    const LayerShape shape{16, 8, 2300, 64, 64};
    OwnedLayer layer(shape, 6);
    expectOracleInOneGo(layer, seededSpecs(shape, 2, 7));
}

TEST_F(CudaOperator, LogitsUpToFortyAndALargeCommonPartOfTheKeys) {
    const LayerShape shape{2, 1, 1500, 64, 16};
    OwnedLayer layer(shape, 8, 2.0F, 6.0F);
    expectOracleInOneGo(layer, seededSpecs(shape, 3, 8));
}

TEST_F(CudaOperator, CarriedStateEqualsOneGo) {
    const LayerShape shape{6, 2, 2600, 64, 7};
    OwnedLayer layer(shape, 9);
    const std::vector<Oal> specs = seededSpecs(shape, 3, 3);
    QuadraticOperator op(specs, 2, layer.scale());
    DeviceLayer device(layer);
    cuda::QuadraticState state;
    for (Index first = 0, step = 17; first < shape.rows; first += step, step = step * 3 + 1)
        device.run(op, first, std::min(step, shape.rows - first), &state);
    EXPECT_EQ(state.positions(), shape.rows);
    expectOracle(layer, specs);
}

TEST_F(CudaOperator, TwoRunsAreTheSame) {
    const LayerShape shape{4, 2, 3000, 64, 64};
    OwnedLayer layer(shape, 10);
    QuadraticOperator op(seededSpecs(shape, 3, 3), 2, layer.scale());
    DeviceLayer device(layer);
    device.run(op, 0, shape.rows, nullptr);
    const std::vector<float> first = layer.outputs().values();
    device.run(op, 0, shape.rows, nullptr);
    EXPECT_EQ(first, layer.outputs().values());
}

TEST_F(CudaOperator, RowsWithoutADenominatorAreBad) {
    const LayerShape shape{2, 1, 40, 8, 3};
    OwnedLayer layer(shape, 2);
    std::vector<Oal> specs = seededSpecs(shape, 2, 2);
    specs[1].epsilon = 0.0;
    specs[1].factor.assign(specs[1].factor.size(), 0.0);
    QuadraticOperator op(specs, 1, layer.scale());
    const std::vector<std::uint8_t> bad = DeviceLayer(layer).run(op, 0, 40, nullptr);
    EXPECT_EQ(std::count(bad.begin(), bad.begin() + 40, 0), 40);
    EXPECT_EQ(std::count(bad.begin() + 40, bad.end(), 1), 40);
    EXPECT_TRUE(std::isnan(layer.output(1, {7})(0, 0)));
}

TEST_F(CudaOperator, WhatIsNotFiniteIsReportedFromItsBlockOn) {
    const LayerShape shape{2, 1, 1500, 8, 3};
    OwnedLayer layer(shape, 2);
    layer.keys()(1290, 2) = std::numeric_limits<float>::quiet_NaN();
    QuadraticOperator op(seededSpecs(shape, 1, 2), 1, layer.scale());
    const std::vector<std::uint8_t> bad = DeviceLayer(layer).run(op, 0, 1500, nullptr);
    const auto first = std::find(bad.begin(), bad.begin() + 1500, 1) - bad.begin();
    EXPECT_GT(first, 1290 - 64);  // it may spoil earlier rows of its block of 64 keys
    EXPECT_LE(first, 1290);
    EXPECT_EQ(std::count(bad.begin() + 1290, bad.begin() + 1500, 1), 210);
}

TEST_F(CudaOperator, RefusesWhatItHasNoRoomFor) {
    const LayerShape shape{2, 1, 10, 65, 3};
    EXPECT_THROW(QuadraticOperator(seededSpecs(shape, 2, 1), 1, 1.0), ShapeError);
    EXPECT_THROW(QuadraticOperator(seededSpecs({2, 1, 10, 64, 3}, 9, 1), 1, 1.0), ShapeError);
}

}  // namespace
}  // namespace dimscope::tests
