// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/attention_sinks.h"

#include <algorithm>
#include <cmath>

#include "analysis/head_loader.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

/// Norm of every key over the median of the valid ones; NaN where it is not valid.
std::vector<double> relativeNorms(const kernels::HeadInputs& head) {
    std::vector<double> norms(static_cast<std::size_t>(head.rows()), kNaN), valid;
    std::visit(
        [&](const auto& keys) {
            for (Index j = 0; j < keys.rows(); ++j) {
                if (!head.mask.isValid(j)) continue;
                double sum = 0.0;
                for (Index c = 0; c < keys.cols(); ++c)
                    sum += static_cast<double>(keys(j, c)) * static_cast<double>(keys(j, c));
                norms[static_cast<std::size_t>(j)] = std::sqrt(sum);
                valid.push_back(std::sqrt(sum));
            }
        },
        head.key);
    const double median = quantileOf(valid, 0.5);
    for (double& norm : norms) norm = median > 0.0 ? norm / median : kNaN;
    return norms;
}

/// Mean weight of every key over the rows that are far behind it and see it; NaN where there are too few.
std::vector<double> massesOf(const SinkRule& rule, const kernels::HeadInputs& head, const std::vector<Index>& rows,
                             const kernels::RowsOutput& output) {
    std::vector<double> masses(static_cast<std::size_t>(head.rows()), kNaN);
    for (Index j = 0; j < head.rows(); ++j) {
        double sum = 0.0;
        int far = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (output.bad[r] != 0 || std::abs(rows[r] - j) < rule.distance || !head.mask.visible(rows[r], j)) continue;
            sum += static_cast<double>(output.weights(static_cast<Index>(r), j));
            ++far;
        }
        if (far >= rule.leastRows) masses[static_cast<std::size_t>(j)] = sum / far;
    }
    return masses;
}

}  // namespace

void addSinks(const SinkRule& rule, HeadSource& source, const LayerInfo& layer, PromptIndex prompt, Index length,
              const std::vector<HeadIndex>& heads, const std::vector<Index>& rows, kernels::Backend& backend,
              const RunControl& control, std::vector<AttentionSink>& sinks, std::vector<HeadSinkMass>& masses) {
    const std::vector<kernels::KernelSpec> exact{kernels::Softmax{}};
    const kernels::Matrix<float> noValues(length, 1);  // weights need none
    HeadLoader loader(source, layer, prompt, length, false);
    for (std::size_t h = 0; h < heads.size(); ++h) {
        kernels::RowsJob job{loader.inputs(heads[h], control), rows, exact, true};
        if (loader.nonFinite(heads[h]) > 0) continue;
        job.head.value = noValues.view();
        const auto outputs = backend.attendRows({&job, 1}, control.part(h, heads.size()));
        const std::vector<double> mass = massesOf(rule, job.head, rows, outputs[0][0]);
        const std::vector<double> norms = relativeNorms(job.head);
        for (std::size_t j = 0; j < mass.size(); ++j) {
            if (mass[j] > masses[h].mass || (std::isnan(masses[h].mass) && !std::isnan(mass[j]))) {
                masses[h].mass = mass[j];
                masses[h].position = static_cast<Index>(j);
            }
            const AttentionSink sink{layer.layer,
                                     heads[h],
                                     prompt,
                                     static_cast<Index>(j),
                                     mass[j],
                                     norms[j],
                                     mass[j] >= rule.mass,
                                     norms[j] >= rule.normRatio};
            if (sink.byMass || sink.byNorm) sinks.push_back(sink);
        }
    }
}

}  // namespace dimscope::analysis
