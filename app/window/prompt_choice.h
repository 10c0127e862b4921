// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::app {

/// Fills a choice with: `all` in words, every split of the dump, every prompt. Keeps what is chosen where it is still
/// there.
void fillPrompts(QComboBox& choice, const analysis::DumpInfo& info, const QString& all);
/// Prompts of the chosen entry; empty for the first one.
std::vector<analysis::PromptIndex> chosenPrompts(const QComboBox& choice, const analysis::DumpInfo& info);
/// Selects the entry that stands for these prompts, the first one where none does.
void showPrompts(QComboBox& choice, const std::vector<analysis::PromptIndex>& prompts, const analysis::DumpInfo& info);

}  // namespace dimscope::app
