// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QSettings>
#include <cstdio>

#include "analysis/provenance.h"
#include "app/core/dump_opening.h"
#include "app/window/appearance.h"
#include "app/window/batch_export.h"
#include "app/window/batch_report.h"
#include "app/window/launch.h"
#include "app/window/main_window.h"
#include "app/window/qt_text.h"
#include "app/window/samples.h"

using namespace dimscope;

int main(int argc, char** argv) {
    if (const auto code = app::serveFirstLook(argc, argv)) return *code;
    if (!app::prepareDisplay(argc, argv)) return 1;
    QApplication application(argc, argv);
    QApplication::setOrganizationName("dimscope");
    QApplication::setApplicationName("dimscope");
    QApplication::setApplicationVersion(QString::fromStdString(analysis::programVersion()));
    const app::Launch launch = app::parseLaunch(QApplication::arguments());

    if (!launch.exportFolder.isEmpty() || !launch.reportFolder.isEmpty()) {
        const auto samples = app::bundledSamples();
        if (launch.file.isEmpty() && samples.empty()) {
            std::fputs("dimscope: name a FILE, the bundled sample was not found\n", stderr);
            return 1;
        }
        const QString file = launch.file.isEmpty() ? samples.front().second : launch.file;
        return launch.reportFolder.isEmpty() ? app::exportDump(file, launch.exportFolder, launch.decisions)
                                             : app::reportDump(file, launch.reportFolder, launch.decisions);
    }

    app::Appearance appearance(application);
    appearance.choose(static_cast<app::ThemeChoice>(QSettings().value("window/theme", 0).toInt()));
    app::MainWindow window(appearance);
    window.show();
    const bool decided =
        !app::isUndecided(launch.decisions) || launch.decisions.outside != io::OpenPolicy::Outside::Never;
    if (!launch.file.isEmpty() && decided)
        window.read({app::pathOf(launch.file), launch.decisions, app::DecidedBy::CommandLine, {}});
    else if (!launch.file.isEmpty())
        window.open(launch.file);
    return QApplication::exec();
}
