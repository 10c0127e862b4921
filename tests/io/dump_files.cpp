// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/io/dump_files.h"

namespace dimscope::tests {

using namespace analysis;

std::filesystem::path dataFile(const std::string& name) {
    return std::filesystem::path(TEST_DATA_DIR) / (name + ".h5");
}

double storedValue(int tensor, int p, int h, Index n, Index d) {
    return static_cast<double>((tensor * 5 + p * 31 + h * 17 + n * 7 + d * 3) % 61 - 30) / 8.0;
}

kernels::Tensor loadTensor(HeadSource& source, TensorKind kind, int layer, int prompt, int head) {
    return source.load(kind, LayerIndex{layer}, PromptIndex{prompt}, head, {})->values;
}

int wrongEntries(HeadSource& source, TensorKind kind, int layer, int prompt, int head) {
    const int tensor = kind == TensorKind::Query ? 0 : kind == TensorKind::Key ? 1 : kind == TensorKind::Value ? 2 : 4;
    const auto count = [&](const auto& values) {
        int wrong = 0;
        for (Index n = 0; n < values.rows(); ++n)
            for (Index d = 0; d < values.cols(); ++d)
                if (!(static_cast<double>(values(n, d)) == storedValue(tensor, prompt, head, n, d))) ++wrong;
        return wrong;
    };
    return std::visit(count, loadTensor(source, kind, layer, prompt, head));
}

bool hasWarning(const DumpInfo& info, const std::string& word) {
    for (const Warning& warning : info.warnings)
        if (warning.text.find(word) != std::string::npos) return true;
    return false;
}

}  // namespace dimscope::tests
