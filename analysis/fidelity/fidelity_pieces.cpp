// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using Numbers = std::vector<double>;

template <class Sums, class Take>
void walkErrors(Sums& sums, Take& take) {
    take(sums.error);
    take(sums.energy);
    take(sums.values);
}

template <class Sums, class Take>
void walkWeights(Sums& sums, Take& take) {
    take(sums.rows);
    take(sums.divergence);
    take(sums.divergenceRows);
    take(sums.variation);
    take(sums.topAgreement);
}

/// All numbers of a cell in the order of its piece, to be written or to be read.
template <class Cell, class Take>
void walkCell(Cell& cell, Take& take) {
    take(cell.hasAfter);
    for (auto& usable : cell.usable) take(usable);
    std::vector<const Numbers*> last(cell.usable.size(), nullptr);  // per head: sums of y, the same in most methods
    for (auto& method : cell.methods) {
        for (std::size_t h = 0; h < method.heads.size(); ++h) {
            auto& head = method.heads[h];
            walkErrors(head.before, take);
            take(head.kernelEnergy);
            take(head.product);
            take(head.rows);
            take.repeated(head.outputSum, last[h]);
            last[h] = &head.outputSum;
            walkErrors(head.after, take);
            walkWeights(head.weights, take);
            take(head.badRows);
        }
        walkErrors(method.joint, take);
        take(method.singles);
        for (auto* rows : {&method.rowError, &method.rowEnergy, &method.rowErrorAfter, &method.rowEnergyAfter})
            take.repeated(*rows, nullptr);
    }
}

constexpr double kAsBefore = -1.0;  // in place of a size

struct WriteNumbers {
    Numbers& numbers;

    void operator()(double number) { numbers.push_back(number); }
    void repeated(const Numbers& values, const Numbers* last) {
        const bool same = last && *last == values;
        numbers.push_back(same ? kAsBefore : static_cast<double>(values.size()));
        if (!same) numbers.insert(numbers.end(), values.begin(), values.end());
    }
};

/// Remembers that numbers were missing or no sizes.
struct ReadNumbers {
    const Numbers& numbers;
    std::size_t at = 0;
    bool fits = true;

    double next() {
        fits = fits && at < numbers.size();
        return fits ? numbers[at++] : kNaN;
    }
    void operator()(double& number) { number = next(); }
    void operator()(bool& flag) { flag = next() > 0.0; }
    void operator()(std::uint8_t& flag) { flag = next() > 0.0 ? 1 : 0; }
    void repeated(Numbers& values, const Numbers* last) {
        const double size = next();
        if (last && size == kAsBefore) {
            values = *last;
            return;
        }
        fits = fits && size >= 0.0 && size <= static_cast<double>(numbers.size() - at);
        if (!fits) return;
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(at);
        values.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
        at += values.size();
    }
};

}  // namespace

std::string fidelityLayerKey(LayerIndex layer) { return fmt::format("layer/L{:02}", layer.value); }

std::string fidelityCellKey(LayerIndex layer, PromptIndex prompt) {
    return fmt::format("cell/L{:02}/P{}", layer.value, prompt.value);
}

Piece cellPiece(const FidelityCell& cell) {
    Piece piece{{}, cell.warnings};
    WriteNumbers write{piece.numbers};
    walkCell(cell, write);
    return piece;
}

void takeCell(const Piece& piece, FidelityCell& cell) {
    ReadNumbers read{piece.numbers};
    walkCell(cell, read);
    cell.warnings = piece.warnings;
    const bool paired = std::all_of(cell.methods.begin(), cell.methods.end(), [](const MethodFidelitySums& method) {
        return method.rowError.size() == method.rowEnergy.size() &&
               method.rowErrorAfter.size() == method.rowEnergyAfter.size();
    });
    if (!read.fits || read.at != piece.numbers.size() || !paired)
        throw kernels::ShapeError(
            fmt::format("piece {} does not hold what this run asks for", fidelityCellKey(cell.layer, cell.prompt)));
}

}  // namespace dimscope::analysis
