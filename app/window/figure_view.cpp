// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_view.h"

#include <QApplication>
#include <QGraphicsScene>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "app/window/appearance.h"
#include "app/window/qt_text.h"
#include "io/figure/figure_chart.h"

namespace dimscope::app {

FigureView::FigureView(const Appearance& appearance, QWidget* parent)
    : QGraphicsView(parent), appearance_(appearance), chart_(new io::FigureChart) {
    setScene(new QGraphicsScene(this));
    scene()->addItem(chart_);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Figure"));
    restyle();
    connect(&appearance_, &Appearance::changed, this, &FigureView::restyle);
}

FigureView::~FigureView() = default;

void FigureView::restyle() {
    chart_->setTheme(appearance_.colours().figure);
    setBackgroundBrush(appearance_.colours().figure.ground);
}

void FigureView::setFigure(std::shared_ptr<const analysis::Figure> figure) {
    if (figure) setAccessibleDescription(qt(figure->title + ": " + figure->caption));
    chart_->setFigure(std::move(figure));
}

const std::shared_ptr<const analysis::Figure>& FigureView::figure() const { return chart_->figure(); }

void FigureView::setHighlight(const std::vector<int>& brushed, int hovered, int partner) {
    chart_->setHighlight(brushed, hovered, partner);
}

QImage FigureView::image(double scale) const {
    QImage image(viewport()->size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(appearance_.colours().figure.ground);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    scene()->render(&painter, QRectF(QPointF(), QSizeF(viewport()->size())), sceneRect());
    return image;
}

void FigureView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    const QRectF all(QPointF(), QSizeF(viewport()->size()));
    setSceneRect(all);
    chart_->setGeometry(all);
}

std::optional<double> FigureView::xAt(QPoint position) const {
    // A drag may leave the plot: the nearest place inside counts.
    const std::vector<QRectF> plots = chart_->panelRects();
    if (plots.empty()) return std::nullopt;
    const auto nearest = std::min_element(plots.begin(), plots.end(), [&](const QRectF& a, const QRectF& b) {
        return std::abs(a.center().y() - position.y()) < std::abs(b.center().y() - position.y());
    });
    return chart_->xAt({std::clamp(static_cast<double>(position.x()), nearest->left() + 0.5, nearest->right() - 0.5),
                        nearest->center().y()});
}

bool FigureView::dragging() const {
    return brushable_ && pressed_ && std::abs(pointer_.x() - pressed_->x()) >= QApplication::startDragDistance() / 2;
}

void FigureView::mouseMoveEvent(QMouseEvent* event) {
    pointer_ = event->pos();
    if (pressed_) {
        viewport()->update();
        return;
    }
    showHover(event->pos(), event->globalPosition().toPoint());
}

void FigureView::showHover(QPoint position, QPoint globalPosition) {
    const auto hover = chart_->hoverAt(position);
    emit hovered(hover ? hover->key : -1);
    if (hover && !hover->text.empty())
        QToolTip::showText(globalPosition + QPoint(4, 6), qt(hover->text), viewport());
    else
        QToolTip::hideText();
}

void FigureView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    pressed_ = pointer_ = event->pos();
    QToolTip::hideText();
}

void FigureView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    pointer_ = event->pos();
    const bool wasDrag = dragging();
    const auto from = xAt(*pressed_), to = xAt(pointer_);
    pressed_.reset();
    viewport()->update();
    if (wasDrag && from && to) {
        emit brushed(std::min(*from, *to), std::max(*from, *to));
    } else if (!wasDrag) {
        const auto hover = chart_->hoverAt(pointer_);
        if (hover && hover->key >= 0)
            emit clicked(hover->key);
        else
            emit brushCleared();
    }
}

void FigureView::leaveEvent(QEvent*) { emit hovered(-1); }

// Pages scroll, figures do not.
void FigureView::wheelEvent(QWheelEvent* event) { event->ignore(); }

void FigureView::drawForeground(QPainter* painter, const QRectF&) {
    if (!dragging()) return;
    QColor band = appearance_.colours().accent;
    band.setAlpha(40);
    for (const QRectF& plot : chart_->panelRects()) {
        const double left = std::clamp<double>(std::min(pressed_->x(), pointer_.x()), plot.left(), plot.right());
        const double right = std::clamp<double>(std::max(pressed_->x(), pointer_.x()), plot.left(), plot.right());
        painter->fillRect(QRectF(left, plot.top(), right - left, plot.height()), band);
    }
}

}  // namespace dimscope::app
