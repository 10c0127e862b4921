// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "analysis/orders/order_fits.h"
#include "analysis/orders/order_rows.h"
#include "analysis/orders/softmax_orders.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

// kernels.md, section 8: the third row of the hand-worked head; 12 digits.
TEST(SoftmaxOrders, KnownAnswersOfARow) {
    const OwnedHead head = handHead2();
    const PromptTensors tensors(head.inputs());
    OrderRow row;
    ASSERT_TRUE(OrderRows(tensors).softmaxRow(2, row));
    const auto all = [](const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
    EXPECT_TRUE(near(all(3.0 * row.first), std::vector<double>{0.0212132034356, 0.813172798365, -0.8343860018}, 5e-12));
    EXPECT_TRUE(near(all(row.higher), std::vector<double>{-0.06513061008, 0.00333608739589, 0.0617945226841}, 2e-11));
    EXPECT_NEAR(row.first.squaredNorm(), 0.150877777778, 1e-12);
    EXPECT_NEAR(row.higher.squaredNorm(), 0.00807168888227, 1e-12);
    EXPECT_NEAR(2.0 * row.first.dot(row.higher), -0.0334861987158, 1e-12);
    EXPECT_TRUE(near(all(row.y0), std::vector<double>{0.0, 0.583333333333}, 1e-11));
    EXPECT_TRUE(near(all(row.y1), std::vector<double>{0.285199735079, 0.205060966544}, 1e-11));
    EXPECT_TRUE(near(all(row.yh), std::vector<double>{-0.126925132764, -0.0137805869731}, 1e-11));
}

TEST(SoftmaxOrders, KnownAnswersOfLinearZeros) {
    const OwnedHead head = handHead2();
    const PromptTensors tensors(head.inputs());
    const OrderRow row = OrderRows(tensors).linearRow(2);
    const auto all = [](const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
    EXPECT_TRUE(near(all(row.y0), std::vector<double>{0.439917664001, 0.310015489797}, 1e-11));
    EXPECT_TRUE(near(all(row.y1), std::vector<double>{0.0682456193041, -0.0976568396249}, 1e-11));
    EXPECT_TRUE(near(all(row.yh), std::vector<double>{-0.00363209591008, 0.00621855092908}, 2e-11));
}

// Without a box the fit leaves [0, 1]: (3.647, 6.864) over the three rows.
TEST(SoftmaxOrders, GatesStayInTheirBox) {
    const OwnedHead head = handHead2();
    const PromptTensors tensors(head.inputs());
    const OrderRows rows(tensors);
    OrderSums sums(2);
    OrderRow row;
    for (const Index i : {0, 1, 2}) {
        ASSERT_TRUE(rows.softmaxRow(i, row));
        sums.add({row.y1, row.yh}, row.output());
    }
    const Eigen::VectorXd free = sums.leastSquares({0, 1}), boxed = sums.insideBox(0, 1);
    EXPECT_NEAR(free[0], 3.647, 5e-4);
    EXPECT_NEAR(free[1], 6.864, 5e-4);
    for (const double gate : boxed) {
        EXPECT_GE(gate, 0.0);
        EXPECT_LE(gate, 1.0);
    }
    for (double a = 0.0; a <= 1.0; a += 0.05)
        for (double b = 0.0; b <= 1.0; b += 0.05)
            EXPECT_GE(sums.relMse(Eigen::Vector2d(a, b)), sums.relMse(boxed) - 1e-12);
}

TEST(SoftmaxOrders, PartsAddUpToExactAttention) {
    MemorySource source({});
    OrdersParams params;
    params.rows = 0;
    const OrdersResult result = softmaxOrders(params, source, {});
    ASSERT_EQ(result.heads.size(), 8U);
    for (const HeadOrders& head : result.heads) {
        const WeightEnergy& e = head.energy;
        EXPECT_NEAR(e.zero + e.first + e.higher + e.cross, e.total, 1e-12 * e.total);
        EXPECT_NEAR(e.zero + e.orthogonalFirst + e.orthogonalHigher, e.total, 1e-12 * e.total);
        const OutputEnergy& o = head.output;
        EXPECT_NEAR(o.zero + o.first + o.higher + o.zeroFirst + o.zeroHigher + o.firstHigher, o.total, 1e-11 * o.total);
        // With both gates open what is missing is the mean of the values.
        EXPECT_NEAR(head.zerosSmOnes.relMse, o.zero / o.total, 1e-9);
        EXPECT_LE(head.zerosSm.relMse, head.zerosSmOnes.relMse + 1e-12);
        EXPECT_LE(head.linearZerosFree.relMse, head.linearZeros.relMse + 1e-12);
        EXPECT_EQ(head.dilution.size(), 24U);
        EXPECT_EQ(head.dilution.front().effectiveTokens, 1.0);
    }
    EXPECT_EQ(ordersTable(result).rows(), 8U);
    EXPECT_EQ(dilutionTable(result).rows(), 8U * 24U);
}

TEST(SoftmaxOrders, AHeadThatIsNotFiniteIsMarked) {
    MemorySource source({});
    source.poison(3, 1);
    const OrdersResult result = softmaxOrders({}, source, {});
    for (const HeadOrders& head : result.heads) {
        const bool poisoned = head.layer == LayerIndex{3} && head.head == HeadIndex{1};
        EXPECT_EQ(head.usable, !poisoned);
        EXPECT_EQ(std::isnan(head.output.total), poisoned);
    }
    EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(),
                            [](const Warning& warning) { return warning.code == "nonfinite"; }));
}

}  // namespace
}  // namespace dimscope::tests
