// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <filesystem>
#include <functional>

#include "app/report/page_content.h"

class QWidget;

namespace dimscope::app {

/// Runs something that writes files; a failure comes back as one sentence, empty: done.
QString tryToWrite(const std::function<void()>& write);

/// Kinds of file that a figure is exported as.
inline constexpr std::array kFigureExtensions{".svg", ".pdf", ".png"};

/// NAME.svg, NAME.pdf and NAME.png in the folder. Throws FileError.
void writeFigureFiles(const analysis::Figure& figure, const std::filesystem::path& folder);
/// Asks for a file and writes the table as its extension says; tells what went wrong.
void askAndWriteTable(const analysis::Table& table, QWidget* parent);
/// Asks for a folder and writes everything of the page.
void askAndWritePage(const PageContent& content, QWidget* parent);

/// Where exports go by default: the folder used last, else the documents of the person.
QString exportFolder();
void rememberExportFolder(const QString& path);

}  // namespace dimscope::app
