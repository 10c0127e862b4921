// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/label_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dimscope::io {
namespace {

// Neighbouring labels that had to move together: their mean decides where the block lies.
struct Block {
    double sum = 0.0;  // of wanted positions, each less its offset in the block
    std::size_t first = 0, count = 0;
    double start() const { return sum / static_cast<double>(count); }
};

}  // namespace

bool isFree(const QRectF& rect, const std::vector<QRectF>& taken) {
    return std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return rect.intersects(other); });
}

std::vector<double> spreadLabels(const std::vector<double>& wanted, double spacing, double low, double high) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });

    // Pool adjacent violators: after subtracting i * spacing the positions must not descend.
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < order.size(); ++i) {
        blocks.push_back({wanted[order[i]] - static_cast<double>(i) * spacing, i, 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].start() > blocks.back().start()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().sum += last.sum;
            blocks.back().count += last.count;
        }
    }
    const double room = high - low - spacing * static_cast<double>(wanted.empty() ? 0 : wanted.size() - 1);
    std::vector<double> placed(wanted.size());
    for (const Block& block : blocks) {
        const double start = std::clamp(block.start(), low, low + std::max(room, 0.0));
        for (std::size_t i = block.first; i < block.first + block.count; ++i)
            placed[order[i]] = start + static_cast<double>(i) * spacing;
    }
    return placed;
}

QRectF firstFree(const std::vector<QRectF>& candidates, const std::vector<QRectF>& taken) {
    for (const QRectF& candidate : candidates)
        if (isFree(candidate, taken)) return candidate;
    return candidates.empty() ? QRectF() : candidates.front();
}

std::vector<QRectF> stackLabels(const std::vector<QRectF>& wanted, const std::vector<double>& direction,
                                int mostSteps) {
    std::vector<QRectF> placed, taken;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QRectF rect = wanted[i];
        int steps = 0;
        while (!isFree(rect, taken) && steps < mostSteps) {
            rect.translate(0.0, direction[i] * rect.height());
            ++steps;
        }
        if (!isFree(rect, taken)) rect = QRectF();
        if (!rect.isNull()) taken.push_back(rect);
        placed.push_back(rect);
    }
    return placed;
}

}  // namespace dimscope::io
