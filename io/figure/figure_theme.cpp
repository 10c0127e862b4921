// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dimscope::io {
namespace {

using analysis::MarkerShape;
using analysis::Role;

struct KernelEntry {
    std::string_view name;
    QColor CategoryColours::*colour;
    MarkerShape shape;
    bool filled;
};

constexpr std::array kKernels{
    KernelEntry{"softmax", &CategoryColours::black, MarkerShape::Disc, true},
    KernelEntry{"performer", &CategoryColours::orange, MarkerShape::Square, true},
    KernelEntry{"rfa", &CategoryColours::orange, MarkerShape::Square, false},
    KernelEntry{"polysketch", &CategoryColours::orange, MarkerShape::Diamond, false},
    KernelEntry{"spectraformer", &CategoryColours::skyBlue, MarkerShape::TriangleUp, true},
    KernelEntry{"spectraformer_unbiased", &CategoryColours::skyBlue, MarkerShape::TriangleUp, false},
    KernelEntry{"dijiang", &CategoryColours::green, MarkerShape::TriangleDown, true},
    KernelEntry{"hedgehog", &CategoryColours::green, MarkerShape::TriangleUp, false},
    KernelEntry{"lolcats", &CategoryColours::green, MarkerShape::Diamond, true},
    KernelEntry{"taylorshift", &CategoryColours::blue, MarkerShape::Diamond, true},
    KernelEntry{"taylor", &CategoryColours::blue, MarkerShape::Diamond, false},
    KernelEntry{"based", &CategoryColours::blue, MarkerShape::Square, false},
    KernelEntry{"rebased", &CategoryColours::blue, MarkerShape::TriangleUp, false},
    KernelEntry{"power", &CategoryColours::blue, MarkerShape::TriangleDown, false},
    KernelEntry{"global", &CategoryColours::purple, MarkerShape::Square, true},
    KernelEntry{"linear_zeros", &CategoryColours::purple, MarkerShape::TriangleDown, true},
    KernelEntry{"zeros_sm", &CategoryColours::purple, MarkerShape::TriangleUp, false},
    KernelEntry{"oal", &CategoryColours::vermilion, MarkerShape::Disc, true},
    KernelEntry{"elu", &CategoryColours::black, MarkerShape::Square, false},
    KernelEntry{"cosformer", &CategoryColours::black, MarkerShape::TriangleUp, false},
    KernelEntry{"retnet", &CategoryColours::black, MarkerShape::Diamond, false},
};

constexpr std::array<std::string_view, 3> kReferences{"uniform", "zero", "first_value"};

QColor rgb(unsigned value) { return QColor::fromRgb(value); }

}  // namespace

double FigureTheme::snapped(double position) const {
    return pixelGrid > 0.0 ? std::round(position / pixelGrid) * pixelGrid : position;
}

FigureTheme lightTheme() {
    FigureTheme theme;
    theme.ground = rgb(0xFFFFFF);
    theme.text = rgb(0x1B1F24);
    theme.secondary = rgb(0x59616C);
    theme.grid = rgb(0xECEEF1);
    theme.axis = rgb(0x7C848F);
    theme.fieldLine = rgb(0xBFC5CD);
    theme.accent = rgb(0x0068A3);
    theme.band = rgb(0xF0F6FA);
    theme.missing = rgb(0xF3F4F6);
    theme.bulkQuery = rgb(0x8B939E);
    theme.bulkKey = rgb(0xB3BAC3);
    theme.outlierQuery = rgb(0xD55E00);
    theme.outlierKey = rgb(0xEA9A5C);
    theme.outlierText = rgb(0xB34E00);
    theme.partner = rgb(0x56B4E9);
    theme.category = {theme.text,    rgb(0xE69F00), rgb(0x56B4E9), rgb(0x009E73),
                      rgb(0x0072B2), rgb(0xD55E00), rgb(0xCC79A7)};
    return theme;
}

FigureTheme darkTheme() {
    FigureTheme theme = lightTheme();
    theme.ground = rgb(0x191B1F);
    theme.text = rgb(0xE4E7EB);
    theme.secondary = rgb(0xA3ABB6);
    theme.grid = rgb(0x262A2F);
    theme.axis = rgb(0x7F8893);
    theme.fieldLine = rgb(0x4A505A);
    theme.accent = rgb(0x6CC0F0);
    theme.band = rgb(0x1D2830);
    theme.missing = rgb(0x22252A);
    theme.bulkQuery = rgb(0x7A828D);
    theme.bulkKey = rgb(0x555C66);
    theme.outlierQuery = rgb(0xE8711A);
    theme.outlierKey = rgb(0xA85A24);
    theme.outlierText = rgb(0xF4914A);
    theme.category.black = theme.text;
    theme.category.blue = rgb(0x3D9AD6);
    return theme;
}

FigureTheme printTheme() {
    FigureTheme theme = lightTheme();
    theme.fontSize = 8;
    theme.lineWidth = 0.75;
    theme.unitsPerPoint = 1.0;
    theme.pixelGrid = 0.0;
    return theme;
}

KernelStyle kernelStyle(std::string_view kernel, const FigureTheme& theme) {
    for (const KernelEntry& entry : kKernels)
        if (entry.name == kernel) return {theme.category.*entry.colour, entry.shape, entry.filled, false};
    if (std::find(kReferences.begin(), kReferences.end(), kernel) != kReferences.end())
        return {theme.secondary, MarkerShape::Disc, false, true};
    return {theme.secondary, MarkerShape::Disc, true, false};  // one's own kernel
}

QColor inkColour(const analysis::Ink& ink, const FigureTheme& theme) {
    switch (ink.role) {
        case Role::Text: return theme.text;
        case Role::Secondary: return theme.secondary;
        case Role::BulkQuery: return theme.bulkQuery;
        case Role::BulkKey: return theme.bulkKey;
        case Role::OutlierQuery: return theme.outlierQuery;
        case Role::OutlierKey: return theme.outlierKey;
        case Role::OutlierText: return theme.outlierText;
        case Role::Partner: return theme.partner;
        case Role::Band: return theme.band;
        case Role::Accent: return theme.accent;
        case Role::Kernel: return kernelStyle(ink.kernel, theme).colour;
    }
    return theme.text;
}

QColor textColour(const analysis::Ink& ink, const FigureTheme& theme) {
    switch (ink.role) {
        case Role::OutlierQuery:
        case Role::OutlierKey:
        case Role::OutlierText: return theme.outlierText;
        case Role::BulkQuery:
        case Role::BulkKey:
        case Role::Secondary: return theme.secondary;
        case Role::Accent: return theme.accent;
        default: return theme.text;
    }
}

QFont figureFont(const FigureTheme& theme, bool bold, bool italic) {
    QFont font(QStringList{QStringLiteral("Inter"), QStringLiteral("DejaVu Sans"), QStringLiteral("sans-serif")});
    font.setPixelSize(theme.fontSize);
    font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    font.setItalic(italic);
    font.setHintingPreference(QFont::PreferNoHinting);  // the same widths at every scale
    return font;
}

}  // namespace dimscope::io
