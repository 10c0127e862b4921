// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "app/cli/lists.h"
#include "app/cli/released_head_list.h"
#include "io/kernel_parameters.h"
#include "io/released_factors.h"

namespace dimscope::app {
namespace {

void addExportOptions(CLI::App& verb, Options& options) {
    verb.add_option("FILE", options.file, "Kernel-parameter file (HDF5)")->required();
    verb.add_option("--out", options.exported, "JSON file to write, in the layout of the OAL release")->required();
    addJsonOption(verb, options);
}

VerbOutput runExport(const Options& options, const kernels::RunControl& control) {
    if (std::filesystem::path(options.exported).extension() != ".json")
        throw UsageError("--out '" + options.exported + "': expected a name ending in .json");
    std::vector<analysis::Warning> warnings;
    const auto set = io::readKernelParameters(options.file, warnings);
    control.throwIfCancelled();
    io::writeReleasedFactors(*set, options.exported);
    VerbOutput output = releasedHeadList(*set, "export");
    output.warnings = std::move(warnings);
    return output;
}

}  // namespace

Verb exportVerb() {
    return {"export", "Groups and factors of a kernel-parameter file in the layout of the OAL release (JSON)",
            "  dimscope-cli export kernels.h5 --out factors.json", addExportOptions, runExport};
}

}  // namespace dimscope::app
