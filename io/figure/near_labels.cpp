// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/near_labels.h"

#include <algorithm>
#include <cmath>

#include "io/figure/drawn_figure.h"
#include "io/figure/label_layout.h"
#include "io/figure/line_pieces.h"
#include "io/figure/rich_text.h"

namespace dimscope::io {
namespace {

using namespace analysis;

// In multiples of the text height.
constexpr double kSampleStep = 0.35, kPlaceStep = 1.4, kGap = 0.5, kPad = 0.25, kFarEnough = 4.0;
constexpr double kBoldNameWidthPt = 1.5;  // a line this strong has its name in bold

double distanceTo(const QRectF& rect, QPointF p) {
    const double dx = std::max({rect.left() - p.x(), 0.0, p.x() - rect.right()});
    const double dy = std::max({rect.top() - p.y(), 0.0, p.y() - rect.bottom()});
    return std::hypot(dx, dy);
}

/// Points along a line, so dense that a text cannot slip through.
std::vector<QPointF> samplesOf(const Line& line, const PanelGeometry& place, double step) {
    std::vector<QPointF> samples;
    for (const auto& piece : linePieces(line, place))
        for (std::size_t i = 1; i < piece.size(); ++i) {
            const QPointF along = piece[i] - piece[i - 1];
            const int count = std::max(1, static_cast<int>(std::hypot(along.x(), along.y()) / step));
            for (int n = 0; n <= count; ++n) samples.push_back(piece[i - 1] + along * n / count);
        }
    return samples;
}

class NearLabels {
public:
    NearLabels(const DrawnFigure& drawn, std::size_t panel, std::vector<QRectF> taken)
        : drawn_(drawn), theme_(drawn.theme), place_(drawn.geometry.panels[panel]), taken_(std::move(taken)) {
        for (const Mark& mark : drawn.figure->panels[panel].marks)
            if (const auto* line = std::get_if<Line>(&mark)) {
                lines_.push_back(line);
                samples_.push_back(samplesOf(*line, place_, theme_.em(kSampleStep)));
            }
    }

    // The strongest line first: its name has to be there.
    void paint(QPainter& painter) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i]->labelNear && !lines_[i]->endLabel.empty()) order.push_back(i);
        std::stable_sort(order.begin(), order.end(),
                         [this](std::size_t a, std::size_t b) { return lines_[a]->widthPt > lines_[b]->widthPt; });
        for (const std::size_t i : order) {
            const Line& line = *lines_[i];
            const bool bold = line.widthPt >= kBoldNameWidthPt || drawn_.highlight.isHovered(line.hover.key);
            const RichText text(line.endLabel, theme_, bold);
            const QRectF rect = placeFor(i, text);
            if (rect.isNull()) continue;
            taken_.push_back(rect);
            text.draw(painter, rect.left(), rect.top() - RichText("", theme_).rect(0.0, 0.0).top(), theme_.text);
        }
    }

private:
    /// The candidate farthest from all other lines; null where each one touches something.
    QRectF placeFor(std::size_t line, const RichText& text) const {
        QRectF best;
        double most = 0.0;
        const auto step = static_cast<std::size_t>(kPlaceStep / kSampleStep);
        for (std::size_t n = 0; n < samples_[line].size(); n += step)
            for (const QRectF& rect : around(samples_[line][n], text)) {
                const double room = roomOf(rect, line);
                if (room <= most) continue;
                most = room;
                best = rect;
            }
        return best;
    }

    std::vector<QRectF> around(QPointF p, const RichText& text) const {
        const double gap = theme_.em(kGap), up = theme_.em(0.6) + gap, middle = p.x() - text.width() / 2;
        return {text.rect(middle, p.y() - up), text.rect(p.x() + gap, p.y() - up), text.rect(p.x() + gap, p.y() + up),
                text.rect(middle, p.y() + up), text.rect(p.x() - gap - text.width(), p.y() - up)};
    }

    /// Distance to the nearest other line, 0 where the text would touch anything.
    double roomOf(const QRectF& rect, std::size_t line) const {
        const double pad = theme_.em(kPad);
        const QRectF padded = rect.adjusted(-pad, -pad, pad, pad);
        if (!place_.plot.contains(padded) || !isFree(padded, taken_)) return 0.0;
        double room = theme_.em(kFarEnough);
        for (std::size_t other = 0; other < samples_.size(); ++other)
            for (const QPointF& sample : samples_[other]) {
                const double distance = distanceTo(rect, sample);
                if (distance < pad) return 0.0;
                if (other != line) room = std::min(room, distance);
            }
        return room;
    }

    const DrawnFigure& drawn_;
    const FigureTheme& theme_;
    const PanelGeometry& place_;
    std::vector<QRectF> taken_;
    std::vector<const Line*> lines_;
    std::vector<std::vector<QPointF>> samples_;
};

}  // namespace

void paintNearLabels(QPainter& painter, const DrawnFigure& drawn, std::size_t panel, std::vector<QRectF> taken) {
    NearLabels(drawn, panel, std::move(taken)).paint(painter);
}

}  // namespace dimscope::io
