// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/report.h"

#include "analysis/warning_list.h"
#include "app/core/error_text.h"
#include "kernels/run_control.h"

namespace dimscope::app {
namespace {

/// Runs `fill` on the section; what goes wrong is said in it.
template <class Fill>
ReportSection filled(ReportSection section, Fill fill) {
    try {
        fill(section);
    } catch (const kernels::Cancelled&) {
        throw;
    } catch (...) {
        section.absent = failureOf(std::current_exception()).text;
    }
    return section;
}

}  // namespace

Report::Report(const ReportParams& params, const kernels::RunControl& control)
    : params_(params), dump_(params.file, params.backend, params.seed, params.decisions) {
    if (params.excludeSinks) dump_.excludeSinks(control);
}

std::vector<Report::Step> Report::steps() {
    std::vector<Step> steps{
        {"profiles, groups and kernels", [this](const RunControl& control) { return dumpSection(control); }}};
    for (const analysis::Experiment& experiment : analysis::experimentCatalog())
        steps.push_back({experiment.name, [this, &experiment](const RunControl& control) {
                             return experimentSection(experiment, control);
                         }});
    return steps;
}

ReportSection Report::dumpSection(const RunControl& control) {
    ReportSection section;
    section.name = "heads";
    section.title = "Heads";
    section.about = "Which dimensions carry each head, how they group, and what each kernel loses.";
    return filled(std::move(section), [&](ReportSection& out) {
        const std::vector<DumpReport::Step> steps = dump_.steps();
        for (std::size_t i = 0; i < steps.size(); ++i) out.content.add(steps[i].content(control.part(i, steps.size())));
        out.findings = dump_.findings();
        out.limits = dump_.limits();
        for (const auto& table : out.content.tables) {
            out.provenance = table->provenance;
            analysis::addOnce(table->warnings, out.warnings);
        }
    });
}

ReportSection Report::experimentSection(const analysis::Experiment& experiment, const RunControl& control) {
    ReportSection section;
    section.name = experiment.name;
    section.title = experiment.title;
    section.about = experiment.question;
    section.absent = experiment.unsupported(info());
    if (!section.absent.empty()) return section;
    section.limits = experiment.limits(info());
    return filled(std::move(section), [&](ReportSection& out) {
        const auto outcome = runExperiment(dump_.context(), dump_.experimentKey(experiment.name), control);
        out.findings = outcome->findings;
        out.warnings = outcome->warnings;
        out.provenance = outcome->provenance;
        for (const analysis::Figure& figure : outcome->figures) out.content.add(figure);
        for (const analysis::Table& table : outcome->tables) out.content.add(table);
    });
}

}  // namespace dimscope::app
