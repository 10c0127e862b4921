// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/analysis/made_dump.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "kernels/error.h"

namespace dimscope::tests {

using namespace analysis;

MadeDump::MadeDump(int kvHeads, int prompts) {
    info_.path = "made.h5";
    info_.identity = {"made.h5", 1, "00ff"};
    LayerInfo made;
    made.layer = LayerIndex{4};
    made.nHeads = 4;
    made.nKvHeads = kvHeads;
    made.headDim = made.valueDim = kDim;
    made.positions = kPositions;
    made.prompts = prompts;
    made.scale = 0.25;
    made.encoding = "float64";
    made.hasValue = true;
    info_.layers.push_back(made);
    for (int p = 0; p < prompts; ++p) info_.prompts.push_back({kPositions, "", false});
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int p = 0; p < prompts; ++p)
        for (const auto& [kind, heads] :
             {std::pair{TensorKind::Query, 4}, {TensorKind::Key, kvHeads}, {TensorKind::Value, kvHeads}})
            for (int h = 0; h < heads; ++h) {
                Tensor& tensor = at(kind, h, p) = Tensor(kPositions, kDim);
                for (double& x : tensor.values()) x = normal(random);
            }
}

void MadeDump::change(TensorKind kind, const std::function<void(Tensor&)>& how) {
    for (auto& [place, tensor] : tensors_)
        if (std::get<0>(place) == kind) how(tensor);
}

kernels::Matrix<double> turned(const kernels::Matrix<double>& m, double theta) {
    kernels::Matrix<double> out(m.rows(), m.cols());
    const Index half = m.cols() / 2;
    for (Index i = 0; i < m.rows(); ++i)
        for (Index r = 0; r < half; ++r) {
            const double angle =
                static_cast<double>(i) / std::pow(theta, static_cast<double>(r) / static_cast<double>(half));
            out(i, r) = std::cos(angle) * m(i, r) - std::sin(angle) * m(i, r + half);
            out(i, r + half) = std::sin(angle) * m(i, r) + std::cos(angle) * m(i, r + half);
        }
    return out;
}

MadeDump::Tensor MadeDump::outputOf(const Attention& attention, int prompt, int head) {
    const int kvHeads = layer().nKvHeads;
    const int kv = attention.strided ? head % kvHeads : head / (4 / kvHeads);
    Tensor q = at(TensorKind::Query, head, prompt), k = at(TensorKind::Key, kv, prompt);
    const Tensor& v = at(TensorKind::Value, kv, prompt);
    if (attention.theta > 0.0) {
        q = turned(q, attention.theta);
        k = turned(k, attention.theta);
    }
    Tensor out(kPositions, kDim);
    for (Index i = 0; i < kPositions; ++i) {
        double sum = attention.sink ? std::exp(*attention.sink) : 0.0;
        for (Index j = 0; j < kPositions; ++j) {
            const bool seen = !attention.causal || (j <= i && (attention.window == 0 || i - j < attention.window));
            if (!seen) continue;
            double logit = 0.0;
            for (Index c = 0; c < kDim; ++c) logit += attention.scale * q(i, c) * k(j, c);
            if (attention.softcap > 0.0) logit = attention.softcap * std::tanh(logit / attention.softcap);
            sum += std::exp(logit);
            for (Index c = 0; c < kDim; ++c) out(i, c) += std::exp(logit) * v(j, c);
        }
        for (Index c = 0; c < kDim; ++c) out(i, c) /= sum;
    }
    return out;
}

void MadeDump::makeOutput(const Attention& attention) {
    for (int p = 0; p < layer().prompts; ++p)
        for (int h = 0; h < 4; ++h) at(TensorKind::Output, h, p) = outputOf(attention, p, h);
    layer().hasOutput = true;
}

void MadeDump::storeAs(const char* encoding, int bits) {
    for (auto& [place, tensor] : tensors_)
        for (double& x : tensor.values()) {
            int exponent = 0;
            const double fraction = std::frexp(x, &exponent);
            x = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
        }
    layer().encoding = encoding;
}

std::shared_ptr<const LoadedTensor> MadeDump::load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                                   const RunControl& control) {
    control.throwIfCancelled();
    if (unreadable_.contains(kind)) throw kernels::FormatError({"made.h5", "/layers/04/o", "its chunk is damaged", ""});
    auto loaded = std::make_shared<LoadedTensor>();
    const Tensor& tensor = at(kind, head, prompt.value);
    EXPECT_EQ(layer, info_.layers.front().layer);
    const auto valid = validity(prompt);
    for (Index i = 0; i < tensor.rows(); ++i)
        for (Index c = 0; c < tensor.cols(); ++c) {
            if (std::isfinite(tensor(i, c)) || (valid && (*valid)[static_cast<std::size_t>(i)] == 0)) continue;
            if (loaded->nonFinite++ > 0) continue;
            loaded->firstRow = i;
            loaded->firstColumn = c;
        }
    loaded->values = tensor;
    return loaded;
}

std::shared_ptr<const std::vector<std::uint8_t>> MadeDump::validity(PromptIndex prompt) {
    const auto found = validity_.find(prompt.value);
    return found == validity_.end() ? nullptr : std::make_shared<const std::vector<std::uint8_t>>(found->second);
}

}  // namespace dimscope::tests
