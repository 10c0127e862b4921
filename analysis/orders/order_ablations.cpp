// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/order_ablations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/common_prompts.h"
#include "analysis/orders/order_fits.h"
#include "analysis/orders/order_heads.h"
#include "analysis/run_record.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr double kLayerNormEpsilon = 1e-5;

enum Form : std::size_t { Keys, KeysAlone, Queries, Values };  // places in kForms
const std::vector<LinearForm> kForms = {
    {RadialScore::Key, true}, {RadialScore::Key, false}, {RadialScore::Query, true}, {RadialScore::Value, true}};

/// Over the coordinates of one head, biased variance, no affine map, as the published code has it (section 8).
Eigen::VectorXd layerNormed(const Eigen::VectorXd& x) {
    const Eigen::VectorXd centred = x.array() - x.mean();
    return centred / std::sqrt(centred.squaredNorm() / static_cast<double>(x.size()) + kLayerNormEpsilon);
}

/// Band n holds the rows that see 4^n to 4^(n+1) - 1 keys.
int bandOf(double visible) { return static_cast<int>(std::floor(std::log2(visible) / 2.0)); }

/// What errors and cosines are made from; adds up over bands and heads.
struct AblationSums {
    double square = 0.0, along = 0.0, energy = 0.0, error = 0.0;

    void add(const OrderSums& sums, const Eigen::VectorXd& factors) {
        *this += {sums.square(factors), sums.along(factors), sums.energy(),
                  sums.energy() > 0.0 ? sums.relMse(factors) * sums.energy() : 0.0};
    }
    AblationSums& operator+=(const AblationSums& more) {
        square += more.square;
        along += more.along;
        energy += more.energy;
        error += more.error;
        return *this;
    }
    double relMse() const { return energy > 0.0 ? error / energy : kNaN; }
    double cosine() const { return square > 0.0 && energy > 0.0 ? along / std::sqrt(square * energy) : kNaN; }
};

/// Sums of one head, and its rows for what is not linear in the gates.
class AblatedHead {
public:
    void add(const OrderRows& rows, Index position, const OrderRow& row) {
        if (!(row.visible > 1.0)) return;
        const std::vector<OrderRow> linear = rows.linearRows(position, kForms);
        const Eigen::VectorXd exact = row.output();
        for (std::size_t form = 0; form < kForms.size(); ++form)
            sums_[form].add({linear[form].y0, linear[form].y1, linear[form].yh}, exact);
        const OrderRow& base = linear[Form::Keys];
        Band& band = bands_.try_emplace(bandOf(row.visible)).first->second;
        band.sums.add({base.y0, base.y1, base.yh}, exact);
        band.fewest = std::min(band.fewest, row.visible);
        band.most = std::max(band.most, row.visible);
        rows_.push_back({base.y1, base.yh, exact});
    }

    /// In the order of ablationVariants().
    std::vector<std::pair<HeadAblation, AblationSums>> variants() const {
        const OrderSums& base = sums_[Form::Keys];
        const Eigen::VectorXd fitted = base.leastSquares({1, 2});
        return {gated(base, fitted),
                gated(base, base.leastSquares({0, 1, 2})),
                gated(base, base.bestScaled(Eigen::Vector3d(1.0, 1.0, 1.0))),
                gated(base, base.bestScaled(Eigen::Vector3d(0.0, 1.0, 1.0))),
                gated(base, base.insideBox(1, 2)),
                banded(),
                normed(fitted),
                normedExact(),
                gated(sums_[Form::KeysAlone], sums_[Form::KeysAlone].leastSquares({1, 2})),
                gated(sums_[Form::Queries], sums_[Form::Queries].leastSquares({1, 2})),
                gated(sums_[Form::Values], sums_[Form::Values].leastSquares({1, 2}))};
    }

private:
    using Ablated = std::pair<HeadAblation, AblationSums>;
    struct Band {
        OrderSums sums{3};
        double fewest = std::numeric_limits<double>::infinity(), most = 0.0;
    };
    struct KeptRow {
        Eigen::VectorXd first, higher, exact;  // (value_dim)
    };

    Ablated concluded(const AblationSums& sums) const {
        HeadAblation ablation;
        ablation.rows = static_cast<Index>(rows_.size());
        ablation.usable = !rows_.empty();
        ablation.relMse = sums.relMse();
        ablation.cosine = sums.cosine();
        return {ablation, sums};
    }
    static BandGates gatesOf(const Eigen::VectorXd& factors, double fewest, double most) {
        return {fewest, most, {factors[1], factors[2], factors[0]}};
    }
    BandGates everywhere(const Eigen::VectorXd& factors) const {
        return gatesOf(factors, bands_.begin()->second.fewest, bands_.rbegin()->second.most);
    }
    Ablated gated(const OrderSums& sums, const Eigen::VectorXd& factors) const {
        AblationSums total;
        total.add(sums, factors);
        Ablated ablated = concluded(total);
        if (ablated.first.usable) ablated.first.gates.push_back(everywhere(factors));
        return ablated;
    }
    Ablated banded() const {
        AblationSums total;
        std::vector<BandGates> gates;
        for (const auto& [number, band] : bands_) {
            const Eigen::VectorXd factors = band.sums.leastSquares({1, 2});
            total.add(band.sums, factors);
            gates.push_back(gatesOf(factors, band.fewest, band.most));
        }
        Ablated ablated = concluded(total);
        ablated.first.gates = std::move(gates);
        return ablated;
    }
    /// The baseline's gates stay as they are.
    Ablated normed(const Eigen::VectorXd& factors) const {
        Ablated ablated = scaled([&](const KeptRow& row) { return factors[1] * row.first + factors[2] * row.higher; });
        if (ablated.first.usable) ablated.first.gates.push_back(everywhere(factors));
        return ablated;
    }
    Ablated normedExact() const {
        return scaled([](const KeptRow& row) { return row.exact; });
    }
    Ablated scaled(const std::function<Eigen::VectorXd(const KeptRow&)>& output) const {
        OrderSums sums(1);
        for (const KeptRow& row : rows_) sums.add({layerNormed(output(row))}, row.exact);
        const Eigen::VectorXd factor = sums.bestScaled(Eigen::VectorXd::Ones(1));
        AblationSums total;
        total.add(sums, factor);
        Ablated ablated = concluded(total);
        if (ablated.first.usable) ablated.first.scale = factor[0];
        return ablated;
    }

    std::vector<OrderSums> sums_ = std::vector<OrderSums>(kForms.size(), OrderSums(3));  // zero, first, higher
    std::map<int, Band> bands_;
    std::vector<KeptRow> rows_;
};

/// By layer and variant; the layer is empty for all.
using AblationPool = std::map<std::pair<std::optional<LayerIndex>, std::size_t>, std::pair<AblationSums, Index>>;

std::vector<PooledAblation> pooledAblations(const AblationPool& pool, const std::vector<LayerIndex>& layers) {
    std::vector<std::optional<LayerIndex>> places(layers.begin(), layers.end());
    places.emplace_back();
    std::vector<PooledAblation> pooled;
    for (const auto& layer : places)
        for (std::size_t v = 0; v < ablationVariants().size(); ++v) {
            const auto found = pool.find({layer, v});
            PooledAblation entry{layer, ablationVariants()[v].name};
            if (found != pool.end()) {
                entry.relMse = found->second.first.relMse();
                entry.cosine = found->second.first.cosine();
                entry.heads = found->second.second;
            }
            pooled.push_back(std::move(entry));
        }
    return pooled;
}

}  // namespace

const std::vector<AblationVariant>& ablationVariants() {
    static const std::vector<AblationVariant> kVariants = {
        {"baseline", "linear ZeroS proxy",
         "score from keys, weights times cos(q, k), gates of first and higher order fitted per head"},
        {"zero_order", "zero order back", "the gate of the zero order is fitted too"},
        {"softmax_radial", "softmax as the radial part",
         "all three orders with one common factor per head: exp(s) over its sum"},
        {"gates_off", "gates off", "first and higher order with one common factor per head"},
        {"gates_box", "gates in [0, 1]", "both gates stay in [0, 1], as a sigmoid's do"},
        {"gates_band", "gates per position band", "both gates are fitted in bands of 4^n to 4^(n+1) - 1 visible keys"},
        {"layer_norm", "LayerNorm on",
         "the baseline's gates, its outputs under LayerNorm (eps 1e-5, no affine map), one factor per head behind it"},
        {"exact_layer_norm", "exact under LayerNorm",
         "exact attention in its place under the same LayerNorm and factor: what LayerNorm alone costs"},
        {"no_angular", "angular part off", "the radial weights without cos(q, k)"},
        {"radial_query", "score from queries", "u = q in the radial score"},
        {"radial_value", "score from values", "u = v in the radial score"}};
    return kVariants;
}

const AblationVariant& ablationVariant(const std::string& name) {
    return *std::find_if(ablationVariants().begin(), ablationVariants().end(),
                         [&](const AblationVariant& variant) { return variant.name == name; });
}

OrderAblations orderAblations(const OrdersParams& params, HeadSource& dump, const RunControl& control) {
    CommonPrompts source(dump, params.selection);
    RunRecord record("orders", nullptr, params.rowSeed);
    describe(params.selection, source.info(), record.provenance());
    for (const LayerInfo& layer : selectedLayers(params.selection, source.info()))
        if (!layer.hasEveryQuery())
            throw kernels::ArgumentError(
                fmt::format("layer {} has fewer queries than keys; the ablations need a query at "
                            "every position",
                            layer.layer.value));
    OrderAblations result;
    result.warnings = source.info().warnings;
    const OrderHeads heads = orderHeads(params, source, result.warnings);
    result.prompts = heads.prompts;
    result.positions = heads.positions;
    describeOrders(params, heads, record.provenance());

    AblationPool pool;
    std::vector<LayerIndex> layers;
    for (std::size_t n = 0; n < heads.heads.size(); ++n) {
        const LayerIndex layer = heads.heads[n].first.layer;
        if (layers.empty() || layers.back() != layer) layers.push_back(layer);
        AblatedHead head;
        const bool finite = visitOrderRows(
            heads, n, source, result.warnings, control,
            [&](const OrderRows& rows, Index position, const OrderRow& row) { head.add(rows, position, row); });
        auto variants = (finite ? head : AblatedHead{}).variants();
        for (std::size_t v = 0; v < variants.size(); ++v) {
            auto& [ablation, sums] = variants[v];
            ablation.layer = layer;
            ablation.head = heads.heads[n].second;
            ablation.variant = ablationVariants()[v].name;
            for (const std::optional<LayerIndex>& place : {std::optional(layer), std::optional<LayerIndex>()}) {
                if (!ablation.usable) break;
                auto& [total, count] = pool[{place, v}];
                total += sums;
                ++count;
            }
            result.heads.push_back(std::move(ablation));
        }
        control.part(n, heads.heads.size()).report(1.0F);
    }
    result.pooled = pooledAblations(pool, layers);
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
