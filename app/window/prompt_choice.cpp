// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/prompt_choice.h"

#include <QSignalBlocker>
#include <set>

#include "analysis/selection.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kMostPrompts = 200;  // a longer list helps nobody

}  // namespace

void fillPrompts(QComboBox& choice, const analysis::DumpInfo& info, const QString& all) {
    const QSignalBlocker quiet(choice);
    choice.clear();
    choice.addItem(all);
    std::set<std::string> splits;
    for (const analysis::PromptInfo& prompt : info.prompts)
        if (!prompt.split.empty() && !prompt.leftOut) splits.insert(prompt.split);
    for (const std::string& split : splits) choice.addItem(qt(split), "split:" + qt(split));
    const int shown = std::min(static_cast<int>(info.prompts.size()), kMostPrompts);
    for (int p = 0; p < shown; ++p)
        if (!info.prompts[static_cast<std::size_t>(p)].leftOut) choice.addItem(QObject::tr("prompt %1").arg(p), p);
}

std::vector<analysis::PromptIndex> chosenPrompts(const QComboBox& choice, const analysis::DumpInfo& info) {
    const QVariant chosen = choice.currentData();
    if (!chosen.isValid()) return {};
    if (chosen.typeId() == QMetaType::Int) return {analysis::PromptIndex{chosen.toInt()}};
    return analysis::promptsOfSplits(info, {chosen.toString().section(':', 1).toStdString()});
}

void showPrompts(QComboBox& choice, const std::vector<analysis::PromptIndex>& prompts, const analysis::DumpInfo& info) {
    const QSignalBlocker quiet(choice);
    const int before = choice.currentIndex();
    if (before >= 0 && chosenPrompts(choice, info) == prompts) return;
    for (int i = 0; i < choice.count(); ++i) {
        choice.setCurrentIndex(i);
        if (chosenPrompts(choice, info) == prompts) return;
    }
    choice.setCurrentIndex(0);
}

}  // namespace dimscope::app
