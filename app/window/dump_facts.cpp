// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dump_facts.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

QString factText(const char* text) { return QCoreApplication::translate("DumpFacts", text); }

/// The same fact of every layer once, or that they differ.
template <class Fact>
QString common(const analysis::DumpInfo& info, Fact fact) {
    std::set<QString> values;
    for (const analysis::LayerInfo& layer : info.layers) values.insert(fact(layer));
    return values.size() == 1 ? *values.begin() : factText("differ between layers");
}

QString layersText(const analysis::DumpInfo& info) {
    const auto& layers = info.layers;
    if (layers.size() > 6)
        return factText("%1 (%2–%3)").arg(layers.size()).arg(layers.front().layer.value).arg(layers.back().layer.value);
    QStringList numbers;
    for (const analysis::LayerInfo& layer : layers) numbers.append(QString::number(layer.layer.value));
    return numbers.join(' ');
}

QString headsText(const analysis::LayerInfo& layer) {
    const QString dim = factText(" · d %1").arg(layer.headDim);
    if (layer.nHeads == layer.nKvHeads) return factText("%1").arg(layer.nHeads) + dim;
    return factText("%1 query · %2 KV").arg(layer.nHeads).arg(layer.nKvHeads) + dim;
}

QString scaleText(const analysis::LayerInfo& layer) {
    const double usual = 1.0 / std::sqrt(static_cast<double>(layer.headDim));
    const QString number = QString::number(layer.scale, 'g', 3);
    return std::abs(layer.scale - usual) < 1e-9 * usual ? "1/√d = " + number : number;
}

QString rotationText(const analysis::LayerInfo& layer) {
    if (layer.rope == "post") return factText("RoPE applied");
    if (layer.rope == "pre") return factText("before RoPE");
    return factText("no RoPE");
}

QString maskText(const analysis::LayerInfo& layer) {
    QString text = layer.causal ? factText("causal") : factText("full");
    if (layer.window > 0) text += factText(" · window %1").arg(layer.window);
    if (layer.softcap > 0.0) text += factText(" · softcap %1").arg(layer.softcap);
    if (layer.hasSink) text += factText(" · sink");
    return text;
}

/// What every layer holds, and in brackets what only some do: "q k v (o) · float16".
QString tensorsText(const analysis::DumpInfo& info) {
    using analysis::LayerInfo;
    QStringList everywhere{"q", "k"}, somewhere;
    const auto add = [&](const QString& name, bool LayerInfo::*has) {
        const auto count = std::count_if(info.layers.begin(), info.layers.end(), std::mem_fn(has));
        if (count == static_cast<std::ptrdiff_t>(info.layers.size()))
            everywhere.append(name);
        else if (count > 0)
            somewhere.append(name);
    };
    add("v", &LayerInfo::hasValue);
    add("o", &LayerInfo::hasOutput);
    add("W_o", &LayerInfo::hasOutputProjection);
    QString text = everywhere.join(' ');
    if (!somewhere.isEmpty()) text += QString(" (%1)").arg(somewhere.join(' '));
    std::set<QString> encodings;
    for (const LayerInfo& layer : info.layers) encodings.insert(qt(layer.encoding));
    return text + " · " + QStringList(encodings.begin(), encodings.end()).join(", ");
}

}  // namespace

std::vector<std::pair<QString, QString>> dumpFacts(const analysis::DumpInfo& info) {
    std::vector<std::pair<QString, QString>> facts;
    const QFileInfo file(qt(info.path));
    facts.emplace_back(factText("File"), file.fileName());
    facts.emplace_back(factText("Size"), QLocale().formattedDataSize(info.identity.sizeBytes, 1));
    if (!info.model.empty()) facts.emplace_back(factText("Model"), qt(info.model).section('/', -1));
    facts.emplace_back(factText("Layers"), layersText(info));
    facts.emplace_back(factText("Heads"), common(info, headsText));
    facts.emplace_back(factText("Length"), common(info, [](const analysis::LayerInfo& layer) {
                           return factText("%1 tokens · %2 prompts").arg(layer.positions).arg(layer.prompts);
                       }));
    facts.emplace_back(factText("Scale"), common(info, [](const analysis::LayerInfo& layer) {
                           return scaleText(layer) + " · " + rotationText(layer);
                       }));
    facts.emplace_back(factText("Mask"), common(info, maskText));
    facts.emplace_back(factText("Tensors"), tensorsText(info));
    return facts;
}

}  // namespace dimscope::app
