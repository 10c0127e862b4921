// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace dimscope::app {

/// Wrapped lines that are shown as they are, never as markup: words may come from a file. `name`: for the style sheet.
inline QLabel* plainLabel(QWidget* parent, const char* name = nullptr, const QString& text = {}) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    if (name != nullptr) label->setObjectName(name);
    return label;
}

}  // namespace dimscope::app
