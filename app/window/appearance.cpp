// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/appearance.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QPainter>
#include <QPalette>
#include <QStyleFactory>
#include <QSvgRenderer>

#include "app/window/style_sheet.h"

// The icons are in a static library: nothing but this call makes the linker keep them. It must stand outside
// namespaces.
static void keepIcons() { Q_INIT_RESOURCE(app); }

namespace dimscope::app {
namespace {

Colours lightColours() {
    return {.dark = false,
            .window = QColor(0xF3F4F6),
            .panel = QColor(0xFFFFFF),
            .border = QColor(0xD5D9DF),
            .hairline = QColor(0xE6E8EC),
            .text = QColor(0x1B1F24),
            .secondary = QColor(0x59616C),
            .accent = QColor(0x0068A3),
            .selectedRow = QColor(0xE4F0F7),
            .brushBand = QColor(0xF0F6FA),
            .warning = QColor(0x9A5B00),
            .outlierText = QColor(0xB34E00),
            .field = QColor(0xBFC5CD),
            .hover = QColor(0xE9EBEE),
            .figure = io::lightTheme()};
}

Colours darkColours() {
    return {.dark = true,
            .window = QColor(0x22252A),
            .panel = QColor(0x191B1F),
            .border = QColor(0x3A3F47),
            .hairline = QColor(0x2A2E34),
            .text = QColor(0xE4E7EB),
            .secondary = QColor(0xA3ABB6),
            .accent = QColor(0x6CC0F0),
            .selectedRow = QColor(0x1F3442),
            .brushBand = QColor(0x1D2830),
            .warning = QColor(0xE9A94B),
            .outlierText = QColor(0xF4914A),
            .field = QColor(0x4A505A),
            .hover = QColor(0x2D3138),
            .figure = io::darkTheme()};
}

QPalette paletteOf(const Colours& c) {
    QPalette palette(c.window);
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.panel);
    palette.setColor(QPalette::AlternateBase, c.window);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.secondary);
    palette.setColor(QPalette::Button, c.window);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::Highlight, c.selectedRow);
    palette.setColor(QPalette::HighlightedText, c.text);
    palette.setColor(QPalette::ToolTipBase, c.panel);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Link, c.accent);
    palette.setColor(QPalette::LinkVisited, c.accent);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, c.field);
    return palette;
}

QFont interfaceFont(const QFont& fallback) {
    QFont font = QFontDatabase::families().contains("Inter") ? QFont("Inter") : fallback;
    font.setPixelSize(12);
    return font;
}

QPixmap drawnIcon(QByteArray svg, const QColor& colour, int side, qreal scale) {
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    QPixmap pixmap(QSize(side, side) * scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(scale);
    return pixmap;
}

}  // namespace

Appearance::Appearance(QApplication& application, QObject* parent)
    : QObject(parent),
      application_(application),
      systemIsDark_(application.palette().window().color().lightness() < 128) {
    keepIcons();
    application_.setStyle(QStyleFactory::create("Fusion"));
    application_.setFont(interfaceFont(application_.font()));
    apply();
}

void Appearance::choose(ThemeChoice choice) {
    if (choice == choice_) return;
    choice_ = choice;
    apply();
    emit changed();
}

void Appearance::toggle() { choose(colours_.dark ? ThemeChoice::Light : ThemeChoice::Dark); }

void Appearance::apply() {
    const bool dark = choice_ == ThemeChoice::Dark || (choice_ == ThemeChoice::System && systemIsDark_);
    colours_ = dark ? darkColours() : lightColours();
    application_.setPalette(paletteOf(colours_));
    application_.setStyleSheet(styleSheet(colours_));
}

QIcon Appearance::icon(const QString& name) const {
    QFile file(":/icons/" + name + ".svg");
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray svg = file.readAll();
    QIcon icon;
    for (const qreal scale : {1.0, 2.0, 3.0}) {
        icon.addPixmap(drawnIcon(svg, colours_.text, 16, scale), QIcon::Normal);
        icon.addPixmap(drawnIcon(svg, colours_.field, 16, scale), QIcon::Disabled);
    }
    return icon;
}

}  // namespace dimscope::app
