// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/order_ablations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/orders/order_fits.h"
#include "analysis/orders/order_rows.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

using Vector = std::vector<double>;

/// Written out again from section 8, with plain loops: the three parts of linear ZeroS at row i of a causal head.
struct PlainParts {
    Vector zero, first, higher;
};

double dot(const double* a, const double* b, Index n) {
    double sum = 0.0;
    for (Index r = 0; r < n; ++r) sum += a[r] * b[r];
    return sum;
}

PlainParts plainParts(const OwnedHead& head, const kernels::Matrix<double>& u, bool angular, Index i) {
    const Index d = head.query.cols(), dv = head.value.cols(), t = i + 1;
    Vector score(static_cast<std::size_t>(t)), sum(static_cast<std::size_t>(u.cols()), 0.0);
    double mean = 0.0, total = 0.0;
    for (Index j = 0; j < t; ++j) {
        for (Index r = 0; r < u.cols(); ++r) sum[static_cast<std::size_t>(r)] += u(j, r);
        double s = 0.0;
        for (Index r = 0; r < u.cols(); ++r)
            s -= head.scale * u(j, r) * sum[static_cast<std::size_t>(r)] / double(j + 2);
        score[static_cast<std::size_t>(j)] = s;
        mean += s / double(t);
        total += std::exp(s);
    }
    PlainParts parts{Vector(static_cast<std::size_t>(dv)), Vector(static_cast<std::size_t>(dv)),
                     Vector(static_cast<std::size_t>(dv))};
    for (Index j = 0; j < t; ++j) {
        const double s = score[static_cast<std::size_t>(j)];
        const double length = std::sqrt(dot(head.query.row(i), head.query.row(i), d)) *
                              std::sqrt(dot(head.key.row(j), head.key.row(j), d));
        const double turn = angular ? dot(head.query.row(i), head.key.row(j), d) / length : 1.0;
        const double one = 1.0 / double(t), delta = (s - mean) / double(t), rest = std::exp(s) / total - one - delta;
        for (Index c = 0; c < dv; ++c) {
            parts.zero[static_cast<std::size_t>(c)] += one * turn * head.value(j, c);
            parts.first[static_cast<std::size_t>(c)] += delta * turn * head.value(j, c);
            parts.higher[static_cast<std::size_t>(c)] += rest * turn * head.value(j, c);
        }
    }
    return parts;
}

Vector entries(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

TEST(LinearForms, PartsAreThoseOfSection8) {
    const OwnedHead head = randomHead(9, 5, 4, 21);
    const PromptTensors tensors(head.inputs());
    const OrderRows rows(tensors);
    const std::vector<LinearForm> forms = {
        {RadialScore::Key, true}, {RadialScore::Key, false}, {RadialScore::Query, true}, {RadialScore::Value, false}};
    const kernels::Matrix<double>* sources[] = {&head.key, &head.key, &head.query, &head.value};
    for (const Index i : {0, 1, 8}) {
        const std::vector<OrderRow> linear = rows.linearRows(i, forms);
        for (std::size_t f = 0; f < forms.size(); ++f) {
            SCOPED_TRACE(testing::Message() << "row " << i << " form " << f);
            const PlainParts plain = plainParts(head, *sources[f], forms[f].angular, i);
            // Sums of nine numbers near 1 in double; where a part is 0 the error is absolute.
            EXPECT_TRUE(near(entries(linear[f].y0), plain.zero, 1e-13));
            EXPECT_TRUE(near(entries(linear[f].y1), plain.first, 1e-12));
            EXPECT_TRUE(near(entries(linear[f].yh), plain.higher, 1e-12));
        }
    }
}

TEST(OrderSums, BestScaleOfADirection) {
    OrderSums sums(2);
    // Two outputs along the axes, exact (3, 1): the best multiple of their sum is 2.
    sums.add({Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, 1.0)}, Eigen::Vector2d(3.0, 1.0));
    const Eigen::VectorXd best = sums.bestScaled(Eigen::Vector2d(1.0, 1.0));
    EXPECT_NEAR(best[0], 2.0, 1e-15);
    EXPECT_NEAR(best[1], 2.0, 1e-15);
    EXPECT_NEAR(sums.relMse(best), 2.0 / 10.0, 1e-15);
    EXPECT_NEAR(sums.cosine(best), 4.0 / std::sqrt(20.0), 1e-15);
    EXPECT_EQ(sums.bestScaled(Eigen::Vector2d(0.0, 0.0)), Eigen::Vector2d(0.0, 0.0));
}

std::map<std::string, HeadAblation> ofHead(const OrderAblations& result, std::size_t head) {
    const std::size_t count = ablationVariants().size();
    std::map<std::string, HeadAblation> variants;
    for (std::size_t v = 0; v < count; ++v) {
        const HeadAblation& ablation = result.heads[head * count + v];
        EXPECT_EQ(ablation.variant, ablationVariants()[v].name);
        variants[ablation.variant] = ablation;
    }
    return variants;
}

TEST(OrderAblations, BaselineAndZeroOrderAreTheFitsOfOrders) {
    MemorySource source({});
    OrdersParams params;
    params.rows = 16;
    const OrdersResult orders = softmaxOrders(params, source, {});
    const OrderAblations result = orderAblations(params, source, {});
    EXPECT_EQ(result.positions, orders.positions);
    ASSERT_EQ(result.heads.size(), orders.heads.size() * ablationVariants().size());
    for (std::size_t h = 0; h < orders.heads.size(); ++h) {
        auto variants = ofHead(result, h);
        EXPECT_EQ(variants["baseline"].relMse, orders.heads[h].linearZeros.relMse);
        EXPECT_EQ(variants["baseline"].cosine, orders.heads[h].linearZeros.cosine);
        EXPECT_EQ(variants["baseline"].gates.at(0).gates.sigma1, orders.heads[h].linearZeros.gates.sigma1);
        EXPECT_EQ(variants["zero_order"].relMse, orders.heads[h].linearZerosFree.relMse);
        EXPECT_EQ(variants["zero_order"].gates.at(0).gates.sigma0, orders.heads[h].linearZerosFree.gates.sigma0);
    }
}

TEST(OrderAblations, MoreFreedomNeverErrsMore) {
    MemorySource source({});
    OrdersParams params;
    params.rows = 0;
    const OrderAblations result = orderAblations(params, source, {});
    const double rounding = 1e-12;  // of sums of squares over 72 rows
    for (std::size_t h = 0; h < 8; ++h) {
        auto v = ofHead(result, h);
        EXPECT_LE(v["zero_order"].relMse, v["baseline"].relMse + rounding);
        EXPECT_LE(v["zero_order"].relMse, v["softmax_radial"].relMse + rounding);
        EXPECT_LE(v["gates_band"].relMse, v["baseline"].relMse + rounding);
        EXPECT_LE(v["baseline"].relMse, v["gates_off"].relMse + rounding);
        EXPECT_LE(v["baseline"].relMse, v["gates_box"].relMse + rounding);
        for (const auto& [name, ablation] : v) {
            EXPECT_EQ(ablation.rows, 3 * 23) << name;  // the first position sees one key
            // One factor at least is free in every variant but the box: none errs more than predicting zero.
            EXPECT_LE(ablation.relMse, 1.0 + rounding) << name;
            // Behind least squares the error is orthogonal to the fit.
            if (name != "gates_box") {
                EXPECT_NEAR(ablation.relMse, 1.0 - ablation.cosine * ablation.cosine, 1e-9) << name;
            }
        }
        const ZeroGates off = v["gates_off"].gates.at(0).gates, all = v["softmax_radial"].gates.at(0).gates;
        EXPECT_EQ(off.sigma1, off.sigmah);
        EXPECT_EQ(off.sigma0, 0.0);
        EXPECT_EQ(all.sigma0, all.sigma1);
        const ZeroGates box = v["gates_box"].gates.at(0).gates;
        EXPECT_GE(std::min(box.sigma1, box.sigmah), 0.0);
        EXPECT_LE(std::max(box.sigma1, box.sigmah), 1.0);
        // 2 .. 24 keys: bands from 1, 4 and 16 keys.
        const std::vector<BandGates>& bands = v["gates_band"].gates;
        ASSERT_EQ(bands.size(), 3U);
        EXPECT_EQ(bands[0].fewestKeys, 2.0);
        EXPECT_EQ(bands[0].mostKeys, 3.0);
        EXPECT_EQ(bands[1].fewestKeys, 4.0);
        EXPECT_EQ(bands[2].mostKeys, 24.0);
    }
}

/// LayerNorm, written out again.
Vector plainNormed(const Vector& x) {
    double mean = 0.0, variance = 0.0;
    for (const double value : x) mean += value / double(x.size());
    for (const double value : x) variance += (value - mean) * (value - mean) / double(x.size());
    Vector out;
    for (const double value : x) out.push_back((value - mean) / std::sqrt(variance + 1e-5));
    return out;
}

TEST(OrderAblations, LayerNormHoldsTheGatesAndFitsOneFactor) {
    MemorySource source({.prompts = 1});
    OrdersParams params;
    params.selection = {{LayerIndex{7}}, {HeadIndex{2}}, {}, 0};
    params.rows = 0;
    auto variants = ofHead(orderAblations(params, source, {}), 0);
    const ZeroGates gates = variants["baseline"].gates.at(0).gates;
    EXPECT_EQ(variants["layer_norm"].gates.at(0).gates.sigma1, gates.sigma1);

    OwnedHead head;
    const auto tensor = [&](TensorKind kind, int index) {
        const auto loaded = source.load(kind, LayerIndex{7}, PromptIndex{0}, index, {});
        return std::get<kernels::Matrix<double>>(loaded->values);
    };
    head.query = tensor(TensorKind::Query, 2);
    head.key = tensor(TensorKind::Key, 1);
    head.value = tensor(TensorKind::Value, 1);
    head.scale = source.info().layers[1].scale;
    const PromptTensors tensors(head.inputs());
    for (const bool exact : {false, true}) {
        double square = 0.0, along = 0.0, energy = 0.0;
        for (Index i = 1; i < 24; ++i) {
            const Vector y = entries(tensors.exactRow(i, tensors.visible(i)));
            const PlainParts parts = plainParts(head, head.key, true, i);
            Vector fit = y;
            for (std::size_t c = 0; c < y.size() && !exact; ++c)
                fit[c] = gates.sigma1 * parts.first[c] + gates.sigmah * parts.higher[c];
            const Vector normed = plainNormed(fit);
            for (std::size_t c = 0; c < y.size(); ++c) {
                square += normed[c] * normed[c];
                along += normed[c] * y[c];
                energy += y[c] * y[c];
            }
        }
        const HeadAblation& ablation = variants[exact ? "exact_layer_norm" : "layer_norm"];
        // Both sum some 138 products in double.
        EXPECT_NEAR(ablation.scale, along / square, 1e-10);
        EXPECT_NEAR(ablation.cosine, along / std::sqrt(square * energy), 1e-10);
        EXPECT_NEAR(ablation.relMse, 1.0 - along * along / (square * energy), 1e-10);
    }
}

TEST(OrderAblations, PooledIsTheRatioOfSums) {
    MemorySource source({});
    source.poison(3, 1);
    const OrderAblations result = orderAblations({}, source, {});
    const std::size_t count = ablationVariants().size();
    ASSERT_EQ(result.pooled.size(), 3 * count);  // two layers and all
    const PooledAblation& all = result.pooled[2 * count];
    EXPECT_FALSE(all.layer);
    EXPECT_EQ(all.heads, 7);
    EXPECT_EQ(result.pooled[0].heads, 3);
    double error = 0.0, energy = 0.0;
    const OrdersResult orders = softmaxOrders({}, source, {});
    for (std::size_t h = 0; h < 8; ++h) {
        const HeadAblation baseline = ofHead(result, h)["baseline"];
        const bool poisoned = baseline.layer == LayerIndex{3} && baseline.head == HeadIndex{1};
        EXPECT_EQ(baseline.usable, !poisoned);
        EXPECT_EQ(std::isnan(baseline.relMse), poisoned);
        EXPECT_EQ(baseline.gates.empty(), poisoned);
        if (poisoned) continue;
        // Energy of the rows with more than one key: all 72 but the first of every prompt, whose output is v_1.
        ASSERT_EQ(orders.heads[h].rows, 72);
        double one = 0.0;
        for (int p = 0; p < 3; ++p) {
            const auto v = std::get<kernels::Matrix<double>>(
                source.load(TensorKind::Value, baseline.layer, PromptIndex{p}, baseline.head.value / 2, {})->values);
            one += dot(v.row(0), v.row(0), v.cols());
        }
        const double rest = orders.heads[h].output.total * 72.0 - one;
        error += baseline.relMse * rest;
        energy += rest;
    }
    EXPECT_NEAR(all.relMse, error / energy, 1e-12);
    EXPECT_EQ(ablationTable(result).rows(), 3 * count);
    EXPECT_EQ(headAblationTable(result).rows(), 8 * count);
}

TEST(OrderAblations, OneVisibleKeyGivesNoNumber) {
    MemorySource source({});
    OrdersParams params;
    params.positions = {{0}, {0}, {0}};
    const OrderAblations result = orderAblations(params, source, {});
    for (const HeadAblation& head : result.heads) {
        EXPECT_FALSE(head.usable);
        EXPECT_TRUE(std::isnan(head.relMse));
        EXPECT_TRUE(std::isnan(head.scale));
    }
    for (const PooledAblation& pooled : result.pooled) EXPECT_TRUE(std::isnan(pooled.relMse));
}

TEST(OrderAblations, StopsWhenCancelled) {
    MemorySource source({});
    const RunControl control;
    control.cancel();
    EXPECT_THROW(orderAblations({}, source, control), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
