// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "analysis/fidelity/fidelity.h"
#include "analysis/statistics.h"
#include "analysis/warning_list.h"

namespace dimscope::analysis {
namespace {

MeanError meanErrorOf(const ErrorSums& sums) {
    return {sums.values > 0.0 ? sums.mse() : kNaN, sums.values > 0.0 ? sums.relMse() : kNaN};
}

WeightFidelity weightsOf(const WeightSums& sums) {
    if (!(sums.rows > 0.0)) return {};
    return {sums.divergenceRows > 0.0 ? sums.divergence / sums.divergenceRows : kNaN,
            1.0 - sums.divergenceRows / sums.rows, sums.variation / sums.rows, sums.topAgreement / sums.rows,
            sums.rows};
}

/// Sampled rows of one prompt, all layers together: what the other rows of the prompt would have added is unknown.
struct Stratum {
    double share = 1.0;
    std::vector<double> error, energy;
};

/// Standard error of sum error / sum energy: rows drawn without replacement within every prompt, ratio linearised.
double sampledRowError(const std::vector<Stratum>& strata, const ErrorSums& total) {
    if (!(total.energy > 0.0)) return kNaN;
    double variance = 0.0;
    for (const Stratum& stratum : strata) {
        const auto n = static_cast<double>(stratum.error.size());
        if (n < 2.0) return kNaN;
        std::vector<double> residuals;
        for (std::size_t r = 0; r < stratum.error.size(); ++r)
            residuals.push_back(stratum.error[r] - total.relMse() * stratum.energy[r]);
        const double deviation = standardDeviationOf(residuals);
        variance += (1.0 - stratum.share) * n * deviation * deviation;
    }
    return std::sqrt(variance) / total.energy;
}

/// The same over sequences: they are the units that vary from text to text.
double sequenceErrorOf(const std::vector<ErrorSums>& prompts, const ErrorSums& total) {
    if (prompts.size() < 2 || !(total.energy > 0.0)) return kNaN;
    const auto n = static_cast<double>(prompts.size());
    double squares = 0.0;
    for (const ErrorSums& prompt : prompts) {
        const double residual = prompt.error - total.relMse() * prompt.energy;
        squares += residual * residual;
    }
    return std::sqrt(squares * n / (n - 1.0)) / total.energy;
}

/// One of the two places where errors are taken.
struct Place {
    std::vector<ErrorSums> prompts;
    std::vector<Stratum> strata;  // empty where all rows are there
    std::vector<double> heads;    // relMse

    explicit Place(std::size_t count) : prompts(count) {}
    PooledFidelity pooled(std::uint64_t seed) const {
        ErrorSums total;
        for (const ErrorSums& prompt : prompts) total += prompt;
        PooledFidelity out;
        out.error = meanErrorOf(total);
        out.interval = bootstrapInterval(
            prompts.size(),
            [&](const std::vector<std::size_t>& chosen) {
                ErrorSums sums;
                for (const std::size_t unit : chosen) sums += prompts[unit];
                return sums.relMse();
            },
            seed);
        out.sequenceError = sequenceErrorOf(prompts, total);
        if (!strata.empty()) out.rowError = sampledRowError(strata, total);
        out.headQuartile1 = quantileOf(heads, 0.25);
        out.headMedian = medianOf(heads);
        out.headQuartile3 = quantileOf(heads, 0.75);
        return out;
    }
    void addRows(std::size_t prompt, double share, const std::vector<double>& error,
                 const std::vector<double>& energy) {
        if (error.empty()) return;
        strata.resize(prompts.size());
        Stratum& stratum = strata[prompt];
        stratum.share = share;
        stratum.error.resize(error.size(), 0.0);
        stratum.energy.resize(energy.size(), 0.0);
        for (std::size_t r = 0; r < error.size(); ++r) {
            stratum.error[r] += error[r];
            stratum.energy[r] += energy[r];
        }
    }
};

/// Walks over the cells of a run once per method.
class FinishedFidelity {
public:
    FinishedFidelity(FidelitySums sums, std::uint64_t seed) : sums_(std::move(sums)), seed_(seed) {
        result_.prompts = sums_.prompts;
        result_.warnings = sums_.warnings;
        for (const FidelityCell& cell : sums_.cells) addOnce(cell.warnings, result_.warnings);
        for (const FidelityLayer& layer : sums_.layers) cellsOf_.push_back(cellsOf(layer.layer));
    }

    FidelityResult run() {
        result_.complete = sums_.complete;
        if (!sums_.complete) return std::move(result_);
        for (std::size_t n = 0; n < sums_.layers.size(); ++n) {
            for (std::size_t m = 0; m < sums_.methods.size(); ++m)
                if (has(n, m)) addLayer(n, m);
            for (std::size_t h = 0; h < sums_.layers[n].heads.size(); ++h)
                for (std::size_t m = 0; m < sums_.methods.size(); ++m)
                    if (has(n, m)) addHead(n, h, m);
        }
        for (std::size_t m = 0; m < sums_.methods.size(); ++m) addMethod(m);
        return std::move(result_);
    }

private:
    std::vector<const FidelityCell*> cellsOf(LayerIndex layer) const {
        std::vector<const FidelityCell*> cells;
        for (const FidelityCell& cell : sums_.cells)
            if (cell.layer == layer) cells.push_back(&cell);
        return cells;
    }
    bool has(std::size_t layer, std::size_t method) const {
        return !cellsOf_[layer].empty() && !cellsOf_[layer].front()->methods[method].heads.empty();
    }
    bool usable(std::size_t layer, std::size_t head) const {
        return std::all_of(cellsOf_[layer].begin(), cellsOf_[layer].end(),
                           [&](const FidelityCell* cell) { return cell->usable[head] != 0; });
    }
    bool hasAfter(std::size_t layer) const {
        return std::all_of(cellsOf_[layer].begin(), cellsOf_[layer].end(),
                           [](const FidelityCell* cell) { return cell->hasAfter; });
    }
    /// Heads that are usable in every prompt, pooled.
    ErrorSums beforeOf(std::size_t layer, const FidelityCell& cell, std::size_t method) const {
        ErrorSums pooled;
        for (std::size_t h = 0; h < sums_.layers[layer].heads.size(); ++h)
            if (usable(layer, h)) pooled += cell.methods[method].heads[h].before;
        return pooled;
    }

    void addLayer(std::size_t n, std::size_t m) {
        LayerFidelity layer;
        layer.layer = sums_.layers[n].layer;
        layer.method = sums_.methods[m];
        ErrorSums before, joint;
        double singles = 0.0;
        for (const FidelityCell* cell : cellsOf_[n]) {
            before += beforeOf(n, *cell, m);
            joint += cell->methods[m].joint;
            singles += cell->methods[m].singles;
        }
        layer.before = meanErrorOf(before);
        if (hasAfter(n)) {
            layer.after = meanErrorOf(joint);
            layer.joint = layer.after->mse;
            layer.singles = joint.values > 0.0 ? singles / joint.values : kNaN;
            layer.cross = layer.joint - layer.singles;
        }
        result_.layers.push_back(std::move(layer));
    }

    void addHead(std::size_t n, std::size_t h, std::size_t m) {
        HeadFidelity head;
        head.layer = sums_.layers[n].layer;
        head.head = sums_.layers[n].heads[h];
        head.method = sums_.methods[m];
        HeadFidelitySums sums;
        for (const FidelityCell* cell : cellsOf_[n]) sums += cell->methods[m].heads[h];
        head.badRows = static_cast<Index>(sums.badRows);
        if (hasAfter(n)) head.after = meanErrorOf(sums.after);
        if (usable(n, h)) {
            head.before = meanErrorOf(sums.before);
            head.weights = weightsOf(sums.weights);
            double meanSquare = 0.0;
            for (const double sum : sums.outputSum) meanSquare += sum * sum / sums.rows;
            const double centred = sums.before.energy - meanSquare;
            if (centred > 0.0) head.fvu = sums.before.error / centred;
            const double size = sums.kernelEnergy * sums.before.energy;
            if (size > 0.0) head.cosine = sums.product / std::sqrt(size);
            // No scale makes an output of zero better than zero.
            if (sums.before.energy > 0.0)
                head.relMseScaled = size > 0.0 ? std::max(0.0, 1.0 - head.cosine * head.cosine) : 1.0;
        }
        result_.heads.push_back(std::move(head));
    }

    void addMethod(std::size_t m) {
        MethodFidelity out;
        out.method = sums_.methods[m];
        Place before(sums_.prompts.size()), after(sums_.prompts.size());
        bool complete = true, any = false;
        WeightSums weights;
        for (std::size_t n = 0; n < sums_.layers.size(); ++n) {
            if (!has(n, m)) continue;
            any = true;
            complete = complete && hasAfter(n);
            for (const FidelityCell* cell : cellsOf_[n]) {
                const auto p = static_cast<std::size_t>(
                    std::find(sums_.prompts.begin(), sums_.prompts.end(), cell->prompt) - sums_.prompts.begin());
                const MethodFidelitySums& sums = cell->methods[m];
                before.prompts[p] += beforeOf(n, *cell, m);
                after.prompts[p] += sums.joint;
                before.addRows(p, cell->rowShare, sums.rowError, sums.rowEnergy);
                after.addRows(p, cell->rowShare, sums.rowErrorAfter, sums.rowEnergyAfter);
                for (std::size_t h = 0; h < sums.heads.size(); ++h)
                    if (usable(n, h)) weights += sums.heads[h].weights;
            }
        }
        for (const HeadFidelity& head : result_.heads) {
            if (!(head.method == out.method)) continue;
            out.badRows += head.badRows;
            if (std::isfinite(head.before.relMse)) before.heads.push_back(head.before.relMse);
            if (head.after && std::isfinite(head.after->relMse)) after.heads.push_back(head.after->relMse);
        }
        out.before = before.pooled(seed_);
        if (any && complete) out.after = after.pooled(seed_);
        out.weights = weightsOf(weights);
        if (std::isfinite(out.before.error.relMse) && out.method.kernel != "zero")
            out.worseThanZero = out.before.error.relMse >= 1.0;
        for (std::size_t p = 0; p < sums_.prompts.size(); ++p) {
            PromptFidelity& prompt = out.prompts.emplace_back();
            prompt.prompt = sums_.prompts[p];
            prompt.relMse = meanErrorOf(before.prompts[p]).relMse;
            if (out.after) prompt.relMseAfter = meanErrorOf(after.prompts[p]).relMse;
        }
        result_.methods.push_back(std::move(out));
    }

    FidelitySums sums_;
    std::uint64_t seed_;
    std::vector<std::vector<const FidelityCell*>> cellsOf_;  // by layer
    FidelityResult result_;
};

}  // namespace

FidelityResult finishedFidelity(FidelitySums sums, std::uint64_t seed) {
    return FinishedFidelity(std::move(sums), seed).run();
}

}  // namespace dimscope::analysis
