// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/batch_report.h"

#include <QDir>
#include <cstdio>

#include "app/core/error_text.h"
#include "app/report/report_writer.h"
#include "app/window/qt_text.h"
#include "io/figure/figure_writer.h"

namespace dimscope::app {

int reportDump(const QString& file, const QString& folder, const io::ReadingDecisions& decisions) {
    try {
        Report report({.file = pathOf(file), .decisions = decisions});
        const auto draw = [](const analysis::Figure& figure, const std::filesystem::path& path) {
            return io::drawnFigure(figure, path);
        };
        const auto tell = [](std::size_t step, std::size_t steps, const std::string& title) {
            std::fprintf(stderr, "[%zu/%zu] %s\n", step + 1, steps, title.c_str());
        };
        writeReport(report, pathOf(folder), draw, tell, {});
    } catch (...) {
        std::fprintf(stderr, "dimscope: %s\n", failureOf(std::current_exception()).text.c_str());
        return 1;
    }
    std::printf("%s\n", QDir(folder).absoluteFilePath("index.html").toLocal8Bit().constData());
    return 0;
}

}  // namespace dimscope::app
