// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QObject>

#include "io/figure/figure_theme.h"

class QApplication;

namespace dimscope::app {

enum class ThemeChoice { System, Light, Dark };

/// Colours of everything around the figures; the figures have their own in `figure`.
struct Colours {
    bool dark = false;
    QColor window, panel, border, hairline, text, secondary, accent, selectedRow, brushBand, warning, outlierText;
    QColor field, hover;
    io::FigureTheme figure;
};

/// The light or dark look of the program: palette, style sheet, icons. Widgets that paint themselves ask it for colours
/// and repaint on changed().
class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(QApplication& application, QObject* parent = nullptr);

    ThemeChoice choice() const { return choice_; }
    void choose(ThemeChoice choice);
    void toggle();  ///< to the other of light and dark
    const Colours& colours() const { return colours_; }
    /// An icon of resources/icons in the text colours of the theme.
    QIcon icon(const QString& name) const;

signals:
    void changed();

private:
    void apply();

    QApplication& application_;
    bool systemIsDark_;
    ThemeChoice choice_ = ThemeChoice::System;
    Colours colours_;
};

}  // namespace dimscope::app
