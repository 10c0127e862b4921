// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/fit_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using Numbers = std::vector<double>;

void append(const Numbers& more, Numbers& numbers) { numbers.insert(numbers.end(), more.begin(), more.end()); }

/// What a fit learns of a kernel; what it leaves is the factory's.
struct LearnedNumbers {
    Numbers operator()(const kernels::GlobalQuadratic& spec) const { return {spec.factor.begin(), spec.factor.end()}; }
    Numbers operator()(const kernels::Oal& spec) const { return spec.factor; }
    Numbers operator()(const kernels::TaylorShift& spec) const { return {spec.tau}; }
    Numbers operator()(const kernels::DiJiang& spec) const { return spec.theta ? *spec.theta : Numbers{}; }
    Numbers operator()(const kernels::SpectraFormer& spec) const {
        Numbers numbers{spec.phi};
        for (const auto& part : {spec.b, spec.g, spec.s}) append(*part, numbers);
        return numbers;
    }
    Numbers operator()(const kernels::Hedgehog& spec) const {
        Numbers numbers;
        for (const auto& map : {spec.query, spec.key})
            if (map) append(map->values(), numbers);
        return numbers;
    }
    Numbers operator()(const kernels::ZerosSm& spec) const { return {spec.sigma1, spec.sigmah, spec.sigma0}; }
    Numbers operator()(const kernels::LinearZeros& spec) const {
        Numbers numbers{spec.sigma1, spec.sigmah, spec.sigma0, spec.tau};
        if (spec.mu) append(*spec.mu, numbers);
        return numbers;
    }
    Numbers operator()(const kernels::RetNet& spec) const { return {spec.scale}; }
    template <class Other>
    Numbers operator()(const Other&) const {
        return {};
    }
};

std::shared_ptr<const Numbers> shared(Numbers numbers) { return std::make_shared<const Numbers>(std::move(numbers)); }

/// Puts them back; false where there are not as many as the kernel has.
struct TakeNumbers {
    const Numbers& numbers;
    Index headDim;

    bool operator()(kernels::GlobalQuadratic& spec) const {
        if (numbers.size() != spec.factor.size()) return false;
        std::copy(numbers.begin(), numbers.end(), spec.factor.begin());
        return true;
    }
    bool operator()(kernels::Oal& spec) const {
        spec.factor = numbers;
        const auto side = static_cast<std::size_t>(spec.groups) + 1;
        return numbers.size() == side * (side + 1) / 2;
    }
    bool operator()(kernels::TaylorShift& spec) const { return taken({&spec.tau}); }
    bool operator()(kernels::DiJiang& spec) const {
        if (numbers.empty()) return true;
        spec.theta = shared(numbers);
        return numbers.size() == dim();
    }
    bool operator()(kernels::SpectraFormer& spec) const {
        if (numbers.size() != 1 + 3 * dim()) return false;
        spec.phi = numbers.front();
        spec.b = shared(part(1, dim()));
        spec.g = shared(part(1 + dim(), dim()));
        spec.s = shared(part(1 + 2 * dim(), dim()));
        return true;
    }
    bool operator()(kernels::Hedgehog& spec) const {
        if (numbers.empty()) return true;
        if (numbers.size() != 2 * dim() * dim()) return false;
        spec.query = map(0);
        spec.key = map(dim() * dim());
        return true;
    }
    bool operator()(kernels::ZerosSm& spec) const { return taken({&spec.sigma1, &spec.sigmah, &spec.sigma0}); }
    bool operator()(kernels::LinearZeros& spec) const {
        if (numbers.size() != 4 && numbers.size() != 4 + dim()) return false;
        spec.sigma1 = numbers[0];
        spec.sigmah = numbers[1];
        spec.sigma0 = numbers[2];
        spec.tau = numbers[3];
        if (numbers.size() > 4) spec.mu = shared(part(4, dim()));
        return true;
    }
    bool operator()(kernels::RetNet& spec) const { return taken({&spec.scale}); }
    template <class Other>
    bool operator()(Other&) const {
        return numbers.empty();
    }

private:
    std::size_t dim() const { return static_cast<std::size_t>(headDim); }
    Numbers part(std::size_t from, std::size_t count) const {
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(from);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }
    std::shared_ptr<const kernels::Matrix<double>> map(std::size_t from) const {
        auto matrix = std::make_shared<kernels::Matrix<double>>(headDim, headDim);
        for (Index r = 0; r < headDim; ++r)
            for (Index c = 0; c < headDim; ++c)
                (*matrix)(r, c) = numbers[from + static_cast<std::size_t>(r * headDim + c)];
        return matrix;
    }
    bool taken(const std::vector<double*>& places) const {
        if (numbers.size() != places.size()) return false;
        for (std::size_t n = 0; n < places.size(); ++n) *places[n] = numbers[n];
        return true;
    }
};

constexpr std::size_t kNumbersOfFit = 10;  // before those learned

}  // namespace

std::string fitKey(const FitTask& task) {
    std::vector<int> heads;
    for (const HeadIndex head : task.heads) heads.push_back(head.value);
    return fmt::format("fit/L{:02}/H{}/{}", task.layer->layer.value, fmt::join(heads, "+"),
                       fmt::join(task.kernels, "+"));
}

Piece fitPiece(const FitTask& task) {
    Piece piece{{}, task.warnings};
    for (const KernelFit& fit : task.fits) {
        const Numbers learned = std::visit(LearnedNumbers{}, fit.spec);
        const auto kernel = std::find(task.kernels.begin(), task.kernels.end(), fit.kernel) - task.kernels.begin();
        append({static_cast<double>(fit.head.value), static_cast<double>(kernel), fit.startMse, fit.trainMse,
                fit.validationMse, fit.evaluationMse, static_cast<double>(fit.updates), static_cast<double>(fit.start),
                fit.seconds, static_cast<double>(learned.size())},
               piece.numbers);
        append(learned, piece.numbers);
    }
    return piece;
}

void takeFits(const Piece& piece, const KernelFactory& factory, FitTask& task) {
    const auto refuse = [&] {
        throw kernels::ShapeError(fmt::format("piece {} does not hold what this run asks for", fitKey(task)));
    };
    task.fits.clear();
    task.warnings = piece.warnings;
    std::vector<Warning> given;  // when the fit was made
    for (std::size_t at = 0; at < piece.numbers.size();) {
        if (at + kNumbersOfFit > piece.numbers.size()) refuse();
        const double* n = piece.numbers.data() + at;
        const auto kernel = static_cast<std::size_t>(n[1]), learned = static_cast<std::size_t>(n[9]);
        if (kernel >= task.kernels.size() || at + kNumbersOfFit + learned > piece.numbers.size()) refuse();
        KernelFit fit;
        fit.layer = task.layer->layer;
        fit.head = HeadIndex{static_cast<int>(n[0])};
        fit.kernel = task.kernels[kernel];
        fit.spec = factory.make(fit.kernel, *task.layer, fit.head, 0, given);
        fit.startMse = n[2];
        fit.trainMse = n[3];
        fit.validationMse = n[4];
        fit.evaluationMse = n[5];
        fit.updates = static_cast<int>(n[6]);
        fit.start = static_cast<int>(n[7]);
        fit.seconds = n[8];
        const Numbers parameters(n + kNumbersOfFit, n + kNumbersOfFit + learned);
        if (!std::visit(TakeNumbers{parameters, task.layer->headDim}, fit.spec)) refuse();
        task.fits.push_back(std::move(fit));
        at += kNumbersOfFit + learned;
    }
}

}  // namespace dimscope::analysis
