// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dump_panel.h"

#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/appearance.h"
#include "app/window/dump_facts.h"
#include "app/window/head_comparison.h"
#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr std::size_t kMostWarnings = 8;

void addMissing(const std::vector<analysis::Warning>& from, std::vector<analysis::Warning>& to) {
    for (const analysis::Warning& warning : from)
        if (std::find(to.begin(), to.end(), warning) == to.end()) to.push_back(warning);
}

void clear(QLayout& layout) {
    while (QLayoutItem* item = layout.takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace

DumpPanel::DumpPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles,
                     HeadComparison& comparison, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      model_(model),
      profiles_(profiles),
      comparison_(comparison),
      facts_(new QFormLayout),
      warnings_(new QVBoxLayout) {
    facts_->setContentsMargins(0, 0, 0, 0);
    facts_->setVerticalSpacing(2);
    facts_->setHorizontalSpacing(10);
    warnings_->setSpacing(4);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->addLayout(facts_);
    column->addLayout(warnings_);
    column->addStretch(1);
    addFact(tr("File"), tr("none open"));
    connect(&model_, &WorkspaceModel::opened, this, &DumpPanel::refresh);
    connect(&appearance_, &Appearance::changed, this, &DumpPanel::refresh);
    connect(&profiles_, &LayerProfiles::chosenChanged, this, &DumpPanel::refreshWarnings);
    connect(&comparison_, &HeadComparison::changed, this, &DumpPanel::refreshWarnings);
}

void DumpPanel::addFact(const QString& name, const QString& value) {
    auto* label = new QLabel(name, this);
    label->setObjectName("secondary");
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* text = new QLabel(value, this);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setWordWrap(true);
    text->setToolTip(value);
    facts_->addRow(label, text);
}

void DumpPanel::refresh() {
    if (!model_.isOpen()) return;
    while (facts_->rowCount() > 0) facts_->removeRow(0);
    for (const auto& [name, value] : dumpFacts(model_.workspace().info())) addFact(name, value);
    refreshWarnings();
}

void DumpPanel::refreshWarnings() {
    clear(*warnings_);
    if (!model_.isOpen()) return;
    std::vector<analysis::Warning> all = model_.workspace().info().warnings;
    if (const auto profile = profiles_.chosenLayer()) addMissing(profile->warnings, all);
    if (profiles_.grouping()) addMissing(profiles_.grouping()->warnings, all);
    if (comparison_.head()) addMissing(comparison_.head()->warnings, all);
    for (std::size_t i = 0; i < std::min(all.size(), kMostWarnings); ++i) {
        const QString place = all[i].place.empty() ? QString() : qt(all[i].place).toHtmlEscaped() + ": ";
        auto* line = new QLabel(QString("<span style='color:%1'>⚠</span> %2%3")
                                    .arg(appearance_.colours().warning.name(), place, qt(all[i].text).toHtmlEscaped()),
                                this);
        line->setWordWrap(true);
        line->setTextInteractionFlags(Qt::TextSelectableByMouse);
        warnings_->addWidget(line);
    }
    if (all.size() > kMostWarnings)
        warnings_->addWidget(new QLabel(tr("and %1 more").arg(all.size() - kMostWarnings), this));
}

}  // namespace dimscope::app
