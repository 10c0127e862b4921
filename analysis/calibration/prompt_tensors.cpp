// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/prompt_tensors.h"

#include <cmath>

#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using kernels::Index;

Eigen::MatrixXd doubleTensor(const kernels::TensorView& view) {
    return std::visit(
        [](const auto& v) {
            Eigen::MatrixXd out(v.rows(), v.cols());
            for (Index r = 0; r < v.rows(); ++r)
                for (Index c = 0; c < v.cols(); ++c) out(r, c) = static_cast<double>(v(r, c));
            return out;
        },
        view);
}

}  // namespace

PromptTensors::PromptTensors(const kernels::HeadInputs& inputs)
    : query(doubleTensor(inputs.query)),
      key(doubleTensor(inputs.key)),
      valueAndOne(inputs.rows(), inputs.valueDim() + 1),
      valid(inputs.mask.valid.begin(), inputs.mask.valid.end()),
      causal(inputs.mask.causal),
      window(inputs.mask.window),
      scale(inputs.scale),
      softcap(inputs.softcap),
      sink(inputs.sink) {
    valueAndOne << doubleTensor(inputs.value), Eigen::VectorXd::Ones(inputs.rows());
    for (std::size_t j = 0; j < valid.size(); ++j)
        if (valid[j] == 0) {
            key.row(static_cast<Index>(j)).setZero();
            valueAndOne.row(static_cast<Index>(j)).head(valueDim()).setZero();
        }
}

PromptTensors::Visible PromptTensors::visible(Index i) const {
    const kernels::AttentionMask rule{causal, window, valid};
    Visible keys;
    keys.first = causal && window > 0 ? std::max<Index>(0, i - window + 1) : 0;
    keys.count = (causal ? i + 1 : key.rows()) - keys.first;
    keys.mask.resize(keys.count);
    for (Index n = 0; n < keys.count; ++n) keys.mask[n] = rule.visible(i, keys.first + n) ? 1.0 : 0.0;
    return keys;
}

Eigen::VectorXd PromptTensors::exactRow(Index i, const Visible& keys) const {
    Eigen::VectorXd logits = scale * (key.middleRows(keys.first, keys.count) * query.row(i).transpose());
    double largest = sink.value_or(-std::numeric_limits<double>::infinity());
    for (Index n = 0; n < keys.count; ++n) {
        logits[n] = kernels::softCapped(logits[n], softcap);
        if (keys.mask[n] > 0.0) largest = std::max(largest, logits[n]);
    }
    Eigen::VectorXd weights(keys.count);
    for (Index n = 0; n < keys.count; ++n) weights[n] = keys.mask[n] > 0.0 ? std::exp(logits[n] - largest) : 0.0;
    const Eigen::VectorXd sums = valueAndOne.middleRows(keys.first, keys.count).transpose() * weights;
    const double total = sums[valueDim()] + (sink ? std::exp(*sink - largest) : 0.0);
    return sums.head(valueDim()) / total;
}

}  // namespace dimscope::analysis
