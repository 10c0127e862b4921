// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/batch_export.h"

#include <QDir>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>

#include "app/core/error_text.h"
#include "app/report/dump_report.h"
#include "app/window/export_files.h"
#include "app/window/qt_text.h"
#include "io/figure/figure_writer.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

/// Files are encoded and written on other threads while the next figures are drawn, a few at a time: each holds an
/// image of some 10 MB.
class FileThreads {
public:
    ~FileThreads() {
        for (const std::future<void>& file : running_) file.wait();
    }
    /// Throws what an earlier file threw.
    void add(std::function<void()> write) {
        if (running_.size() == kFilesAtOnce) finishFirst();
        running_.push_back(std::async(std::launch::async, std::move(write)));
    }
    void finish() {
        while (!running_.empty()) finishFirst();
    }

private:
    static constexpr std::size_t kFilesAtOnce = 6;
    void finishFirst() {
        std::future<void> first = std::move(running_.front());
        running_.pop_front();
        first.get();
    }
    std::deque<std::future<void>> running_;
};

void write(const PageContent& content, const std::filesystem::path& folder, FileThreads& files) {
    for (const auto& figure : content.figures)
        for (const char* extension : kFigureExtensions)
            files.add(io::drawnFigure(*figure, folder / (figure->name + extension)));
    for (const auto& table : content.tables) writeTableFiles(*table, folder);
}

/// While one step is drawn here, the next is computed on another thread.
void writeExport(DumpReport& report, const std::filesystem::path& folder) {
    const std::vector<DumpReport::Step> steps = report.steps();
    const auto begin = [&steps](std::size_t i) {
        return std::async(std::launch::async, [&step = steps[i]] { return step.content({}); });
    };
    std::future<PageContent> next = begin(0);
    FileThreads files;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::fprintf(stderr, "[%zu/%zu] %s\n", i + 1, steps.size(), steps[i].title.c_str());
        const PageContent content = next.get();
        if (i + 1 < steps.size()) next = begin(i + 1);
        write(content, folder, files);
    }
    files.finish();
}

}  // namespace

int exportDump(const QString& file, const QString& folder, const io::ReadingDecisions& decisions) {
    try {
        DumpReport report(pathOf(file), "cpu", 0, decisions);
        if (!QDir().mkpath(folder))
            throw kernels::FileError({folder.toStdString(), "", "the folder cannot be made", "choose another folder"});
        writeExport(report, pathOf(folder));
    } catch (...) {
        std::fprintf(stderr, "dimscope: %s\n", failureOf(std::current_exception()).text.c_str());
        return 1;
    }
    std::printf("%s\n", QDir(folder).absolutePath().toLocal8Bit().constData());
    return 0;
}

}  // namespace dimscope::app
