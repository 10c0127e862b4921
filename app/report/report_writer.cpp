// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/report_writer.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>

#include "app/report/report_page.h"
#include "io/atomic_file.h"
#include "io/pgfplots_writer.h"
#include "io/provenance_json.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

namespace fs = std::filesystem;

void makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw kernels::FileError(
            {folder.string(), "", "the folder cannot be made: " + error.message(), "choose another folder"});
}

nlohmann::ordered_json sectionJson(const ReportSection& section) {
    nlohmann::ordered_json json{{"section", section.name},
                                {"title", section.title},
                                {"absent", section.absent},
                                {"limits", section.limits},
                                {"findings", nlohmann::ordered_json::array()}};
    for (const analysis::Finding& finding : section.findings) json["findings"].push_back(finding.text);
    for (const auto& figure : section.content.figures) json["figures"].push_back(figure->name);
    for (const auto& table : section.content.tables) json["tables"].push_back(table->name);
    json["warnings"] = io::warningsJson(section.warnings);
    json["provenance"] = io::provenanceJson(section.provenance);
    return json;
}

class Writer {
public:
    Writer(fs::path folder, const FigureDrawer& draw) : folder_(std::move(folder)), draw_(draw) {
        for (const fs::path& part : {folder_, folder_ / "figures", folder_ / "tables"}) makeFolder(part);
    }

    void write(const ReportSection& section) {
        std::vector<std::future<void>> drawings;
        for (const auto& figure : section.content.figures) {
            const fs::path svg = folder_ / "figures" / (figure->name + ".svg"),
                           tikz = fs::path(svg).replace_extension(".tikz");
            if (draw_) {
                drawings.push_back(std::async(std::launch::async, draw_(*figure, svg)));
                files_.push_back(svg);
            }
            io::writePgfplots(*figure, tikz);
            files_.push_back(tikz);
        }
        for (const auto& table : section.content.tables) {
            writeTableFiles(*table, folder_ / "tables");
            for (const char* kind : {".csv", ".md", ".tex"})
                files_.push_back(folder_ / "tables" / (table->name + kind));
        }
        for (std::future<void>& drawing : drawings) drawing.get();
        const fs::path json = folder_ / (section.name + ".json");
        io::writeFileAtomically(
            json, sectionJson(section).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        files_.push_back(json);
    }

    void writePage(const analysis::DumpInfo& info, const std::vector<ReportSection>& sections) {
        SvgOf svgOf;
        if (draw_)
            svgOf = [this](const analysis::Figure& figure) {
                std::ifstream file(folder_ / "figures" / (figure.name + ".svg"), std::ios::binary);
                return std::string(std::istreambuf_iterator<char>(file), {});
            };
        io::writeFileAtomically(folder_ / "index.html", reportPage(info, sections, svgOf));
        files_.push_back(folder_ / "index.html");
    }

    std::vector<fs::path> files() const {
        std::vector<fs::path> sorted = files_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

private:
    fs::path folder_;
    const FigureDrawer& draw_;
    std::vector<fs::path> files_;
};

}  // namespace

std::vector<fs::path> writeReport(Report& report, const fs::path& folder, const FigureDrawer& draw,
                                  const ReportProgress& progress, const RunControl& control) {
    const std::vector<Report::Step> steps = report.steps();
    Writer writer(folder, draw);
    const auto begin = [&](std::size_t i) {
        return std::async(std::launch::async,
                          [&steps, i, part = control.part(i, steps.size())] { return steps[i].run(part); });
    };
    std::vector<ReportSection> sections;
    std::future<ReportSection> next = begin(0);
    try {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            progress(i, steps.size(), steps[i].title);
            sections.push_back(next.get());
            if (i + 1 < steps.size()) next = begin(i + 1);
            writer.write(sections.back());
        }
        writer.writePage(report.info(), sections);
    } catch (...) {
        control.cancel();  // nobody needs the section that is computed now
        throw;
    }
    return writer.files();
}

}  // namespace dimscope::app
