// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/samples.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace dimscope::app {
namespace {

QString findSample(const QString& name) {
    const QString program = QCoreApplication::applicationDirPath();
    for (const QString& folder : {QString(DIMSCOPE_SAMPLE_DIR), program + "/sample",
                                  program + "/../share/dimscope/sample", program + "/../../../../resources/sample"})
        if (QFileInfo::exists(folder + "/" + name)) return QFileInfo(folder + "/" + name).canonicalFilePath();
    return {};
}

}  // namespace

std::vector<std::pair<QString, QString>> bundledSamples() {
    std::vector<std::pair<QString, QString>> samples;
    const auto add = [&samples](const QString& title, const QString& name) {
        const QString path = findSample(name);
        if (!path.isEmpty()) samples.emplace_back(title, path);
    };
    add(QCoreApplication::translate("Samples", "SmolLM2-135M, layers 5 15 25, 512 tokens"), "smollm2-sample.h5");
    add(QCoreApplication::translate("Samples", "SmolLM2-135M, all 30 layers, 128 tokens"), "smollm2-map.h5");
    add(QCoreApplication::translate("Samples", "Synthetic: two-token difference"), "synthetic-two-token-difference.h5");
    add(QCoreApplication::translate("Samples", "Synthetic: difference from the mean"),
        "synthetic-difference-from-mean.h5");
    add(QCoreApplication::translate("Samples", "Synthetic: alternating differences"),
        "synthetic-alternating-differences.h5");
    return samples;
}

}  // namespace dimscope::app
