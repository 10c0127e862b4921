// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// What the command line asks for.
struct Launch {
    QString file;                         ///< empty: none
    QString exportFolder;                 ///< --export; empty: no
    QString reportFolder;                 ///< --report; empty: no
    io::ReadingDecisions decisions = {};  ///< about the file
};

/// Before the application is made: without a display, what needs none is drawn offscreen. False: a window was asked for
/// and there is nowhere to show it (said on stderr).
bool prepareDisplay(int argc, char** argv);

/// Reads the command line; ends the program for --help, --version and wrong use.
/// `arguments`: without those that Qt took.
Launch parseLaunch(const QStringList& arguments);

}  // namespace dimscope::app
