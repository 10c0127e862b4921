// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <string>

namespace dimscope::app {

inline QString qt(const std::string& text) { return QString::fromStdString(text); }
inline std::filesystem::path pathOf(const QString& text) { return std::filesystem::path(text.toStdString()); }
inline QString qt(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace dimscope::app
