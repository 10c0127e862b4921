// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/analysis_figures/made_up.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dimscope::analysis::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

kernels::Matrix<double> timesFactors(const std::vector<double>& values, const std::vector<double>& factors) {
    kernels::Matrix<double> matrix(static_cast<Index>(factors.size()), static_cast<Index>(values.size()));
    for (std::size_t p = 0; p < factors.size(); ++p)
        for (std::size_t r = 0; r < values.size(); ++r)
            matrix(static_cast<Index>(p), static_cast<Index>(r)) = values[r] * factors[p];
    return matrix;
}

double topShare(const HeadProfile& head, std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min(n, head.order.size()); ++i)
        sum += head.share[static_cast<std::size_t>(head.order[head.order.size() - 1 - i])];
    return sum;
}

}  // namespace

HeadProfile makeHead(const std::vector<Dim>& dims, const std::vector<double>& promptFactors, int layer, int head) {
    HeadProfile p;
    p.layer = LayerIndex{layer};
    p.head = HeadIndex{head};
    for (const Dim& dim : dims) {
        p.qMeanAbs.push_back(dim.q);
        p.kMeanAbs.push_back(dim.k);
        p.qMaxAbs.push_back(3.0 * dim.q);
        p.kMaxAbs.push_back(3.0 * dim.k);
        p.chi.push_back(dim.chi);
        p.chiEffective.push_back(dim.chiEffective < 0.0 ? dim.chi : dim.chiEffective);
    }
    const double total = std::accumulate(p.chi.begin(), p.chi.end(), 0.0);
    double squares = 0.0;
    for (double chi : p.chi) {
        p.share.push_back(total > 0.0 ? chi / total : kNaN);
        squares += p.share.back() * p.share.back();
    }
    p.order.resize(p.chi.size());
    std::iota(p.order.begin(), p.order.end(), 0);
    std::stable_sort(p.order.begin(), p.order.end(), [&](int a, int b) {
        return p.chi[static_cast<std::size_t>(a)] < p.chi[static_cast<std::size_t>(b)];
    });
    p.effectiveDims = 1.0 / squares;
    p.top1 = topShare(p, 1);
    p.top5 = topShare(p, 5);
    p.top10 = topShare(p, 10);
    p.qMeanAbsPrompts = timesFactors(p.qMeanAbs, promptFactors);
    p.kMeanAbsPrompts = timesFactors(p.kMeanAbs, promptFactors);
    p.chiPrompts = timesFactors(p.chi, promptFactors);
    return p;
}

HeadProfile makeUnusable(int headDim, int layer, int head) {
    HeadProfile p =
        makeHead(std::vector<Dim>(static_cast<std::size_t>(headDim), Dim{kNaN, kNaN, kNaN, kNaN}), {1.0}, layer, head);
    p.nonFinite = 12;
    return p;
}

ProfileResult makeResult(std::vector<HeadProfile> heads) {
    ProfileResult result;
    result.heads = std::move(heads);
    const Index prompts = result.heads.empty() ? 1 : result.heads.front().chiPrompts.rows();
    for (Index p = 0; p < prompts; ++p) result.prompts.emplace_back(static_cast<int>(p));
    result.provenance.selection = {{"length", std::int64_t{512}}};
    result.warnings = {{"overlap", "", "made up"}};
    return result;
}

LayerInfo makeLayer(int headDim, const std::string& ropeLayout, int layer, int nHeads) {
    LayerInfo info;
    info.layer = LayerIndex{layer};
    info.nHeads = info.nKvHeads = nHeads;
    info.headDim = headDim;
    info.ropeLayout = ropeLayout;
    if (ropeLayout == "none") info.rope = "none";
    return info;
}

HeadGrouping makeGrouping(const HeadProfile& head, const std::vector<Cut>& cuts, double alpha) {
    HeadGrouping g;
    g.layer = head.layer;
    g.head = head.head;
    g.chi = head.chi;
    g.order = head.order;
    const int d = static_cast<int>(g.order.size());
    for (int c = 0; c + 1 < d; ++c)
        g.ratio.push_back(g.chi[static_cast<std::size_t>(g.order[static_cast<std::size_t>(c + 1)])] /
                          std::max(g.chi[static_cast<std::size_t>(g.order[static_cast<std::size_t>(c)])], 1e-12));
    g.support.assign(g.ratio.size(), 0.0);
    for (int c = static_cast<int>(std::ceil(d * (1.0 - alpha) - 1e-9)); c <= d - 2; ++c) g.candidates.push_back(c);
    for (const Cut& cut : cuts) {
        g.support[static_cast<std::size_t>(cut.at)] = cut.support;
        g.cuts.push_back(cut.at);
        if (cut.natural) g.naturalCuts.push_back(cut.at);
    }
    std::sort(g.cuts.begin(), g.cuts.end());
    g.groups.emplace_back();
    for (int i = 0; i < d; ++i) {
        g.groups.back().push_back(g.order[static_cast<std::size_t>(i)]);
        if (g.groups.size() > 1) g.outliers.push_back(g.order[static_cast<std::size_t>(i)]);
        if (std::find(g.cuts.begin(), g.cuts.end(), i) != g.cuts.end()) g.groups.emplace_back();
    }
    std::sort(g.outliers.begin(), g.outliers.end());
    return g;
}

ComparisonResult makeComparison(const std::vector<Error>& errors) {
    ComparisonResult result;
    result.prompts = {PromptIndex{0}, PromptIndex{1}};
    result.positions = {{3, 10, 20, 30}, {3, 10, 20, 30}};
    for (const Error& error : errors) {
        KernelError e;
        e.layer = LayerIndex{15};
        e.head = HeadIndex{4};
        e.kernel = error.kernel;
        e.seedRelMse = error.seeds;
        e.relMse =
            std::accumulate(error.seeds.begin(), error.seeds.end(), 0.0) / static_cast<double>(error.seeds.size());
        e.mse = 0.1 * e.relMse;
        for (double seed : error.seeds) e.seedMse.push_back(0.1 * seed);
        e.badRows = error.badRows;
        e.rowError.assign(8, 2.0 * e.relMse);
        e.rowEnergy.assign(8, 2.0);
        result.kernels.push_back(error.kernel);
        result.heads.push_back(std::move(e));
    }
    return result;
}

}  // namespace dimscope::analysis::test
