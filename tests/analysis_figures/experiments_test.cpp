// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "analysis/experiments/experiment_catalog.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/analysis_figures/figure_checks.h"
#include "tests/support/memory_source.h"

namespace dimscope::analysis::test {
namespace {

using tests::MemorySource;

TEST(ExperimentCatalog, EveryEntryCanBeShownAndRun) {
    std::set<std::string> names;
    for (const Experiment& experiment : experimentCatalog()) {
        SCOPED_TRACE(experiment.name);
        EXPECT_TRUE(names.insert(experiment.name).second);
        EXPECT_EQ(findExperiment(experiment.name), &experiment);
        EXPECT_FALSE(experiment.title.empty());
        EXPECT_FALSE(experiment.question.empty());
        EXPECT_FALSE(experiment.help.empty());
        EXPECT_NE(experiment.unsupported, nullptr);
        EXPECT_NE(experiment.limits, nullptr);
        EXPECT_NE(experiment.run, nullptr);
        for (const ExperimentField& field : experiment.fields) {
            SCOPED_TRACE(field.name);
            EXPECT_LE(field.least, field.start);
            EXPECT_LE(field.start, field.most);
            EXPECT_FALSE(field.label.empty());
            EXPECT_FALSE(field.tip.empty());
            if (field.kind == ExperimentField::Kind::Choice) {
                EXPECT_EQ(static_cast<double>(field.choices.size()) - 1.0, field.most);
            }
        }
    }
    EXPECT_EQ(findExperiment("nothing"), nullptr);
}

TEST(ExperimentCatalog, FieldsHaveTheirStartAndKeepTheirRange) {
    const Experiment& orders = *findExperiment("orders");
    ExperimentRequest request;
    EXPECT_EQ(orders.value(request, "rows"), 32.0);
    request.values["rows"] = 8.0;
    EXPECT_EQ(orders.value(request, "rows"), 8.0);
    request.values["rows"] = -1.0;
    EXPECT_THROW(orders.value(request, "rows"), kernels::ArgumentError);
    request.values["rows"] = kNaN;
    EXPECT_THROW(orders.value(request, "rows"), kernels::ArgumentError);
    EXPECT_THROW(orders.value(request, "columns"), kernels::ArgumentError);
}

/// Every switch on, and as little of everything as shows it.
ExperimentRequest small(const Experiment& experiment) {
    ExperimentRequest request;
    request.grouping.replicates = 20;
    for (const ExperimentField& field : experiment.fields) {
        if (field.kind == ExperimentField::Kind::Switch) request.values[field.name] = 1.0;
        if (field.kind == ExperimentField::Kind::Integer)
            request.values[field.name] = std::min(field.start, std::max(field.least, 4.0));
    }
    return request;
}

/// On a small dump: it runs as it is, and everything it finds can be shown.
class EveryExperiment : public ::testing::TestWithParam<std::string> {
protected:
    ExperimentOutcome outcome(HeadSource& source, const RunControl& control = {}) const {
        const Experiment& experiment = *findExperiment(GetParam());
        EXPECT_EQ(experiment.unsupported(source.info()), "");
        const auto backend = kernels::makeBackend("cpu");
        return experiment.run(small(experiment), source, *backend, control, {});
    }
};

TEST_P(EveryExperiment, CanBeShown) {
    MemorySource source({});
    const ExperimentOutcome found = outcome(source);
    EXPECT_FALSE(found.figures.empty());
    ASSERT_FALSE(found.tables.empty());
    EXPECT_GT(found.tables.front().rows(), 0U);
    EXPECT_EQ(found.provenance.verb, GetParam());
    std::set<std::string> names;
    for (const Figure& figure : found.figures) {
        EXPECT_TRUE(isDrawable(figure)) << figure.name;
        EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    }
    names.clear();
    for (const Table& table : found.tables) {
        EXPECT_TRUE(names.insert(table.name).second) << table.name;
        EXPECT_FALSE(table.caption.empty()) << table.name;
        for (const Column& column : table.columns) EXPECT_EQ(column.cells.size(), table.rows()) << column.name;
    }
    for (const Finding& finding : found.findings) {
        EXPECT_TRUE(finding.text.ends_with(".")) << finding.text;
        EXPECT_EQ(finding.text.find("nan"), std::string::npos) << finding.text;
    }
}

TEST_P(EveryExperiment, OfOnePromptAndASickHeadCanBeShown) {
    MemorySource source({.prompts = 1});
    source.poison(3, 1);
    for (const Figure& figure : outcome(source).figures) EXPECT_TRUE(isDrawable(figure)) << figure.name;
}

TEST_P(EveryExperiment, IsTheSameForAnyNumberOfThreads) {
    if (GetParam() == "budget") GTEST_SKIP() << "takes long, and has a test of its own: Budget.ThreadsChangeNothing";
    MemorySource source({});
    const Experiment& experiment = *findExperiment(GetParam());
    std::vector<ExperimentOutcome> found;
    for (const int threads : {1, 3}) {
        const auto backend = kernels::makeBackend("cpu", {.threads = threads});
        found.push_back(experiment.run(small(experiment), source, *backend, {}, {}));
    }
    ASSERT_EQ(found[0].tables.size(), found[1].tables.size());
    for (std::size_t t = 0; t < found[0].tables.size(); ++t)
        for (std::size_t c = 0; c < found[0].tables[t].columns.size(); ++c)
            for (std::size_t row = 0; row < found[0].tables[t].rows(); ++row) {
                const auto text = [&](std::size_t i) { return displayText(found[i].tables[t].columns[c].cells[row]); };
                EXPECT_EQ(text(0), text(1)) << found[0].tables[t].name << " " << found[0].tables[t].columns[c].name;
            }
}

TEST_P(EveryExperiment, StopsWhenCancelled) {
    MemorySource source({});
    const RunControl control;
    control.cancel();
    EXPECT_THROW(outcome(source, control), kernels::Cancelled);
}

std::vector<std::string> experimentNames() {
    std::vector<std::string> names;
    for (const Experiment& experiment : experimentCatalog()) names.push_back(experiment.name);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Catalog, EveryExperiment, ::testing::ValuesIn(experimentNames()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace dimscope::analysis::test
