// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QSize>
#include <filesystem>
#include <functional>

namespace dimscope::analysis {
struct Figure;
}

namespace dimscope::io {

struct FigureTheme;

/// Size on paper; the resolution matters for PNG alone.
struct FigureSize {
    double widthMm = 160.0, heightMm = 60.0;
    int dpi = 300;
};

/// Draws the figure in print colours for an SVG, PDF or PNG file (by extension); title, caption and provenance go into
/// the file's metadata. Needs the QApplication and its thread. What comes back encodes and writes the file, beside and
/// renamed, on any thread. Throws ArgumentError for any other extension or an impossible size, and the call FileError
/// when the file cannot be written.
std::function<void()> drawnFigure(const analysis::Figure& figure, const std::filesystem::path& path,
                                  const FigureSize& size);
/// At the figure's own size.
std::function<void()> drawnFigure(const analysis::Figure& figure, const std::filesystem::path& path);

/// Both steps at once.
void writeFigure(const analysis::Figure& figure, const std::filesystem::path& path, const FigureSize& size);
void writeFigure(const analysis::Figure& figure, const std::filesystem::path& path);

/// The figure at \p size logical units, \p scale pixels each.
QImage renderFigure(const analysis::Figure& figure, const FigureTheme& theme, QSize size, double scale);

}  // namespace dimscope::io
