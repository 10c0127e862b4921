// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_writer.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QFile>
#include <QGraphicsScene>
#include <QImageWriter>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "io/atomic_file.h"
#include "io/figure/figure_chart.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using analysis::Figure;

constexpr double kMmPerInch = 25.4, kPointsPerInch = 72.0;
constexpr int kSvgDotsPerInch = 2540;  // sizes in whole hundredths of a millimetre
constexpr int kPngCompression = 11;    // of 100: level 1 of zlib, a little larger and far faster
constexpr double kMostMm = 2000.0;

double points(double mm) { return mm / kMmPerInch * kPointsPerInch; }

QString titleOf(const Figure& figure) { return QString::fromStdString(figure.title); }
QString provenanceOf(const Figure& figure) {
    return QString::fromStdString(analysis::provenanceLine(figure.provenance));
}
QString descriptionOf(const Figure& figure) {
    const QString caption = QString::fromStdString(figure.caption);
    return caption.isEmpty() ? provenanceOf(figure) : caption + QStringLiteral("\n") + provenanceOf(figure);
}

// Figures are borrowed: the chart lives only as long as the call.
std::shared_ptr<const Figure> borrowed(const Figure& figure) { return {std::shared_ptr<const Figure>(), &figure}; }

/// Draws at `size` logical units, scaled to `target`.
void drawFigure(QPainter& painter, const Figure& figure, const FigureTheme& theme, QSizeF size, QRectF target) {
    QGraphicsScene scene;
    auto* chart = new FigureChart;
    scene.addItem(chart);
    chart->setTheme(theme);
    chart->setFigure(borrowed(figure));
    chart->resize(size);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    scene.render(&painter, target, QRectF(QPointF(0, 0), size), Qt::IgnoreAspectRatio);
}

/// What is left to do once a figure is drawn: no painter, no widget, any thread.
using Content = std::function<void(QFile&)>;

Content bytesTo(QByteArray bytes) {
    return [bytes = std::move(bytes)](QFile& file) { file.write(bytes); };
}

Content drawSvg(const Figure& figure, const FigureSize& size) {
    const QSizeF pts(points(size.widthMm), points(size.heightMm));
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(kSvgDotsPerInch);
    svg.setSize(QSize(static_cast<int>(std::lround(size.widthMm * 100.0)),
                      static_cast<int>(std::lround(size.heightMm * 100.0))));
    svg.setViewBox(QRectF(QPointF(0, 0), pts));
    svg.setTitle(titleOf(figure));
    svg.setDescription(descriptionOf(figure));
    {
        QPainter painter(&svg);
        drawFigure(painter, figure, printTheme(), pts, QRectF(QPointF(0, 0), pts));
    }
    return bytesTo(buffer.data());
}

Content drawPdf(const Figure& figure, const FigureSize& size) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter pdf(&buffer);
        pdf.setTitle(titleOf(figure) + (figure.caption.empty() ? QString() : QStringLiteral(" · ")) +
                     QString::fromStdString(figure.caption));
        pdf.setCreator(provenanceOf(figure));
        pdf.setPageMargins(QMarginsF());
        pdf.setPageSize(
            QPageSize(QSizeF(size.widthMm, size.heightMm), QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
        QPainter painter(&pdf);
        drawFigure(painter, figure, printTheme(), QSizeF(points(size.widthMm), points(size.heightMm)),
                   QRectF(0, 0, pdf.width(), pdf.height()));
    }
    return bytesTo(buffer.data());
}

Content drawPng(const Figure& figure, const FigureSize& size) {
    const auto pixels = [&](double mm) { return static_cast<int>(std::lround(mm / kMmPerInch * size.dpi)); };
    QImage image(pixels(size.widthMm), pixels(size.heightMm), QImage::Format_RGB32);
    if (image.isNull())
        throw kernels::OutOfMemory(
            fmt::format("no memory for an image of {:g} x {:g} mm at {} dpi", size.widthMm, size.heightMm, size.dpi));
    FigureTheme theme = printTheme();
    theme.pixelGrid = kPointsPerInch / size.dpi;
    const double scale = size.dpi / kPointsPerInch;
    {
        QPainter painter(&image);
        drawFigure(painter, figure, theme, QSizeF(image.size()) / scale, QRectF(image.rect()));
    }
    image.setDotsPerMeterX(static_cast<int>(std::lround(size.dpi * 1000.0 / kMmPerInch)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    const QString title = titleOf(figure), description = QString::fromStdString(figure.caption),
                  software = provenanceOf(figure);
    return [image, title, description, software](QFile& file) {
        QImageWriter writer(&file, "png");
        writer.setCompression(kPngCompression);
        writer.setText(QStringLiteral("Title"), title);
        writer.setText(QStringLiteral("Description"), description);
        writer.setText(QStringLiteral("Software"), software);
        writer.write(image);  // the caller looks at the file's error
    };
}

using Drawer = Content (*)(const Figure&, const FigureSize&);

Drawer drawerFor(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".svg") return drawSvg;
    if (extension == ".pdf") return drawPdf;
    if (extension == ".png") return drawPng;
    throw kernels::ArgumentError(
        fmt::format("{}: unknown kind of figure file, expected .svg, .pdf or .png", path.string()));
}

void checkSize(const FigureSize& size) {
    for (double mm : {size.widthMm, size.heightMm})
        if (!(mm >= 10.0 && mm <= kMostMm))
            throw kernels::ArgumentError(
                fmt::format("size of the figure: expected 10 to {:.0f} mm, got {:g} mm", kMostMm, mm));
    if (size.dpi < 30 || size.dpi > 2400)
        throw kernels::ArgumentError(
            fmt::format("resolution of the figure: expected 30 to 2400 dpi, got {}", size.dpi));
}

}  // namespace

std::function<void()> drawnFigure(const Figure& figure, const std::filesystem::path& path, const FigureSize& size) {
    checkSize(size);
    return [content = drawerFor(path)(figure, size), path] {
        writeFileAtomically(path, [&](const std::filesystem::path& temporary) {
            QFile file(QString::fromStdString(temporary.string()));
            if (file.open(QIODevice::WriteOnly | QIODevice::Truncate)) content(file);
            if (file.error() != QFileDevice::NoError || !file.flush())
                throw kernels::FileError(
                    {path.string(), "/", "cannot be written: " + file.errorString().toStdString(), ""});
        });
    };
}

std::function<void()> drawnFigure(const Figure& figure, const std::filesystem::path& path) {
    return drawnFigure(figure, path, FigureSize{figure.widthMm, figure.heightMm, 300});
}

void writeFigure(const Figure& figure, const std::filesystem::path& path, const FigureSize& size) {
    drawnFigure(figure, path, size)();
}

void writeFigure(const Figure& figure, const std::filesystem::path& path) { drawnFigure(figure, path)(); }

QImage renderFigure(const Figure& figure, const FigureTheme& theme, QSize size, double scale) {
    const QSize pixels = (QSizeF(size) * scale).toSize();
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(theme.ground);
    QPainter painter(&image);
    drawFigure(painter, figure, theme, QSizeF(size), QRectF(QPointF(0, 0), QSizeF(pixels)));
    painter.end();
    image.setDevicePixelRatio(scale);
    return image;
}

}  // namespace dimscope::io
