// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/findings.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kFallBack = 1.1;    // growth of the error behind W_o that is worth saying
constexpr double kSinkWeight = 0.2;  // mean exact weight of key 0 from which it is called a sink
constexpr double kMissedPart = 0.5;  // of the sink's weight
constexpr double kSameError = 1e-9;  // relative: equal up to rounding
constexpr double kWideDraws = 1.25;  // largest over smallest RelMSE of the draws

// Mean weight of key 0; NaN where no rows are kept.
double meanFirstWeight(const ComparisonResult& result, const std::string& kernel) {
    for (const WeightRows& rows : result.weights) {
        if (rows.kernel != kernel || !rows.weights || rows.weights->empty()) continue;
        double sum = 0.0;
        for (Index i = 0; i < rows.weights->rows(); ++i) sum += static_cast<double>((*rows.weights)(i, 0));
        return sum / static_cast<double>(rows.weights->rows());
    }
    return std::nan("");
}

class KernelWords {
public:
    KernelWords(const ComparisonResult& result, LayerIndex layer, HeadIndex head)
        : result_(result), layer_(layer), head_(head), ranked_(rankedKernels(result, layer, head)) {
        std::erase_if(ranked_, [](const KernelError* error) { return !std::isfinite(error->relMse); });
    }

    std::vector<Finding> findings() {
        if (ranked_.empty()) return {};
        if (result_.evaluation.hasExactPart() && ranked_.back()->relMse == 0.0) {
            add("The exact keys are all keys: nothing is left to the kernels.", {});
            return std::move(found_);
        }
        addNearest();
        if (result_.evaluation.hasExactPart()) {
            addExactPart();
            addWorseThanRests();
        } else {
            addFirstValue();
            addWorseThanZero();
        }
        addBehindProjection();
        addMissedSink();
        addBadRows();
        addDraws();
        addAlike();
        if (found_.size() > 5) found_.resize(5);
        return std::move(found_);
    }

private:
    void add(const std::string& text, std::vector<std::string> kernels) {
        found_.push_back({text, {}, std::move(kernels)});
    }

    void addNearest() {
        const KernelError& best = *ranked_.front();
        const std::string how = result_.evaluation.centreKeys ? " with centred keys" : "";
        if (ranked_.size() == 1)
            add(fmt::format("[{}] errs by RelMSE {}{}.", kernelTitle(best.kernel), numberText(best.relMse), how),
                {best.kernel});
        else
            add(fmt::format("[{}] is nearest{}: RelMSE {}.", kernelTitle(best.kernel), how, numberText(best.relMse)),
                {best.kernel});
    }

    // What the exact keys do without any kernel, by which the numbers beside them have to be read.
    void addExactPart() {
        EvaluationParams exact = result_.evaluation;
        exact.centreKeys = false;  // said with the nearest kernel
        std::string text = evaluationText(exact);
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
        const KernelError* none = result_.find(layer_, head_, "zero");
        add(none && std::isfinite(none->relMse) ? fmt::format("{}, no rest: {}.", text, numberText(none->relMse))
                                                : text + ".",
            {});
    }

    // A kernel earns its place by what it gains over the two rests that need no kernel.
    void addWorseThanRests() {
        const KernelError* best = nullptr;
        for (const char* rest : {"zero", "uniform"})
            if (const KernelError* error = result_.find(layer_, head_, rest);
                error && std::isfinite(error->relMse) && (!best || error->relMse < best->relMse))
                best = error;
        if (!best) return;
        std::vector<std::string> worse;
        for (const KernelError* error : ranked_)
            if (error->relMse > best->relMse) worse.push_back(error->kernel);
        if (worse.empty()) return;
        const std::string rest = best->kernel == "zero" ? "no rest" : "a uniform rest";
        if (worse.size() == ranked_.size())
            return add(fmt::format("No kernel beats {}: {}.", rest, numberText(best->relMse)), {});
        add(fmt::format("[{} of {}] kernels {} worse than {}: {}.", worse.size(), ranked_.size(),
                        worse.size() == 1 ? "is" : "are", rest, numberText(best->relMse)),
            worse);
    }

    // Copying one value needs no attention at all; worth saying where it beats kernels.
    void addFirstValue() {
        const KernelError* first = result_.find(layer_, head_, "first_value");
        if (!first || !std::isfinite(first->relMse)) return;
        const auto beaten = std::count_if(ranked_.begin(), ranked_.end(),
                                          [&](const KernelError* error) { return error->relMse > first->relMse; });
        if (static_cast<std::size_t>(beaten) == ranked_.size())
            add(fmt::format("No kernel beats copying the [first value]: {}.", numberText(first->relMse)),
                {"first_value"});
        else if (first->relMse < 1.0 && 2 * static_cast<std::size_t>(beaten) >= ranked_.size())
            add(fmt::format("Copying the [first value] already reaches {}.", numberText(first->relMse)),
                {"first_value"});
    }

    void addWorseThanZero() {
        std::vector<std::string> worse;
        for (const KernelError* error : ranked_)
            if (error->relMse > 1.0) worse.push_back(error->kernel);
        if (worse.empty() || ranked_.size() < 2) return;
        const std::string count = worse.size() == ranked_.size()
                                      ? fmt::format("All {}", ranked_.size())
                                      : fmt::format("{} of {}", worse.size(), ranked_.size());
        const bool single = worse.size() == 1;
        add(fmt::format("[{}] kernels {} worse than answering zero.", count, single ? "is" : "are"), worse);
    }

    // The kernel whose layer error grows most by the output projection.
    void addBehindProjection() {
        const PooledError* most = nullptr;
        const auto growth = [](const PooledError& error) { return *error.relMseAfterWo / error.relMse; };
        for (const PooledError& error : result_.pooled) {
            if (error.layer != layer_ || !error.relMseAfterWo || !(error.relMse > 0.0) ||
                !std::isfinite(growth(error)) || error.kernel == "softmax" || isReferenceLine(error.kernel))
                continue;
            if (!most || growth(error) > growth(*most)) most = &error;
        }
        if (!most || growth(*most) < kFallBack) return;
        add(fmt::format("Behind <i>W</i><sub>o</sub> [{}] falls back: layer {} → {}.", kernelTitle(most->kernel),
                        numberText(most->relMse), numberText(*most->relMseAfterWo)),
            {most->kernel});
    }

    // Of the kernels with kept rows, the one that gives the sink least.
    void addMissedSink() {
        if (result_.heads.empty() || result_.heads.front().layer != layer_ || result_.heads.front().head != head_)
            return;
        const double exact = meanFirstWeight(result_, "softmax");
        if (!(exact >= kSinkWeight)) return;
        std::string least;
        double weight = kMissedPart * exact;
        for (const KernelError* error : ranked_)
            if (const double mean = meanFirstWeight(result_, error->kernel); mean < weight) {
                weight = mean;
                least = error->kernel;
            }
        if (!least.empty())
            add(fmt::format("[{}] puts {} on the sink (key 0), exact is {}.", kernelTitle(least),
                            roundPercentText(weight), roundPercentText(exact)),
                {least});
    }

    void addBadRows() {
        const KernelError* most = nullptr;
        for (const std::string& kernel : result_.kernels)
            if (const KernelError* error = result_.find(layer_, head_, kernel);
                error && error->badRows > 0 && (!most || error->badRows > most->badRows))
                most = error;
        if (most)
            add(fmt::format("[{}] has no finite output in {} {}.", kernelTitle(most->kernel), most->badRows,
                            most->badRows == 1 ? "row" : "rows"),
                {most->kernel});
    }

    void addDraws() {
        const KernelError* widest = nullptr;
        double widestRatio = kWideDraws;
        for (const KernelError* error : ranked_) {
            if (error->seedRelMse.size() < 2) continue;
            const auto [least, most] = std::minmax_element(error->seedRelMse.begin(), error->seedRelMse.end());
            if (!(*least > 0.0) || !(*most / *least > widestRatio)) continue;
            widest = error;
            widestRatio = *most / *least;
        }
        if (!widest) return;
        const auto [least, most] = std::minmax_element(widest->seedRelMse.begin(), widest->seedRelMse.end());
        add(fmt::format("[{}] varies: {} to {} in {} draws.", kernelTitle(widest->kernel), numberText(*least),
                        numberText(*most), widest->seedRelMse.size()),
            {widest->kernel});
    }

    // Kernels that do the same here, as OAL and Global do at their start; ranked_ holds them side by side.
    void addAlike() {
        std::vector<std::string> names, titles;
        for (std::size_t i = 0; i + 1 < ranked_.size(); ++i) {
            const double error = ranked_[i]->relMse;
            if (ranked_[i + 1]->relMse - error > kSameError * error) continue;
            if (names.empty() || names.back() != ranked_[i]->kernel) {
                if (names.size() > 1) break;  // the first such run is enough
                names = {ranked_[i]->kernel};
                titles = {kernelTitle(ranked_[i]->kernel)};
            }
            names.push_back(ranked_[i + 1]->kernel);
            titles.push_back(kernelTitle(ranked_[i + 1]->kernel));
        }
        if (names.size() > 1)
            add(fmt::format("[{}] err alike: {}.", wordList(titles),
                            numberText(result_.find(layer_, head_, names.front())->relMse)),
                names);
    }

    const ComparisonResult& result_;
    LayerIndex layer_;
    HeadIndex head_;
    std::vector<const KernelError*> ranked_;  // with a defined error, ascending
    std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> kernelFindings(const ComparisonResult& result, LayerIndex layer, HeadIndex head) {
    return KernelWords(result, layer, head).findings();
}

}  // namespace dimscope::analysis
