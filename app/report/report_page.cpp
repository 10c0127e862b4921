// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/html_text.h"
#include "io/message_text.h"

namespace dimscope::app {
namespace {

constexpr std::size_t kMostFindings = 10, kMostRows = 40, kMostWarnings = 12;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1b1f24; --secondary: #59616c; --ground: #fff; --line: #d5d9df; --accent: #0068a3; --soft: #f3f4f6; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7eb; --secondary: #a3abb6; --ground: #191b1f; --line: #3a3f47; --accent: #6cc0f0; --soft: #22252a; } }
body { margin: 0 auto; max-width: 1080px; padding: 32px 24px 96px; background: var(--ground); color: var(--text); font: 15px/1.5 Inter, "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 48px 0 4px; border-top: 1px solid var(--line); padding-top: 24px; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.secondary, figcaption, caption, .files { color: var(--secondary); }
nav a { margin-right: 16px; } ol li, ul li { margin: 4px 0; }
figure { margin: 24px 0; } figure img { max-width: 100%; background: #fff; border-radius: 4px; }
figcaption, caption { font-size: 13px; text-align: left; padding: 4px 0; }
.scroll { overflow-x: auto; margin: 24px 0 4px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 500; color: var(--secondary); border-bottom: 1px solid var(--line); padding: 3px 10px; vertical-align: bottom; }
td { text-align: right; padding: 2px 10px; border-bottom: 1px solid var(--soft); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
.files { font-size: 12px; } .warnings { font-size: 13px; }
)";

std::string sentence(const analysis::Finding& finding) {
    std::string text;
    for (const char c : finding.text)
        if (c != '[' && c != ']') text += c;  // marks of links that a page of the window has
    return htmlMarkup(text);
}

std::string anchorOf(const ReportSection& section) {
    return section.content.tables.empty() ? section.name : "table-" + section.content.tables.front()->name;
}

/// The first sentence of every section, then the second ones, until there are enough.
std::string findingsList(const std::vector<ReportSection>& sections) {
    std::string list;
    std::size_t count = 0, longest = 0;
    for (const ReportSection& section : sections) longest = std::max(longest, section.findings.size());
    for (std::size_t i = 0; i < longest; ++i)
        for (const ReportSection& section : sections) {
            if (i >= section.findings.size() || count == kMostFindings) continue;
            list += fmt::format("<li>{} <a href=\"#{}\">{}</a></li>\n", sentence(section.findings[i]),
                                htmlText(anchorOf(section)), htmlText(section.title));
            ++count;
        }
    return list.empty() ? std::string() : "<h3>Findings</h3>\n<ol>\n" + list + "</ol>\n";
}

/// One line per experiment that the dump could not, or not wholly, support.
std::string limitsList(const std::vector<ReportSection>& sections) {
    std::string list;
    for (const ReportSection& section : sections) {
        std::string text = section.absent.empty() ? "" : "not done: " + section.absent;
        for (const std::string& limit : section.limits) text += (text.empty() ? "" : "; ") + limit;
        if (!text.empty())
            list += fmt::format("<li><a href=\"#{}\">{}</a>: {}</li>\n", htmlText(section.name),
                                htmlText(section.title), htmlText(text));
    }
    return list.empty() ? std::string() : "<h3>What this dump does not support</h3>\n<ul>\n" + list + "</ul>\n";
}

std::string figureHtml(const analysis::Figure& figure, const SvgOf& svgOf) {
    const std::string name = htmlText(figure.name);
    std::string html = fmt::format("<figure id=\"figure-{}\">\n", name);
    if (const std::string svg = svgOf ? svgOf(figure) : std::string(); !svg.empty())
        html += fmt::format("<img alt=\"{}\" style=\"width:{:.0f}mm\" src=\"data:image/svg+xml;base64,{}\">\n",
                            htmlText(figure.title), 1.5 * figure.widthMm, base64(svg));
    html += fmt::format("<figcaption><b>{}</b> {} <span class=\"files\">", htmlMarkup(figure.title),
                        htmlMarkup(figure.caption));
    if (svgOf) html += fmt::format("<a href=\"figures/{0}.svg\">SVG</a> ", name);
    return html + fmt::format("<a href=\"figures/{0}.tikz\">pgfplots</a></span></figcaption>\n</figure>\n", name);
}

std::string tableHtml(const analysis::Table& table) {
    const std::string name = htmlText(table.name);
    std::string html = fmt::format("<div class=\"scroll\" id=\"table-{}\"><table>\n<caption>{}</caption>\n<tr>", name,
                                   htmlMarkup(table.caption));
    for (const analysis::Column& column : table.columns)
        html += fmt::format("<th>{}{}</th>", htmlText(column.title),
                            column.unit.empty() ? "" : " (" + htmlText(column.unit) + ")");
    html += "</tr>\n";
    const std::size_t shown = std::min(table.rows(), kMostRows);
    for (std::size_t row = 0; row < shown; ++row) {
        html += "<tr>";
        for (const analysis::Column& column : table.columns)
            html += "<td>" + htmlText(analysis::displayText(column.cells[row], column.style)) + "</td>";
        html += "</tr>\n";
    }
    html += "</table></div>\n<p class=\"files\">";
    if (shown < table.rows()) html += fmt::format("{} of {} rows. ", shown, table.rows());
    for (const char* kind : {"csv", "md", "tex"})
        html += fmt::format("<a href=\"tables/{}.{}\">{}</a> ", name, kind, kind);
    return html + "</p>\n";
}

std::string warningsHtml(const std::vector<analysis::Warning>& warnings) {
    if (warnings.empty()) return {};
    std::string html = fmt::format("<details class=\"warnings\"><summary>{} {}</summary><ul>\n", warnings.size(),
                                   warnings.size() == 1 ? "warning" : "warnings");
    for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i)
        html += "<li>" + htmlText(warnings[i].place.empty() ? "" : warnings[i].place + ": ") +
                htmlText(warnings[i].text) + "</li>\n";
    if (warnings.size() > kMostWarnings) html += fmt::format("<li>and {} more</li>\n", warnings.size() - kMostWarnings);
    return html + "</ul></details>\n";
}

std::string sectionHtml(const ReportSection& section, const SvgOf& svgOf) {
    std::string html = fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"secondary\">{}</p>\n", htmlText(section.name),
                                   htmlText(section.title), htmlMarkup(section.about));
    if (!section.absent.empty()) return html + "<p>Not done: " + htmlText(section.absent) + ".</p>\n";
    if (!section.findings.empty()) {
        html += "<ul>\n";
        for (const analysis::Finding& finding : section.findings) html += "<li>" + sentence(finding) + "</li>\n";
        html += "</ul>\n";
    }
    html += warningsHtml(section.warnings);
    for (const auto& figure : section.content.figures) html += figureHtml(*figure, svgOf);
    for (const auto& table : section.content.tables) html += tableHtml(*table);
    return html + fmt::format("<p class=\"files\">{} · <a href=\"{}.json\">JSON</a></p>\n",
                              htmlText(analysis::provenanceLine(section.provenance)), htmlText(section.name));
}

/// "2026-11-30T22:23:19Z" for people.
std::string readableTime(std::string timestamp) {
    if (const auto t = timestamp.find('T'); t != std::string::npos) timestamp[t] = ' ';
    if (timestamp.ends_with('Z')) timestamp.replace(timestamp.size() - 1, 1, " UTC");
    return timestamp;
}

std::string headHtml(const analysis::DumpInfo& info, const std::vector<ReportSection>& sections) {
    std::vector<int> layers;
    for (const analysis::LayerInfo& layer : info.layers) layers.push_back(layer.layer.value);
    std::string html = fmt::format(
        "<h1>{}</h1>\n<p class=\"secondary\">{}{} layers, {} prompts · {} · sha256 {}… · dimscope {}, {}</p>\n",
        htmlText(info.identity.name), info.model.empty() ? "" : htmlText(info.model) + " · ", info.layers.size(),
        info.prompts.size(), io::bytesText(static_cast<double>(info.identity.sizeBytes)),
        htmlText(info.identity.sha256.substr(0, 12)), htmlText(analysis::programVersion()),
        readableTime(analysis::timestampNow()));
    html += "<nav>";
    for (const ReportSection& section : sections)
        html += fmt::format("<a href=\"#{}\">{}</a>", htmlText(section.name), htmlText(section.title));
    return html + "</nav>\n";
}

}  // namespace

std::string reportPage(const analysis::DumpInfo& info, const std::vector<ReportSection>& sections, const SvgOf& svgOf) {
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>{} – Dimscope</title><style>{}</style></head><body>\n",
        htmlText(info.identity.name), kStyle);
    page += headHtml(info, sections) + findingsList(sections) + limitsList(sections) + warningsHtml(info.warnings);
    for (const ReportSection& section : sections) page += sectionHtml(section, svgOf);
    return page + "</body></html>\n";
}

}  // namespace dimscope::app
