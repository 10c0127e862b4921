// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/attention_math.h"
#include "kernels/cuda/rows/row_planner_parts.h"
#include "kernels/feature_matrices.h"

// Kernels of explicit feature maps. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::cuda {

const double* RowPlanner::staged(const std::vector<double>* values) {
    return values ? batch_.inputs.stage(std::span<const double>(*values)) : nullptr;
}

void RowPlanner::addSides(TokenMap map, Index width) {
    const Factor<float> query = mapped(batch_.stages.tokens, tokenMap<float>(Side::Query, map), width);
    pairs(query, mapped(batch_.stages.tokens, tokenMap<float>(Side::Key, map), width), width);
}

Factor<float> RowPlanner::projected(const Factor<float>& tokens, const Factor<float>& weights, double scale,
                                    Index stride) {
    stride = std::max(stride, static_cast<Index>(weights.rows));
    float* out = batch_.scratch.take<float>(tokens.rows * stride);
    const Product<float, float> product{tokens, weights, static_cast<int>(weights.stride), static_cast<float>(scale),
                                        out,    stride};
    batch_.stages.projections.add(product, blocksOf(product));
    return {out, stride, tokens.rows};
}

Factor<double> RowPlanner::projected(const Factor<double>& tokens, const Factor<double>& weights, double scale) {
    double* out = batch_.scratch.take<double>(tokens.rows * weights.rows);
    const Product<double, double> product{tokens, weights, static_cast<int>(weights.stride), scale, out, weights.rows};
    batch_.stages.wideProjections.add(product, blocksOf(product));
    return {out, weights.rows, tokens.rows};
}

/// In place: the features take the room of the projections.
MapTask<float, float> RowPlanner::featureMap(Side side, TokenMap map, const Factor<float>& projections,
                                             int width) const {
    MapTask<float, float> task = tokenMap<float>(side, map);
    task.in = projections.data;
    task.out = const_cast<float*>(projections.data);  // of the scratch memory that `projected` took
    task.inStride = task.outStride = projections.stride;
    task.gathered = true;
    task.width = width;
    task.rows = projections.rows;
    return task;
}

MapTask<double, double> RowPlanner::wideMap(TokenMap map, const Factor<double>& from) {
    MapTask<double, double> task;
    task.map = map;
    task.in = from.data;
    task.inStride = from.stride;
    task.width = static_cast<int>(from.stride);
    task.rows = from.rows;
    return task;
}

const double* RowPlanner::phi(bool calibrated, double value) {
    if (calibrated) return batch_.inputs.stage(std::span<const double>(&value, 1));
    double* out = batch_.scratch.take<double>(1);
    batch_.stages.statistics.add(
        {Statistic::Phi, head_.query, head_.key, head_.mask.valid, head_.positions, head_.headDim, head_.scale, nullptr,
         nullptr, 0.0, batch_.scratch.take<double>(kStatisticWarps * 2 * head_.headDim), out},
        1);
    return out;
}

void RowPlanner::logarithmic(const Matrix<double>& weights, double scale, std::span<const double> queryTerms,
                             const double* phi, bool unit) {
    const Factor<float> w = staged<float>(weights);
    const auto features = static_cast<int>(w.rows);
    Factor<float> query = projected(gathered(Side::Query), w, scale), key = projected(gathered(Side::Key), w, scale);
    MapTask<float, float> ofQuery = featureMap(Side::Query, TokenMap::Logarithms, query, features);
    MapTask<float, float> ofKey =
        featureMap(Side::Key, unit ? TokenMap::UnitLogarithms : TokenMap::Logarithms, key, features);
    if (!queryTerms.empty()) ofQuery.first = batch_.inputs.stage(queryTerms);
    ofQuery.phi = ofKey.phi = phi;
    query.shift = ofQuery.shift = batch_.scratch.take<float>(rows_);
    key.shift = ofKey.shift = batch_.scratch.take<float>(keys_);
    weigh_.offset = ofKey.offset = batch_.scratch.take<double>(keys_);
    batch_.stages.features.add(ofQuery, blocksFor(rows_, kTokensPerBlock));
    batch_.stages.features.add(ofKey, blocksFor(keys_, kTokensPerBlock));
    pairs(query, key, features);
    weigh_.rule = PairRule::LogProduct;
    weigh_.left = query;
    weigh_.right = key;
    weigh_.features = features;
}

void RowPlanner::add(const Performer& spec) {
    if (spec.epsilon > 0.0) return floored(spec);
    logarithmic(*spec.projection, std::sqrt(head_.scale), {}, nullptr, false);
}

/// Section 1 as upstream: the query's own maximum, one maximum over all valid keys of the sequence.
void RowPlanner::floored(const Performer& spec) {
    const Factor<float> w = staged<float>(*spec.projection);
    const auto features = static_cast<int>(w.rows);
    const double scale = std::sqrt(head_.scale);
    const Factor<float> query = projected(gathered(Side::Query), w, scale);
    const Factor<float> key = projected({head_.key, head_.headDim, head_.positions}, w, scale);
    const bool projection = spec.shift == Performer::Shift::Projection;
    MapTask<float, float> exponents = featureMap(Side::Key, TokenMap::LargestExponent, key, features);
    exponents.projectionShift = projection;
    exponents.offset = batch_.scratch.take<double>(head_.positions);
    batch_.stages.exponents.add(exponents, blocksFor(head_.positions, kTokensPerBlock));
    double* maximum = batch_.scratch.take<double>(1);
    batch_.stages.maxima.add({Statistic::Largest, nullptr, nullptr, head_.mask.valid, head_.positions, 0, 1.0,
                              exponents.offset, nullptr, 0.0, nullptr, maximum},
                             1);
    for (const Side side : {Side::Query, Side::Key}) {
        MapTask<float, float> task = featureMap(side, TokenMap::Floored, side == Side::Query ? query : key, features);
        task.projectionShift = projection;
        task.factor = spec.epsilon;
        if (side == Side::Key) task.maximum = maximum;
        batch_.stages.features.add(task, blocksFor(task.rows, kTokensPerBlock));
    }
    pairs(query, {key.data, key.stride, keys_}, features);
    weigh_.rule = PairRule::Product;
}

void RowPlanner::add(const SpectraFormer& spec) {
    const bool upstream = spec.scaling == SpectraFormer::Scaling::Upstream;
    const double scale = upstream ? head_.scale : std::sqrt(head_.scale);
    const Factor<float> w = staged<float>(fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation));
    const double* statistic = spec.statistic == SpectraFormer::Statistic::Position
                                  ? nullptr
                                  : phi(spec.statistic == SpectraFormer::Statistic::Calibrated, spec.phi);
    const Index width = head_.headDim + 1;
    const Factor<float> query = projected(gathered(Side::Query), w, scale, width);
    const Factor<float> key = projected(gathered(Side::Key), w, scale, width);
    for (const Side side : {Side::Query, Side::Key}) {
        MapTask<float, float> task =
            featureMap(side, TokenMap::Sharpened, side == Side::Query ? query : key, head_.headDim);
        task.phi = statistic;
        task.factor = spec.epsilon;
        batch_.stages.features.add(task, blocksFor(task.rows, kTokensPerBlock));
    }
    pairs(query, key, width);
    weigh_.rule = PairRule::Product;
}

/// Section 2.1. Per query 2 A |w_f|^2 is added once, for q and k together, less what all features have in common.
void RowPlanner::add(const SpectraFormerUnbiased& spec) {
    const Matrix<double> rows = fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation);
    std::vector<double> norms;
    for (Index f = 0; f < rows.rows(); ++f) {
        norms.push_back(0.0);
        for (Index c = 0; c < rows.cols(); ++c) norms.back() += rows(f, c) * rows(f, c);
    }
    const double least = *std::min_element(norms.begin(), norms.end());
    for (double& norm : norms) norm -= least;
    logarithmic(rows, std::sqrt(head_.scale), norms,
                phi(spec.statistic == SpectraFormerUnbiased::Statistic::Calibrated, spec.phi), false);
}

void RowPlanner::add(const DiJiang& spec) {
    if (!weightsFitFloat(spec)) return wide(spec);
    std::vector<double> doubled;
    if (spec.theta)
        for (const double theta : *spec.theta) doubled.push_back(2.0 * theta);
    logarithmic(cosineRows(spec), std::sqrt(head_.scale), doubled, nullptr, true);
}

/// In double and in the order of section 3: calibration can drive theta to 1e14.
void RowPlanner::wide(const DiJiang& spec) {
    const Factor<double> w = staged<double>(cosineRows(spec));
    const auto side = [&](Side which) {
        const Factor<double> tokens =
            mapped(batch_.stages.wideTokens, tokenMap<double>(which, TokenMap::Scaled), head_.headDim);
        const Factor<double> z = projected(tokens, w, std::sqrt(head_.scale));
        MapTask<double, double> task = wideMap(TokenMap::LogSoftmax, z);
        if (which == Side::Query) {
            std::vector<double> doubled = *spec.theta;
            for (double& theta : doubled) theta *= 2.0;
            task.first = staged(&doubled);
        }
        return mapped(batch_.stages.wideFeatures, task, head_.headDim);
    };
    weigh_.wideLeft = side(Side::Query);
    weigh_.wideRight = side(Side::Key);
    weigh_.features = head_.headDim;
    weigh_.rule = PairRule::LogSum;
}

void RowPlanner::add(const Elu&) {
    addSides(TokenMap::Elu, head_.headDim);
    weigh_.rule = PairRule::Product;
}

void RowPlanner::add(const CosFormer& spec) {
    addSides(TokenMap::Rectified, head_.headDim);
    weigh_.rule = PairRule::CosDistance;
    weigh_.a = spec.length;
    weigh_.denominator = Denominator::Floored;
    weigh_.floor = 1e-6;
}

/// In double: where kappa changes sign a row's sum loses digits that float has not got.
void RowPlanner::add(const Rfa& spec) {
    const Factor<double> w = staged<double>(*spec.projection);
    const auto side = [&](Side which) {
        const Factor<double> angles = projected(
            mapped(batch_.stages.wideTokens, tokenMap<double>(which, TokenMap::Normalised), head_.headDim), w, 1.0);
        return mapped(batch_.stages.wideFeatures, wideMap(TokenMap::SineCosine, angles), 2 * w.rows);
    };
    const Factor<double> query = side(Side::Query);
    pairs(query, side(Side::Key), 2 * w.rows);
    weigh_.rule = PairRule::Product;
    if (spec.floor > 0.0) weigh_.denominator = Denominator::Floored;
    weigh_.floor = spec.floor;
}

void RowPlanner::add(const Hedgehog& spec) {
    const bool joint = spec.variant == Hedgehog::Variant::Fla;  // products of two such features leave float's range
    const TokenMap map = joint ? TokenMap::JointSoftmax : TokenMap::Softmaxes;
    const Index width = 2 * head_.headDim;
    weigh_.rule = PairRule::Product;
    const auto own = [&](Side side) { return (side == Side::Query ? spec.query : spec.key).get(); };
    const auto narrow = [&](Side side) {
        if (!own(side)) return mapped(batch_.stages.tokens, tokenMap<float>(side, map), width);
        const Factor<float> y = projected(gathered(side), staged<float>(*own(side)), 1.0);
        return mapped(batch_.stages.features, featureMap(side, map, y, head_.headDim), width);
    };
    const auto wideSide = [&](Side side) {
        if (!own(side)) return mapped(batch_.stages.wideTokens, tokenMap<double>(side, map), width);
        const Factor<double> x =
            mapped(batch_.stages.wideTokens, tokenMap<double>(side, TokenMap::Scaled), head_.headDim);
        const Factor<double> y = projected(x, staged<double>(*own(side)), 1.0);
        return mapped(batch_.stages.wideFeatures, wideMap(map, y), width);
    };
    if (joint) {
        const Factor<double> query = wideSide(Side::Query);
        return pairs(query, wideSide(Side::Key), width);
    }
    const Factor<float> query = narrow(Side::Query);
    pairs(query, narrow(Side::Key), width);
}

void RowPlanner::add(const ReBased& spec) {
    const double *gamma = staged(spec.gamma.get()), *beta = staged(spec.beta.get());
    const auto side = [&](Side which) {
        MapTask<float, float> task = tokenMap<float>(which, TokenMap::LayerNormalised);
        task.first = gamma;
        task.second = beta;
        return mapped(batch_.stages.tokens, task, head_.headDim);
    };
    const Factor<float> query = side(Side::Query);
    pairs(query, side(Side::Key), head_.headDim);
    weigh_.rule = PairRule::Square;
    weigh_.a = 1.0 / static_cast<double>(head_.headDim);
}

void RowPlanner::add(const PolySketch& spec) {
    const Index sketches = spec.s1->cols();
    Matrix<double> both(2 * sketches, head_.headDim);
    for (Index s = 0; s < sketches; ++s)
        for (Index c = 0; c < head_.headDim; ++c) {
            both(s, c) = (*spec.s1)(c, s);
            both(sketches + s, c) = (*spec.s2)(c, s);
        }
    const Factor<float> w = staged<float>(both);
    const auto side = [&](Side which) {
        const Factor<float> y = projected(gathered(which), w, 1.0);
        return mapped(batch_.stages.features,
                      featureMap(which, TokenMap::SketchProduct, y, static_cast<int>(2 * sketches)), sketches);
    };
    const Factor<float> query = side(Side::Query);
    pairs(query, side(Side::Key), sketches);
    weigh_.rule = PairRule::Square;
    weigh_.denominator = Denominator::OnePlus;
}

/// sigma exp(s - m) inside the window, m its largest logit there; identity Hedgehog features before it.
void RowPlanner::add(const Lolcats& spec) {
    addSides(TokenMap::Softmaxes, 2 * head_.headDim);
    weigh_.second = logitsBeside(gathered(Side::Query), gathered(Side::Key));
    weigh_.rule = PairRule::Windowed;
    weigh_.window = spec.window;
    weigh_.b = spec.sigma;
}

}  // namespace dimscope::kernels::cuda
