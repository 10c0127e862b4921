// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/sequence_attention.h"

#include <cmath>

#include "kernels/checks.h"
#include "kernels/state/sequence_run.h"

namespace dimscope::kernels {
namespace {

Support no(const KernelSpec& spec, const std::string& reason) {
    return {false, std::string(kernelName(spec)) + ": " + reason};
}

/// One constant of the whole sequence stands in every feature.
bool needsWholeSequence(const KernelSpec& spec) {
    if (const auto* s = std::get_if<SpectraFormer>(&spec)) return s->statistic == SpectraFormer::Statistic::Sequence;
    if (const auto* s = std::get_if<SpectraFormerUnbiased>(&spec))
        return s->statistic == SpectraFormerUnbiased::Statistic::Sequence;
    if (const auto* s = std::get_if<Performer>(&spec)) return s->epsilon > 0.0;
    return false;
}

/// Its weights depend on the distance or on the order of the keys.
bool needsOrder(const KernelSpec& spec) {
    return std::holds_alternative<RetNet>(spec) || std::holds_alternative<LinearZeros>(spec) ||
           std::holds_alternative<Lolcats>(spec);
}

}  // namespace

Support linearTime(const KernelSpec& spec, const Evaluation& how, const HeadInputs& head) {
    const auto* power = std::get_if<Power>(&spec);
    if (std::holds_alternative<Softmax>(spec) || std::holds_alternative<ZerosSm>(spec) ||
        (power != nullptr && power->exponent != 2))
        return no(spec, "no linear-time form");
    if (how.approximated)
        return no(spec, "no linear-time form on a subset of the dimensions: their complement has none");
    if (head.mask.causal && head.mask.window > 0) return no(spec, "a sliding window has no linear-time form here");
    if (!head.mask.causal && (needsOrder(spec) || how.exact.window > 0))
        return no(spec, "no linear-time form where queries see later keys");
    return {};
}

SequenceState::SequenceState(std::shared_ptr<const state::SequenceContent> content) : content_(std::move(content)) {}

Index SequenceState::positions() const {
    if (!content_) return 0;
    return std::visit([](const auto& carried) { return carried.positions; }, content_->carried);
}

Matrix<double> SequenceState::sums() const {
    if (!content_) return {};
    return std::visit(
        [](const auto& carried) {
            Matrix<double> out(carried.sums.sums.rows(), carried.sums.sums.cols());
            cpu::eigen(out) = carried.sums.sums.template cast<double>();
            return out;
        },
        content_->carried);
}

std::size_t SequenceState::bytes() const {
    if (!content_) return 0;
    return std::visit(
        [](const auto& carried) {
            const auto entries = [](const auto& tokens) {
                return tokens.query.size() + tokens.key.size() + tokens.value.size() + tokens.plainKey.size();
            };
            const Index count = carried.sums.sums.size() + carried.sums.largest.size() + entries(carried.latest) +
                                entries(carried.first);
            return static_cast<std::size_t>(count) * sizeof(*carried.sums.sums.data()) +
                   static_cast<std::size_t>(carried.radial.keySum.size()) * sizeof(double);
        },
        content_->carried);
}

namespace state {
namespace {

void checkState(const SequenceJob& job) {
    if (job.state == nullptr || job.state->content() == nullptr) return;
    const SequenceContent& content = *job.state->content();
    const ExactPart& exact = job.how.exact;
    if (content.kernel != kernelName(job.kernel) || content.headDim != job.head.headDim() ||
        content.valueDim != job.head.valueDim() || content.exact.first != exact.first ||
        content.exact.window != exact.window)
        throw ShapeError("the state is one of " + content.kernel + " with " + std::to_string(content.headDim) + " x " +
                         std::to_string(content.valueDim) + " dimensions, " + std::to_string(content.exact.first) +
                         " first and " + std::to_string(content.exact.window) + " latest keys; the job has " +
                         std::string(kernelName(job.kernel)) + " with " + std::to_string(job.head.headDim()) + " x " +
                         std::to_string(job.head.valueDim()) + ", " + std::to_string(exact.first) + " and " +
                         std::to_string(exact.window));
    if (needsWholeSequence(job.kernel))
        throw ShapeError(
            std::string(kernelName(job.kernel)) +
            ": one constant of the whole sequence stands in its features, so no stretch can follow another");
}

void check(const SequenceJob& job) {
    const std::vector<KernelSpec> kernels{job.kernel};
    const std::vector<Evaluation> how{job.how};
    checkRowsJob({job.head, {}, kernels, false, how});
    if (const Support support = linearTime(job.kernel, job.how, job.head); !support.supported)
        throw ShapeError(support.reason);
    if (job.chunk < 1) throw ShapeError("chunks of " + std::to_string(job.chunk) + " tokens, expected 1 or more");
    if (job.state != nullptr && !job.head.mask.causal)
        throw ShapeError("a state is carried in causal heads alone: others see what is still to come");
    checkState(job);
}

}  // namespace

template <class T>
SequenceOutput attendSequence(const SequenceJob& job, const RunControl& control) {
    check(job);
    Carried<T> before;
    if (job.state != nullptr && job.state->content() != nullptr) {
        const auto* carried = std::get_if<Carried<T>>(&job.state->content()->carried);
        if (carried == nullptr) throw ShapeError("the state was made by another backend, in another precision");
        before = *carried;
    }
    SequenceRun<T> run(job, std::move(before));
    SequenceOutput out = run.run(control);
    if (job.state != nullptr)
        *job.state = SequenceState(std::make_shared<const SequenceContent>(SequenceContent{
            std::string(kernelName(job.kernel)), job.how.exact, job.head.headDim(), job.head.valueDim(), run.after()}));
    return out;
}

template SequenceOutput attendSequence<float>(const SequenceJob&, const RunControl&);
template SequenceOutput attendSequence<double>(const SequenceJob&, const RunControl&);

bool fitsFloat(const KernelSpec& spec) {
    if (const auto* diJiang = std::get_if<DiJiang>(&spec)) return weightsFitFloat(*diJiang);
    if (const auto* hedgehog = std::get_if<Hedgehog>(&spec)) return hedgehog->variant == Hedgehog::Variant::Lolcats;
    return !std::holds_alternative<LinearZeros>(spec);  // differences of sums, and exponents of any size
}

}  // namespace state
}  // namespace dimscope::kernels
