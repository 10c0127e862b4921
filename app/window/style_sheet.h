// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace dimscope::app {

struct Colours;

/// Style sheet on top of Fusion: what a palette cannot say. Widgets are met by type, or by object name where one of a
/// kind looks different.
QString styleSheet(const Colours& colours);

}  // namespace dimscope::app
