// SPDX-License-Identifier: GPL-3.0-or-later
// What the descriptors say about the kernels, checked for each on every backend that this machine can use.
#include <algorithm>
#include <cmath>

#include "kernels/kernel_catalog.h"
#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

/// The descriptor speaks of the defaults. SpectraFormer's keys stand for themselves where its statistic is not that of
/// their position; RFA with a floor is no ratio.
KernelProperties propertiesOf(const KernelSpec& spec) {
    KernelProperties properties = findKernel(kernelName(spec))->properties;
    if (const auto* spectra = std::get_if<SpectraFormer>(&spec))
        properties.meanOfEqual = properties.orderFree = spectra->statistic != SpectraFormer::Statistic::Position;
    if (const auto* rfa = std::get_if<Rfa>(&spec); rfa && rfa->floor > 0.0)
        properties.sumsToOne = properties.meanOfEqual = false;
    return properties;
}

class KernelPropertiesTest : public BackendFixture {};

INSTANTIATE_TEST_SUITE_P(All, KernelPropertiesTest, testing::ValuesIn(usableBackends()),
                         [](const auto& instance) { return instance.param; });

TEST_P(KernelPropertiesTest, WeightsAreThoseOfVisibleKeysAndSumToOne) {
    OwnedHead head = randomHead(33, 8, 4, 3);
    head.window = 9;
    const std::vector<Index> rows{0, 5, 32};
    for (const KernelSpec& spec : allKernels(8, 3)) {
        const RowsOutput out = run(spec, head, rows, true);
        for (Index r = 0; r < 3; ++r) {
            double sum = 0.0;
            for (Index j = 0; j < 33; ++j) {
                const bool visible = head.inputs().mask.visible(rows[static_cast<std::size_t>(r)], j);
                if (!visible) {
                    EXPECT_EQ(out.weights(r, j), 0.0F) << kernelName(spec);
                }
                sum += static_cast<double>(out.weights(r, j));
            }
            if (propertiesOf(spec).sumsToOne) {
                EXPECT_NEAR(sum, 1.0, 1e-5) << kernelName(spec);  // weights are returned as float
            }
        }
    }
}

TEST_P(KernelPropertiesTest, EqualKeysGiveTheMeanOfTheValues) {
    OwnedHead head = randomHead(12, 8, 3, 4);
    for (Index j = 1; j < 12; ++j) std::copy_n(head.key.row(0), 8, head.key.row(j));
    Matrix<double> mean(1, 3);
    for (Index c = 0; c < 3; ++c)
        for (Index j = 0; j < 12; ++j) mean(0, c) += head.value(j, c) / 12.0;
    for (const KernelSpec& spec : allKernels(8, 4))
        if (propertiesOf(spec).meanOfEqual) {
            EXPECT_TRUE(near(run(spec, head, {11}).values, mean, tolerance())) << kernelName(spec);
        }
}

TEST_P(KernelPropertiesTest, PermutingKeysWithTheirValuesChangesNothingForTheLastRow) {
    const OwnedHead head = randomHead(90, 8, 3, 12);  // beyond the window of LoLCATs
    OwnedHead permuted = head;
    for (Index j = 0; j < 90; ++j) {
        const Index from = (j * 37 + 11) % 90;  // 37 and 90 have no common factor
        std::copy_n(head.key.row(from), 8, permuted.key.row(j));
        std::copy_n(head.value.row(from), 3, permuted.value.row(j));
    }
    for (const KernelSpec& spec : allKernels(8, 12)) {
        const Matrix<double> before = run(spec, head, {89}).values, after = run(spec, permuted, {89}).values;
        if (propertiesOf(spec).orderFree) {
            EXPECT_TRUE(near(after, before, tolerance())) << kernelName(spec);
        } else {
            EXPECT_GT(relativeError(after, before), tolerance())
                << kernelName(spec) << " does not say that it is order free";
        }
    }
}

TEST_P(KernelPropertiesTest, AConstantAddedToTheLogitsOfARowChangesNothing) {
    const OwnedHead head = randomHead(20, 8, 3, 14);
    OwnedHead shifted = head;
    double squares = 0.0;
    for (Index r = 0; r < 8; ++r) squares += head.query(19, r) * head.query(19, r);
    for (Index j = 0; j < 20; ++j)  // k + c q / (scale |q|^2) adds c to every logit of the row
        for (Index r = 0; r < 8; ++r) shifted.key(j, r) += 2.0 * head.query(19, r) / (head.scale * squares);
    for (const KernelSpec& spec : allKernels(8, 14))
        if (propertiesOf(spec).shiftFree) {
            EXPECT_TRUE(near(run(spec, shifted, {19}).values, run(spec, head, {19}).values, tolerance()))
                << kernelName(spec);
        }
}

/// `rows` more rows, or `cols` more columns, of a value that must not matter.
std::shared_ptr<const Matrix<double>> padded(const Matrix<double>& m, Index rows, Index cols) {
    auto out = std::make_shared<Matrix<double>>(m.rows() + rows, m.cols() + cols);
    std::fill(out->values().begin(), out->values().end(), 0.7);
    for (Index r = 0; r < m.rows(); ++r) std::copy_n(m.row(r), m.cols(), out->row(r));
    return out;
}

/// The kernel of a head with more dimensions, the new parameters arbitrary.
struct WithMoreDimensions {
    Index count;
    KernelSpec operator()(Performer spec) const {
        spec.projection = padded(*spec.projection, 0, count);
        return spec;
    }
    KernelSpec operator()(Rfa spec) const {
        spec.projection = padded(*spec.projection, 0, count);
        return spec;
    }
    KernelSpec operator()(PolySketch spec) const {
        spec.s1 = padded(*spec.s1, count, 0);
        spec.s2 = padded(*spec.s2, count, 0);
        return spec;
    }
    KernelSpec operator()(LinearZeros spec) const {
        if (!spec.mu) return spec;
        std::vector<double> mu = *spec.mu;
        mu.resize(mu.size() + static_cast<std::size_t>(count), 0.7);
        spec.mu = std::make_shared<std::vector<double>>(std::move(mu));
        return spec;
    }
    KernelSpec operator()(Oal spec) const {
        spec.label.resize(spec.label.size() + static_cast<std::size_t>(count), spec.groups - 1);
        return spec;
    }
    template <class Spec>
    KernelSpec operator()(const Spec& spec) const {
        return spec;
    }
};

Matrix<double> withZeroColumns(const Matrix<double>& m, Index count) {
    Matrix<double> out(m.rows(), m.cols() + count);
    for (Index r = 0; r < m.rows(); ++r) std::copy_n(m.row(r), m.cols(), out.row(r));
    return out;
}

TEST_P(KernelPropertiesTest, DimensionsOfZerosChangeNothing) {
    const OwnedHead head = randomHead(70, 8, 3, 15);
    OwnedHead wide = head;
    wide.query = withZeroColumns(head.query, 3);
    wide.key = withZeroColumns(head.key, 3);
    for (const KernelSpec& spec : allKernels(8, 15)) {
        if (!propertiesOf(spec).paddable) continue;
        const KernelSpec wideSpec = std::visit(WithMoreDimensions{3}, spec);
        EXPECT_TRUE(near(run(wideSpec, wide, {0, 69}).values, run(spec, head, {0, 69}).values, tolerance()))
            << kernelName(spec);
    }
}

TEST_P(KernelPropertiesTest, ANegativeDenominatorIsUsedAndCounted) {
    // One row of W that turns the key by a right angle and more: the cosine of the difference is negative.
    OwnedHead head = randomHead(2, 1, 1, 8);
    head.query = Matrix<double>(2, 1, {1, 1});
    head.key = Matrix<double>(2, 1, {-1, -1});
    const Rfa spec{std::make_shared<Matrix<double>>(1, 1, std::vector<double>{1.5})};
    const RowsOutput out = run(spec, head, {0, 1});
    EXPECT_EQ(out.negativeDenominators, 2);
    EXPECT_EQ(out.bad, (std::vector<std::uint8_t>{0, 0}));
    EXPECT_NEAR(out.values(1, 0), 0.5 * (head.value(0, 0) + head.value(1, 0)), 1e-6);  // float weights
    EXPECT_EQ(run(Softmax{}, head, {0, 1}).negativeDenominators, 0);
}

}  // namespace
}  // namespace dimscope::tests
